"""For tests and notebooks alike, whichever are named on the command line; what tests alone share is in `tests/conftest.py`."""

pytest_plugins = ["notebook_cells"]
