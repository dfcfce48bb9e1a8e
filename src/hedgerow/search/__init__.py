"""Search inside the feasible set: what every method uses to find the untried row of highest score."""
