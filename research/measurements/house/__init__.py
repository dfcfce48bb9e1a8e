"""The house in numbers: its sizes, what loading it costs, and how many files a call passes through."""
