"""Hedgerow: black-box optimization over discrete spaces that never leaves the rules."""
