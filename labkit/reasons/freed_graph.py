"""The answer where backward() has freed the saved tensors: what `.grad` holds, and the possible causes."""

from collections import Counter
from typing import Any

import numpy as np

from .answer import Why
from .causes import OVERWRITING, SMALL
from .flow import finite, largest, plain
from .probe import Probe
from .words import answer, figure

_AGAIN = "call labkit.why before backward(), or labkit.why(lambda: ..., w), which computes the loss once more."
WALKED = (
    "backward() has freed the tensors that the graph saved, so another backward() on this loss, or on one that shares the graph,"
    ' raises an error ("Trying to backward through the graph a second time").'
)
_REMAINS = "Possible causes:"
_EMPTIED = (
    ".grad was set to zero, by a hook or after backward(): filled with zeros, or clipped with a max_norm of nearly 0"
)
OVERWRITTEN = "The graph no longer computes this loss: some of its tensors were overwritten through .data or .numpy()."
_CHANGED = "the weights were overwritten after backward(), and with the old weights the gradient was zero"
_UNSEEN = "a tensor that the graph saved was overwritten before backward() through .data or .numpy()"
_SMALLER = ".grad was scaled down, by a hook or after backward(): clipped, or divided"

_NO_GRAD = (
    ".grad was set to None after backward(): zero_grad() does that",
    "backward() ran on another loss, or in an earlier step, and this loss shares that graph: add the losses, pass"
    " retain_graph=True to the first backward(), or detach the state that is carried from step to step",
    "torch.autograd.grad returned the gradient, or backward(inputs=...) filled only the .grad of other tensors",
    "backward() raised an error before it reached the tensor",
)
# ops that end a gradient, or make nan of it, which are not functions of one number: what may be the case there
_PRODUCTS = ("mul", "mm", "addmm", "bmm", "baddbmm", "mv", "dot", "convolution", "addcmul", "prod")
_CHOOSING = (
    "max", "min", "amax", "amin", "maximum", "minimum", "where", "gather", "index", "index_select", "select", "slice", "topk",
    "masked_select", "embedding", "median", "sort", "max_pool1d", "max_pool2d_with_indices", "max_pool2d",
    "getitem", "take",
)  # fmt: skip
_SHARP = {
    "div": "divides by 0", "truediv": "divides by 0", "pow": "takes a power of 0 whose slope is infinite",
    "linalg_vector_norm": "takes the norm of zeros", "norm": "takes the norm of zeros",
    "std": "takes the standard deviation of equal numbers",
    "cdist": "takes the distance from a point to itself", "softmax": "receives a row that contains only −inf",
    "log_softmax": "receives a row that contains only −inf",
}  # fmt: skip


def of_walked(reading: Any, standing: Any, more: str = "") -> Why:
    """What can still be said of a `reading` whose graph was freed, and of the `standing` gradient in `.grad`; `more` is added if
    that is zero or not finite."""
    array = standing.array
    if array is None and not standing.leaf:
        said = "The tensor is the result of an op, and .grad is kept only for leaves."
        return answer(
            "None", "not a leaf", [said, WALKED], standing.where, "call retain_grad() on it before backward()."
        )
    if array is None:
        return answer("None", "already walked", [WALKED, ".grad is None.", _REMAINS], None, _AGAIN, _NO_GRAD)
    if not finite(array):
        return _answer("nan", [_not_finite(array), standing.hook, more], _nan_ways(reading))
    size = largest(array)
    said = "The largest entry of .grad is {size}.".format(size=figure(size))
    if size and size >= SMALL:
        more = "" if finite(reading.numbers(reading.loss)) else "But the loss itself is not finite."
        return answer("healthy", "", [said, WALKED, more], None, _AGAIN)
    if size:
        ways = [*_ways(reading, ("saturated",)), *_cancelling(reading), *_coarse(reading), _SMALLER]
        return _answer("small", [said, standing.hook], ways)
    flat = _flat_everywhere(reading)
    if flat is not None:
        op, place = reading.named(flat)
        said = "The derivative of {op} is 0 everywhere, and every path leads through it.".format(op=op)
        return answer("zero", f"flat {op}", [said], place, "replace its gradient with a straight-through estimator.")
    ways = [*_ways(reading, ("flat", "dead", "saturated")), *_others(reading), *_cancelling(reading), *_coarse(reading)]
    if more:
        return _answer("zero", [said, standing.hook, more], [_UNSEEN, _EMPTIED, _CHANGED])
    return _answer("zero", [said, standing.hook], [*ways, _EMPTIED, _UNSEEN])


