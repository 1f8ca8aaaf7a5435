"""`mpiexec -n 4 python -m labkit.parallel train.py`: run a script in processes that are joined before it begins."""

import os
import sys

from . import main

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[1])) if sys.argv[1:] else sys.path[0]
    main(sys.argv[1:])
