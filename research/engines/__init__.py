"""How far the engines behind a feasible set reach: families of rules beyond one diagram, a row for each."""
