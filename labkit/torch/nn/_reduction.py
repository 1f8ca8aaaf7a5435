"""`torch.nn._reduction`: the ways to reduce a loss, as words and as numbers."""

import warnings

from ...aliases import attributes
from ._losses import by_old_words, check_reduction

NUMBERS = {"none": 0, "mean": 1, "sum": 2}
OLD = "size_average and reduce args will be deprecated, please use reduction='{}' instead."


def get_enum(reduction) -> int:
    """The number that stands for a reduction. Raises ValueError for what is none.

    >>> get_enum("sum")
    2
    """
    check_reduction(reduction)
    return NUMBERS[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True) -> str:
    """The reduction that `size_average` and `reduce` stand for, with a warning that they are old."""
    found = by_old_words(size_average, reduce) or "mean"
    if emit_warning:
        warnings.warn(OLD.format(found), stacklevel=2)
    return found


def legacy_get_enum(size_average, reduce, emit_warning=True) -> int:
    """The number of that."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


__getattr__ = attributes(__name__)
