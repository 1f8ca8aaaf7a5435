"""Several processes that train together: `init`, `get_rank`, `get_group_size`, `release`.

Each runs the same script on its own share of the data, and `nn.DistributedGradReducer` makes their gradients one:

    python -m pip install -e ".[parallel]"    # in the clone: mpi4py, an MPI and ipyparallel
    mpiexec -n 4 python train.py              # or: mpiexec -n 4 python -m labkit.parallel train.py

The second way joins the processes before the script begins, so one that ends before `init()` keeps none waiting. From a
notebook, the processes are the engines of ipyparallel:

    import ipyparallel
    engines = ipyparallel.Cluster(engines="mpi", n=4).start_and_connect_sync()
    %%px                                      # at the top of a cell: it runs in all engines
    from labkit.mindspore.communication import get_rank, init
    init()

There an error in one engine ends no process, so the others wait for it as long as `ms.set_context(op_timeout=10)` says; after
it, `release()` and `init()` in all engines start afresh.
"""

import sys

from .. import parallel
from ..dialects.unsupported import attributes
from .context import get_context
from .ops.collectives import WORLD, check_group

__all__ = ["get_group_size", "get_rank", "init", "release"]


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
    if backend_name not in (None, "hccl", "nccl", "mccl"):
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', but got 'backend_name' : "
            f"{backend_name}"
        )
    parallel.join(lambda: get_context("op_timeout"))


def release() -> None:
    """Leave the others; all of them have to. After an error in a notebook, `release()` and `init()` start afresh."""
    parallel.leave()


def get_rank(group=WORLD[0]) -> int:
    """The number of this process, from 0. Raises RuntimeError in one of several processes before `init`.

    >>> get_rank()
    0
    """
    check_group("get_rank", group)
    return parallel.member().rank


def get_group_size(group=WORLD[0]) -> int:
    """The number of processes. Raises RuntimeError in one of several processes before `init`.

    >>> get_rank(), get_group_size()
    (0, 1)
    """
    check_group("get_group_size", group)
    return parallel.member().size


__getattr__ = attributes(__name__)
sys.modules[f"{__name__}.management"] = management = sys.modules[__name__]  # the module that tutorials import
