"""Several processes: join them, and ask which one this is.

A script is started as `mpiexec -n 4 python script.py`, and joins by `init()`. In one process, `init()` and all that follows
works too, with rank 0 of 1.
"""

from ... import parallel
from ...aliases import attributes
from ...kinds import of_kind
from ...layout import Placed
from ..context import get_context
from ..ops._communication import WORLD

__all__ = ["HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "GlobalComm", "get_group_size",
           "get_rank", "init", "release"]  # fmt: skip

HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = WORLD


class GlobalComm(metaclass=Placed):
    """What `init` has set up: `INITED`, `BACKEND` and the name of the group of all ranks."""

    BACKEND = ""
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False


def init(backend_name=None) -> None:
    """Join the processes that mpiexec started; all of them have to call it. In one process it has nothing to do.

    Backend names of the real framework are accepted; here it is always MPI. From here on a rank that fails or ends is an
    error for those that wait for it, at the latest after `get_context("op_timeout")` seconds. Raises ImportError in one of
    several processes without mpi4py.

    >>> from labkit.mindspore.communication import get_group_size, init
    >>> init()
    >>> get_group_size()
    1
    """
    of_kind(
        backend_name, str | None, "For 'init', the argument 'backend_name' must be a string, but got the type : {type}"
    )
    if backend_name not in (None, "hccl", "nccl", "mccl"):
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', but got 'backend_name' : "
            f"{backend_name}"
        )
    parallel.join(lambda: get_context("op_timeout"))
    GlobalComm.BACKEND, GlobalComm.INITED = backend_name or "mccl", True


def release() -> None:
    """Leave the others; all of them have to. After an error in a notebook, `release()` and `init()` start afresh."""
    parallel.leave()
    GlobalComm.BACKEND, GlobalComm.INITED = "", False


def get_rank(group=GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of this process, from 0. Raises RuntimeError in one of several processes before `init`.

    >>> get_rank()
    0
    """
    _check_group("get_rank", group)
    return parallel.member().rank


def get_group_size(group=GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of processes. Raises RuntimeError in one of several processes before `init`.

    >>> get_rank(), get_group_size()
    (0, 1)
    """
    _check_group("get_group_size", group)
    return parallel.member().size


def _check_group(name, group):
    of_kind(
        group,
        str,
        "For '{name}', the argument 'group' must be type of string, but got 'group' type : {type}.",
        name=name,
    )
    if group not in WORLD:
        raise ValueError(f"For '{name}', expected the group of all ranks, {WORLD[0]!r}, but got {group!r}.")


__getattr__ = attributes(__name__)
