"""Several processes that train together: `init`, `get_rank`, `get_group_size`, `release`.

Each runs the same script on its own share of the data, and `nn.DistributedGradReducer` makes their gradients one:

    pip install "labkit[parallel]"            # mpi4py, an MPI and ipyparallel
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

from ...aliases import attributes
from .management import *  # noqa: F403
from .management import __all__ as __all__

__getattr__ = attributes(__name__)
