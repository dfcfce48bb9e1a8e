"""The paper's experiments: specifications in TOML, runs that can be interrupted, and pages made from stored rows."""
