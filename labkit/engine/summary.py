"""`Summary`, which stands for an array of more than a million numbers: its shape, dtype, extremes, mean and norm."""

from typing import Any

import numpy as np

LARGE = 1_000_000  # numbers; an array of more is summarised
_NOT_KEPT = "a run summarises arrays of more than {most:,} numbers, and this one had {size:,}. Record smaller arrays"
_DESCRIBED = (
    "{of.size:,} numbers, summarised: from {of.low:.4g} to {of.high:.4g}, mean {of.mean:.4g}, first {first:.4g}, last "
    "{of.last:.4g}"
)


class Summary:
    """Replaces an array: its `shape`, `dtype` and `size`; `low`, `high`, `mean` and `norm`, the Euclidean norm, of its
    finite numbers; `nans` and `infs`, how many there are; `corner`, its first rows and columns, and its `last` number.

    >>> Summary(np.array([3.0, np.nan, 4.0]))
    float64[3]: 3 numbers, summarised: from 3 to 4, mean 3.5, first 3, last 4; 1 nan
    """

    __slots__ = ("corner", "dtype", "high", "infs", "last", "low", "mean", "nans", "ndim", "norm", "shape", "size")

    def __init__(self, array):
        self.shape, self.dtype, self.size, self.ndim = array.shape, array.dtype, array.size, array.ndim
        rows = array.reshape(1, -1) if array.ndim == 1 else array.reshape(-1, array.shape[-1])
        self.corner, self.last = rows[:6, :16].astype(float), float(array[(-1,) * array.ndim])
        finite = array[np.isfinite(array)].astype(float, copy=False)
        self.nans = int(np.isnan(array).sum())
        self.infs = array.size - finite.size - self.nans
        self.low, self.high = float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf))
        self.mean = float(finite.sum()) / max(finite.size, 1)
        most = max(abs(self.low), abs(self.high)) if np.any(finite) else 1.0
        self.norm: float | None = most * float(np.linalg.norm(np.divide(finite, most, out=finite)))

    @classmethod
    def unknown(cls, like) -> "Summary":
        """The summary of a sum whose addends are only summarised: shape and dtype of `like`, no numbers."""
        made = cls(np.zeros((1,) * like.ndim, like.dtype))
        made.shape, made.size, made.norm, made.corner = like.shape, like.size, None, made.corner[:0]
        return made

    def __array__(self, *_, **__):
        raise TypeError(_NOT_KEPT.format(size=self.size, most=LARGE))

    def __repr__(self):
        return f"{self.dtype}{list(self.shape)}: {self.describe()}"

    def describe(self) -> str:
        """The summary in words."""
        if self.norm is None:
            return "{size:,} numbers: a sum of summarised arrays".format(size=self.size)
        bad = "".join(f"; {count:,} {what}" for count, what in ((self.nans, "nan"), (self.infs, "inf")) if count)
        return _DESCRIBED.format(of=self, first=self.corner.flat[0]) + bad


class Unknown(Summary):
    """Replaces an array that was not computed: it has a shape and a dtype.

    >>> Unknown.of((2, 3), "float32")
    float32[2, 3]: not computed (6 entries)
    """

    __slots__ = ()

    @classmethod
    def of(cls, shape, dtype) -> "Unknown":
        """Of this shape and dtype."""
        made = cls(np.zeros((1,) * max(len(shape), 1), dtype))
        made.shape, made.size, made.ndim = tuple(shape), int(np.prod(shape)), len(shape)
        made.norm, made.corner = None, made.corner[:0]
        return made

    @classmethod
    def unknown(cls, like) -> "Unknown":
        """The sum of such arrays."""
        return cls.of(like.shape, like.dtype)

    def describe(self) -> str:
        """The summary in words."""
        return "not computed ({size:,} entries)".format(size=self.size)


def summarised(value) -> Any:
    """A large array of real numbers as its summary; anything else as it is."""
    return Summary(value) if isinstance(value, np.ndarray) and value.size > LARGE and value.dtype.kind != "c" else value
