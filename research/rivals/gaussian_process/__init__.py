"""GP: Bayesian optimization with scikit-learn's Gaussian process."""

from research.rivals.gaussian_process.method import GaussianProcess

__all__ = ["GaussianProcess"]
