"""How promising a row is, and finding the most promising one inside the feasible set."""
