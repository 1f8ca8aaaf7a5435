"""`pytestmark = needs_walls`: tests of what only runs where student code can be isolated."""

from functools import cache

import pytest

from labkit.jail.jail import Jail, JailError
from labkit.jail.layers import NotIsolated


@cache
def missing() -> str:
    """Why no jail starts on this machine; empty where one does."""
    try:
        with Jail():
            return ""
    except (NotIsolated, JailError) as error:
        return str(error)


needs_walls = pytest.mark.skipif(bool(missing()), reason=missing())
