"""What holds rules that no single diagram can hold: the interface is `code_set.py`."""
