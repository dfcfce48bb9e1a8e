"""`python -m hedgerow` is the `hedgerow` command."""

import sys

from hedgerow.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
