"""The tensor kernel, the infinite-rank limit of the paper's ensembles: fit, predictions, and those around one row."""
