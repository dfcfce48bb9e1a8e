"""Layered decision diagrams over integer codes: no variables, no rules, no recursion, frozen arrays layer by layer."""
