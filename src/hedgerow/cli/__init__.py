"""The command line: one thin function per verb, and what they show."""
