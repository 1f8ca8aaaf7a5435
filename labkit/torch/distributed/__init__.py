"""`torch.distributed` with one process: each call gives what it gives where nobody else takes part.

A group of several is refused: `labkit.parallel` shows several workers.
"""

import os
from enum import Enum
from typing import Any

from ...aliases import attributes

__all__ = [
    "Backend", "ProcessGroup",
    "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "barrier", "broadcast", "broadcast_object_list",
    "destroy_process_group", "gather", "get_backend", "get_rank", "get_world_size", "group", "init_process_group",
    "is_available", "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available",
    "is_torchelastic_launched", "new_group", "reduce", "reduce_scatter", "scatter",
]  # fmt: skip

UNREADY = "Default process group has not been initialized, please make sure to call init_process_group."
SEVERAL = "labkit has one process, not {}: `labkit.parallel` shows several"


class ReduceOp(Enum):
    """What is made of one tensor from each process."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)


class Backend(str):
    """The word for how processes talk, in small letters."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl"

    def __new__(cls, name):
        return super().__new__(cls, name.lower())


class ProcessGroup:
    """A group of processes: this one."""

    backend: str | None = None

    def rank(self) -> int:
        return 0

    def size(self) -> int:
        return 1


class group:
    """`WORLD`: the group of all processes; None before there is one."""

    WORLD: Any = None


def is_available() -> bool:
    """Whether there is this package."""
    return True


def is_initialized() -> bool:
    """Whether there is a group of processes."""
    return group.WORLD is not None


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, **options) -> None:
    """Begin a group of this process alone; its rank and the size are named, or stand in `RANK` and `WORLD_SIZE`.

    Raises ValueError where one is missing, or there already is a group, and NotImplementedError for several processes.

    >>> init_process_group("gloo", rank=0, world_size=1)
    >>> get_rank(), get_world_size()
    (0, 1)
    >>> destroy_process_group()
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    world_size = _from_environment("WORLD_SIZE", world_size)
    if world_size != 1:
        raise NotImplementedError(SEVERAL.format(world_size))
    _from_environment("RANK", rank)
    group.WORLD = ProcessGroup()
    group.WORLD.backend = backend or "gloo"


def _from_environment(name, given):
    if given >= 0:
        return given
    if name not in os.environ:
        raise ValueError(
            f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but not set"
        )
    return int(os.environ[name])


def destroy_process_group(group=None) -> None:
    """End the group."""
    _ready()
    globals()["group"].WORLD = None


def _ready():
    if not is_initialized():
        raise ValueError(UNREADY)


def get_rank(group=None) -> int:
    """The number of this process: 0. Raises ValueError before there is a group."""
    _ready()
    return 0


def get_world_size(group=None) -> int:
    """How many processes there are: 1. Raises ValueError before there is a group."""
    _ready()
    return 1


def get_backend(group=None) -> str:
    """The word for how they talk."""
    _ready()
    return globals()["group"].WORLD.backend


def new_group(ranks=None, *args, **kwargs) -> Any:
    """The group of this process."""
    _ready()
    return group.WORLD


class _Done:
    """What a call with `async_op` returns."""

    def wait(self, timeout=None) -> bool:
        return True

    def is_completed(self) -> bool:
        return True


def _left(*_, async_op=False) -> Any:
    _ready()
    return _Done() if async_op else None


def barrier(group=None, async_op=False, device_ids=None) -> Any:
    """Wait for the others, of which there are none."""
    return _left(async_op=async_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False) -> Any:
    """Reduce the tensors of all processes, in place; one alone stays as it is."""
    return _left(async_op=async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None) -> Any:
    """The same for the process `dst`."""
    return _left(async_op=async_op)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None) -> Any:
    """Send the tensor of the process `src` to all; one's own stays as it is."""
    return _left(async_op=async_op)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None) -> None:
    """The same for any objects."""
    _ready()


def all_gather(tensor_list, tensor, group=None, async_op=False) -> Any:
    """Copy the tensor of each process into those of a list."""
    _ready()
    tensor_list[0].copy_(tensor)
    return _left(async_op=async_op)


def all_gather_object(object_list, obj, group=None) -> None:
    """The same for any object."""
    _ready()
    object_list[0] = obj


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None) -> Any:
    """`all_gather` for the process `dst`."""
    return all_gather(gather_list, tensor, group, async_op)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None) -> Any:
    """Copy to each process its tensor of a list."""
    _ready()
    tensor.copy_(scatter_list[0])
    return _left(async_op=async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False) -> Any:
    """Reduce, and copy to each process its part."""
    return scatter(output, input_list, 0, group, async_op)


def is_gloo_available() -> bool:
    """Whether processes could talk by Gloo: yes, one alone has nothing to say."""
    return True


def is_nccl_available() -> bool:
    """Whether they could by NCCL: no, it is for GPUs."""
    return False


def is_mpi_available() -> bool:
    """Whether they could by MPI: no; `labkit.parallel` does."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


__getattr__ = attributes(__name__)
