"""Data parallel training: `init`, `get_rank`, `get_group_size`, `release`.

Each rank runs the same function on its own share of the data, and `nn.DistributedGradReducer` makes their gradients one.
`labkit.parallel.in_turn(function, 4)` runs four ranks in this process; without it there is one rank.
"""

import sys

from .. import parallel
from ..dialects.unsupported import attributes
from .ops.collectives import WORLD, check_group

__all__ = ["get_group_size", "get_rank", "init", "release"]


def init(backend_name=None) -> None:
    """Accept the names of the real framework's backends; there is nothing to start.

    >>> from labkit.mindspore.communication import get_group_size, init
    >>> init()
    >>> get_group_size()
    1
    """
    if backend_name not in (None, "hccl", "nccl", "mccl"):
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', but got 'backend_name' : "
            f"{backend_name}"
        )


def release() -> None:
    """Leave the other ranks; there is nothing to end."""


def get_rank(group=WORLD[0]) -> int:
    """The number of this rank, from 0.

    >>> get_rank()
    0
    """
    check_group("get_rank", group)
    return parallel.member().rank


def get_group_size(group=WORLD[0]) -> int:
    """The number of ranks.

    >>> get_rank(), get_group_size()
    (0, 1)
    """
    check_group("get_group_size", group)
    return parallel.member().size


__getattr__ = attributes(__name__)
sys.modules[f"{__name__}.management"] = management = sys.modules[__name__]  # the module that tutorials import
