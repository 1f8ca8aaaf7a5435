"""Shared by all tests: hypothesis draws the same examples at every run.

`pytest --hypothesis-profile=thorough tests/properties` draws many new ones.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the workers of a test run are enough for the cores
os.environ["LABKIT_HOME"] = os.path.join(os.devnull, "labkit")  # no test touches the working copy of who runs it

from hypothesis import HealthCheck, settings

settings.register_profile(
    "labkit", derandomize=True, deadline=None, max_examples=200, database=None, suppress_health_check=list(HealthCheck)
)
settings.register_profile("thorough", settings.get_profile("labkit"), derandomize=False, max_examples=5000)
settings.load_profile("labkit")
