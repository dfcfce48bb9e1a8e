"""Design problems with reals: trials to within 1 % and 0.1 %, against other methods, and their optima found again."""
