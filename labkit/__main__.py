"""`python -m labkit` is the command `labkit`."""

import sys

from .cli import main

sys.exit(main())
