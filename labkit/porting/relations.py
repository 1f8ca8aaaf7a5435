"""How two arrays that differ are related: by a factor, an order, an elementwise function, a softmax, a sum."""

import numpy as np

from ..ops import FUNCTIONS
from .rounding import Difference

_MOST = 10**6  # numbers of which a softmax is tried over each axis


def relation(found: Difference, before: list[np.ndarray]) -> str:
    """How two arrays are related, or each to one that both models had before; "" if no relation holds for every number."""
    a, b = (np.asarray(v, float) for v in (found.torch, found.mindspore))
    if a.size < 2:
        return ""
    if (
        a.size == b.size
        and not np.array_equal(a.ravel(), b.ravel())
        and _near(np.sort(a.ravel()), np.sort(b.ravel()), found)
    ):
        return "both hold the same numbers, in a different order"
    if not found.same_shape:
        return ""
    for x in before[::-1]:
        names = [_function_of(np.asarray(x, float), v, found) for v in (a, b)] if x.shape == a.shape else []
        if len(names) == 2 and all(names) and names[0] != names[1]:
            ours, theirs = map(_of_before, names)
            return "PyTorch's is {torch}, MindSpore's {mindspore}".format(torch=ours, mindspore=theirs)
    for x in before[::-1]:
        for more, less, one, two in ((a, b, "PyTorch", "MindSpore"), (b, a, "MindSpore", "PyTorch")):
            if x.shape == a.shape and np.any(x) and _near(more - less, np.asarray(x, float), found):
                return _RESIDUAL.format(one=one, two=two)
    with np.errstate(all="ignore"):
        ratio = np.median(b[a != 0] / a[a != 0]) if (a != 0).any() else np.nan
    if np.isfinite(ratio) and ratio and _near(a * ratio, b, found):
        return "MindSpore's is PyTorch's times {ratio:.6g}".format(ratio=ratio)
    for (one, x), (two, y) in ((("PyTorch", a), ("MindSpore", b)), (("MindSpore", b), ("PyTorch", a))):
        name = _function_of(x, y, found)
        if name and name != "just":
            return f"{two}'s is {name} {one}'s"
    return ""


def silent(found: Difference) -> str:
    """That one of two gradients is zero throughout; "" if none is, or both."""
    zero = not np.any(found.torch), not np.any(found.mindspore)
    return {(True, False): _CUT_TORCH, (False, True): _CUT_MINDSPORE}.get(zero, "")


_RESIDUAL = "{one}'s is {two}'s plus the layer's input, as after a residual connection"
_CUT_TORCH = "PyTorch's is zero throughout: the backward pass is cut after it, for instance by detach or no_grad"
_CUT_MINDSPORE = "MindSpore's is zero throughout: the backward pass is cut after it, for instance by stop_gradient"


def _of_before(name):
    return "the layer's input, unchanged" if name == "just" else "{name} the layer's input".format(name=name)


def _function_of(x, y, found):
    """The elementwise function that makes y of x: "just" for the identity, "" for none."""
    if _near(x, y, found):
        return "just"
    for name in ("relu", *FUNCTIONS):
        with np.errstate(all="ignore"):
            try:
                made = np.asarray(FUNCTIONS[name].fun(x), float)
            except Exception:
                continue
        if made.shape == y.shape and len(np.unique(made[:16])) > 1 and _near(made, y, found):
            return f"{name} of"
    for axis in range(x.ndim if x.size <= _MOST else 0):
        if x.shape[axis] > 1 and _near(_softmax(x, axis), y, found):
            return "softmax over axis {axis} of".format(axis=axis)
    return ""


def _softmax(x, axis):
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


def _near(a, b, found):
    limit = 4 * np.max(found.allowed, initial=0.0)
    with np.errstate(all="ignore"):
        return bool(np.all((np.abs(a - b) <= limit) | (a == b)))
