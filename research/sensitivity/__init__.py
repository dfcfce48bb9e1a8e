"""What the constants that steer the default are worth: each halved and doubled, on problems it was not chosen by."""
