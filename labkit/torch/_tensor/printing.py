"""How a tensor prints: one format for all its elements, brackets, summaries, then its other attributes.

The elements decide the format together: integers show as `3.`, other floats with `precision` digits, and in scientific
notation where the largest is over 1000 times the smallest, or one is over 1e8 or under 1e-4.
"""

import math

import numpy as np

from .dtype import get_default_dtype

PROFILES: dict[str | None, dict] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
_options: dict = {**PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """How tensors print from now on. None changes nothing, but `sci_mode=None` lets the elements decide again.

    >>> import labkit.torch as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor(1.2345)
    tensor(1.23)
    >>> torch.set_printoptions(profile="default")
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update(PROFILES.get(profile, {}), sci_mode=sci_mode)
    _options.update({name: value for name, value in given.items() if value is not None})


class _Format:
    """The format that the elements of `array` share; called with one element it gives the text."""

    def __init__(self, array):
        self.floating = array.dtype.kind not in "biu"
        if not self.floating:
            self.width = max((len(str(v)) for v in array.ravel().tolist()), default=1)
            return
        self.whole, self.scientific, self.width = True, False, 1
        values = array.astype(np.float64).ravel()
        values = values[np.isfinite(values) & (values != 0)]
        if values.size:
            self._fit(values)

    def _fit(self, values):
        size = np.abs(values)
        small, large = size.min(), size.max()
        self.whole = bool(np.all(size == np.ceil(size)))
        wide = bool(large / small > 1000 or large > 1e8 or (not self.whole and small < 1e-4))
        self.scientific = wide if _options["sci_mode"] is None else _options["sci_mode"]
        self.width = max(len(self._text(v)) for v in values.tolist())

    def _text(self, value):
        if self.scientific:
            return f"{value:.{_options['precision']}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{_options['precision']}f}"

    def __call__(self, value):
        return (self._text(value) if self.floating else str(value)).rjust(self.width)


def _cut(items):
    """First and last `edgeitems`, and whether anything was left out."""
    n = _options["edgeitems"]
    return (items[:n], items[len(items) - n :]) if len(items) > 2 * n else None


def _summary_elements(array):
    """The elements that a summary shows: they alone decide the format."""
    for axis in range(array.ndim):
        ends = _cut(range(array.shape[axis]))
        if ends:
            array = np.take(array, [*ends[0], *ends[1]], axis)
    return array


def _vector(array, indent, style, summarize):
    ends = _cut(array.tolist()) if summarize else None
    words = [*map(style, ends[0]), " ...", *map(style, ends[1])] if ends else [style(v) for v in array.tolist()]
    per_line = max(1, (_options["linewidth"] - indent) // (style.width + 2))
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)] or [""]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _body(array, indent, style, summarize):
    if array.ndim == 0:
        return style(array.item())
    if array.ndim == 1:
        return _vector(array, indent, style, summarize)
    ends = _cut(range(len(array))) if summarize else None
    if ends:
        rows = [_body(array[i], indent + 1, style, True) for i in ends[0]] + ["..."]
        rows += [_body(array[i], indent + 1, style, True) for i in ends[1]]
    else:
        rows = [_body(row, indent + 1, style, summarize) for row in array]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _joined(body, suffixes, indent):
    last = len(body) - body.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > _options["linewidth"]:
            body, last = body + ",\n" + " " * indent + suffix, indent + len(suffix)
        else:
            body, last = body + ", " + suffix, last + len(suffix) + 2
    return body + ")"


def tensor_text(array, dtype, *said, indent=0, start="tensor("):
    """The text of a tensor with this content, and what else is `said` of it, such as "requires_grad=True" ("": nothing)."""
    indent += len(start)
    suffixes = []
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        usual = dtype is get_default_dtype()
        body = "[]"
    else:
        summarize = array.size > _options["threshold"]
        style = _Format(_summary_elements(array) if summarize else array)
        body = _body(array, indent, style, summarize)
        usual = dtype is get_default_dtype() or dtype.name in ("int64", "bool")
    if not usual:
        suffixes.append(f"dtype={dtype}")
    return _joined(start + body, [*suffixes, *filter(None, said)], indent)
