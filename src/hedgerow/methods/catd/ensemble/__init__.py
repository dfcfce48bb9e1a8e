"""The paper's surrogate: an ensemble of low-rank tensors, fitted by PGRAD to observations and infeasible rows."""
