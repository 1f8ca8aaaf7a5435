"""What a training cell asks of the parallel settings; these names are in the documented ones."""

from ..context import get_auto_parallel_context


def _get_parallel_mode():
    """The parallel mode, one of `ParallelMode`."""
    return get_auto_parallel_context("parallel_mode")


def _get_gradients_mean():
    """Whether gradients are averaged over the ranks; else they are summed."""
    return get_auto_parallel_context("gradients_mean")


def _get_device_num():
    """The number of ranks: as set, else of the processes that were joined; 1 in the mode stand_alone."""
    return get_auto_parallel_context("device_num")


def _get_global_rank():
    """The number of this rank: as set, else of this process; 0 in the mode stand_alone."""
    return get_auto_parallel_context("global_rank")
