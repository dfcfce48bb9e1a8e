"""What a study has taught, as numbers: what the rules leave, what the variables do. Drawn by `plots` and `report`."""
