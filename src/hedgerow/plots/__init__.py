"""Pictures of a result by Matplotlib, loaded on demand."""