def _answer(what, said, ways):
    return answer(what, "already walked", [*said, WALKED, _REMAINS if ways else ""], None, _AGAIN, ways)


def _not_finite(array):
    values = plain(array)
    bad = np.sum(~np.isfinite(values))
    return "{count} of the {all} entries of .grad are not finite.".format(count=bad, all=values.size)


def unseen(reading: Any, said: Why) -> Why:
    """An answer where the loss is not finite and nothing shows which op made it so: with what may have."""
    ways = _nan_ways(reading)[:-1]
    if not ways:
        return said
    text, _, step = said.text.partition("\nNext: ")
    return answer(said.what, said.cause, [text.partition(". ")[2], _REMAINS], None, step, ways)


# ---- possible causes on the path ----

_STEEP = "{op} receives a number at which its derivative is not finite, such as 0 or a negative one"
_WORDS = {
    "flat": "the derivative of {op} is 0 everywhere",
    "dead": "the derivative of {op} is 0 for every entry that counts",
    "saturated": "{op} is saturated: its input is so large that its derivative is almost 0",
}


def _way(reading):
    """`(node, op, probe)` of the ops between the loss and the tensor, the last one first."""
    nodes = [n for n in reversed(reading.order) if n in reading.leading and n is not reading.target]
    return [(node, reading.named(node)[0], reading.alone(node)) for node in nodes]


def _counted(ops):
    return [f"{op} (× {count})" if count > 1 else op for op, count in Counter(ops).items()]


def _ways(reading, words):
    """The ops whose derivative is 0 somewhere."""
    found = [(op, _flat_word(probe)) for _, op, probe in _way(reading) if probe is not None]
    return [_WORDS[word].format(op=op) for word in words for op in _counted(o for o, w in found if w == word)]


def _flat_word(probe: Probe):
    return {"step": "flat", "bent": "dead", "squashing": "saturated"}.get(probe.kind, "")


def _others(reading):
    """That something is multiplied by zeros, not selected, or overwritten."""
    ops = [op for _, op, _ in _way(reading)]
    kinds = {
        "the other factor in {} is zero": _PRODUCTS,
        "{} selected other entries, or none": _CHOOSING,
        "{} overwrote its values": OVERWRITING,
    }
    found = {said: [*dict.fromkeys(op for op in ops if op in names)] for said, names in kinds.items()}
    return [said.format(", ".join(names)) for said, names in found.items() if names]


def _cancelling(reading):
    """That contributions cancel: in an op that removes the part shared by all entries, or where several uses add up."""
    ops = [
        *dict.fromkeys(
            op for _, op, _ in _way(reading) if any(word in op for word in ("softmax", "norm", "std", "var"))
        )
    ]
    nodes = Counter(way.node for node in reading.leading for way in reading.ways(node) if way.node in reading.leading)
    found = ["the gradients of several uses cancel, as in x - x.mean()"] if max(nodes.values(), default=0) > 1 else []
    narrow = ["{op} is saturated: one entry of each row is almost 1".format(op=op) for op in ops if "softmax" in op]
    alike = "the upstream gradient is the same for all entries, or there is only one entry, and {} removes that part"
    return [*narrow, *([alike.format(", ".join(ops))] if ops else []), *found]


def _coarse(reading):
    """That it underflows in the dtype of an op on the path."""
    half = any(reading.dtype_at(node) == "float16" for node, _, _ in _way(reading))
    return ["the gradient underflows in float16, in which a part of this is computed"] if half else []


def _nan_ways(reading):
    """Where a slope or a result may not be finite."""
    found = []
    for _, op, probe in _way(reading):
        if probe is None and op in _SHARP:
            found.append(f"{op} {_SHARP[op]}")
        elif probe is not None and not (np.isfinite(probe.slopes).all() and np.isfinite(probe.values).all()):
            found.append(_STEEP.format(op=op))
        elif probe is not None and probe.grows:
            found.append("{op} receives a number so large that it overflows".format(op=op))
    start = "the loss itself is not finite: a nan or infinity in the data or the weights, or an overflow"
    return [*dict.fromkeys(found), *([] if finite(reading.numbers(reading.loss)) else [start])]


def _flat_everywhere(reading):
    """The last op whose derivative is 0 everywhere, if every path leads through such an op; else None."""
    flat, passing = [node for node, _, probe in _way(reading) if probe is not None and probe.kind == "step"], set()
    for node in reading.order:
        if node is reading.target or any(way.node in passing for way in reading.ways(node) if node not in flat):
            passing.add(node)
    return flat[0] if flat and reading.end not in passing else None
