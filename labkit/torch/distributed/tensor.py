"""`torch.distributed.tensor`: what code asks whether a tensor is spread over processes; none is."""

from ...aliases import attributes

__all__ = ["DTensor"]


class DTensor:
    """A tensor spread over processes; there is one process, and NotImplementedError for who makes one."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("labkit has one process: `labkit.parallel` shows several")


__getattr__ = attributes(__name__)
