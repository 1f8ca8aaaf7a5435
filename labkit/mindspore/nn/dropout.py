"""The dropout layer."""

from ...layout import with_names
from .._seed import op_seed
from ..ops._dropout import dropped
from ..ops._op import OPS, value_of
from ..tensor import Tensor
from ._checks import check_type
from .cell import Cell

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class Dropout(Cell):
    """While training, each element is 0 with probability `p`, else divided by 1 - p; otherwise the input itself.

    `keep_prob` is the older way to say 1 - p; `dtype` changes nothing. A new choice is made at
    every call, in a compiled network too.
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=None):
        super().__init__()
        name, value = ("keep_prob", keep_prob) if p is None else ("p", p)
        check_type(value, name, (float, int), "Dropout")
        if not (0 <= value < 1 if name == "p" else 0 < value <= 1):
            interval = "[0, 1)" if name == "p" else "(0, 1]"
            raise ValueError(f"For 'Dropout', the '{name}' must be a number in range {interval}, but got {value}.")
        self.keep_prob, self.p = keep_prob, p
        self._seed, self._engines = op_seed("dropout"), {}

    def construct(self, x) -> Tensor:
        if not self.training:
            return x
        p = 1 - self.keep_prob if self.p is None else self.p
        return dropped(x, value_of(x, "Dropout"), p, self._seed, self._engines)

    def extend_repr(self) -> str:
        return with_names(self, "keep_prob" if self.p is None else "p")


class _OfChannels(Cell):
    op = ""

    def __init__(self, p=0.5):
        super().__init__()
        check_type(p, "p", (float, int), self.cls_name)
        if not 0 <= p <= 1:
            raise ValueError(f"For '{self.cls_name}', the 'p' must be a number in range [0, 1], but got {p}.")
        self.p = p

    def construct(self, x) -> Tensor:
        return OPS[self.op](x, self.p) if self.training else x

    def extend_repr(self) -> str:
        return f"p={1 - self.p}"  # what the real one prints there is what is kept


class Dropout1d(_OfChannels):
    """While training, whole channels of sequences (..., channels, length) are 0 with probability `p`; see `Dropout`."""

    op = "dropout1d"

    def extend_repr(self) -> str:
        return ""


class Dropout2d(_OfChannels):
    """While training, whole channels of images (..., channels, height, width) are 0 with probability `p`; see `Dropout`."""

    op = "dropout2d"


class Dropout3d(_OfChannels):
    """While training, whole channels of volumes are 0 with probability `p`; see `Dropout`."""

    op = "dropout3d"
