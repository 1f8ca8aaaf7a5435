"""`pytestmark = needs_walls`: tests of what only runs where student code can be isolated."""

from functools import cache

import pytest

from labkit.jail import Jail, JailError, NotIsolated


@cache
def missing() -> str:
    """Why no jail starts on this machine; empty where one does."""
    try:
        with Jail():
            return ""
    except (NotIsolated, JailError) as error:
        return str(error)


def skip_where_missing() -> bool:
    """Skip the test that is about to run where no jail starts, and say why."""
    if missing():
        pytest.skip(missing())
    return False


# a condition in words is looked at when a test begins, so that collecting tests starts no jail
needs_walls = pytest.mark.skipif("__import__('walls').skip_where_missing()", reason="no jail starts on this machine")
