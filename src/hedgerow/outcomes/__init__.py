"""What a trial gives: objectives, limits on what is measured, readings and failures; and which trials are good."""
