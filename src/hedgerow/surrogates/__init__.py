"""Surrogates: beliefs about an objective that are cheap to ask.

`factorized` holds the paper's ensembles of low-rank tensors. Nothing is imported here, so that a method loads only
the surrogate it uses.
"""
