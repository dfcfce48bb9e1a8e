"""Fuzzing of everything that reads text from strangers: rules, problem files, and the files of other tools."""
