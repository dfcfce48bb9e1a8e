"""Runs that last: a study in a storage, which any number of workers, people and programs ask and tell."""
