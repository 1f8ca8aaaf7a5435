"""The answer where backward() has let go what a tape had saved: what stands in `.grad`, and what may have made it so."""

from collections import Counter
from typing import Any

import numpy as np

from .answer import Why
from .examining import OVERWRITING, SMALL
from .flow import finite, largest, plain
from .probe import Probe
from .words import answer, figure

_AGAIN = "ask before backward(), or with labkit.why(lambda: ..., w), which computes the loss once more."
WALKED = (
    "The graph has been walked and what it had saved was freed, so backward() on this loss, or on another that shares the graph,"
    ' raises an error ("Trying to backward through the graph a second time").'
)
_REMAINS = "It remains possible that:"
_EMPTIED = "it was emptied, by a hook or after backward(): filled with zeros, or clipped by a max_norm of nearly 0"
OVERWRITTEN = (
    "The loss is not what the graph gives of its numbers now: some of them were overwritten through .data or .numpy()."
)
_CHANGED = "the weights were overwritten after backward(), and the gradient was zero with those that they had before"
_UNSEEN = "what the graph had saved was overwritten before backward() through .data or .numpy()"
_SMALLER = "it was made smaller, by a hook or after backward(): clipped, or divided"

_NO_GRAD = (
    "it was set to None after backward(): zero_grad() does that",
    "another loss, or an earlier step, was walked, and this loss shares its graph: add the losses, pass retain_graph=True to the"
    " first backward(), or detach what is carried from step to step",
    "the gradient went elsewhere: torch.autograd.grad returns it, backward(inputs=...) fills those named alone",
    "backward() stopped with an error before it got there",
)
# ops that end a gradient, or make nan of it, which are no functions of one number: what may be the case there
_PRODUCTS = ("mul", "mm", "addmm", "bmm", "baddbmm", "mv", "dot", "convolution", "addcmul", "prod")
_CHOOSING = (
    "max", "min", "amax", "amin", "maximum", "minimum", "where", "gather", "index", "index_select", "select", "slice", "topk",
    "masked_select", "embedding", "median", "sort", "max_pool1d", "max_pool2d_with_indices", "max_pool2d",
    "getitem", "take",
)  # fmt: skip
_SHARP = {
    "div": "divides by 0", "truediv": "divides by 0", "pow": "takes a power of 0 whose slope is infinite",
    "linalg_vector_norm": "takes the norm of zeros", "norm": "takes the norm of zeros",
    "std": "takes the spread of equal numbers",
    "cdist": "takes the distance of a point to itself", "softmax": "is given a row of −inf alone",
    "log_softmax": "is given a row of −inf alone",
}  # fmt: skip


def of_walked(reading: Any, standing: Any, more: str = "") -> Why:
    """What can still be told of a `reading` that cannot be walked any more, and of what is `standing` in `.grad`; `more` is said
    where that is zero or not finite."""
    array = standing.array
    if array is None and not standing.leaf:
        said = "The tensor is a result, and .grad is kept for leaves alone."
        return answer(
            "None", "not a leaf", [said, WALKED], standing.where, "call retain_grad() on it before backward()."
        )
    if array is None:
        return answer("None", "already walked", [WALKED, "Nothing stands in .grad.", _REMAINS], None, _AGAIN, _NO_GRAD)
    if not finite(array):
        return _answer("nan", [_not_finite(array), standing.hook, more], _nan_ways(reading))
    size = largest(array)
    said = f"The largest entry of .grad is {figure(size)}."
    if size and size >= SMALL:
        more = "" if finite(reading.numbers(reading.loss)) else "But the loss itself is not finite."
        return answer("healthy", "", [said, WALKED, more], None, _AGAIN)
    if size:
        ways = [*_ways(reading, ("saturated",)), *_cancelling(reading), *_coarse(reading), _SMALLER]
        return _answer("small", [said, standing.hook], ways)
    flat = _flat_everywhere(reading)
    if flat is not None:
        op, place = reading.named(flat)
        said = f"{op} is flat wherever it is defined, and every way back leads through it."
        return answer(
            "zero", f"flat {op}", [said], place, "replace it on the way back by a straight-through estimator."
        )
    ways = [*_ways(reading, ("flat", "dead", "saturated")), *_others(reading), *_cancelling(reading), *_coarse(reading)]
    if more:
        return _answer("zero", [said, standing.hook, more], [_UNSEEN, _EMPTIED, _CHANGED])
    return _answer("zero", [said, standing.hook], [*ways, _EMPTIED, _UNSEEN])


def _answer(what, said, ways):
    return answer(what, "already walked", [*said, WALKED, _REMAINS if ways else ""], None, _AGAIN, ways)


def _not_finite(array):
    values = plain(array)
    return f"{np.sum(~np.isfinite(values))} of the {values.size} entries of .grad are not finite."


def unseen(reading: Any, said: Why) -> Why:
    """An answer where the loss is not finite and nothing shows which op made it so: with what may have."""
    ways = _nan_ways(reading)[:-1]
    if not ways:
        return said
    text, _, step = said.text.partition("\nNext: ")
    return answer(said.what, said.cause, [text.partition(". ")[2], _REMAINS], None, step, ways)


# ---- what may be the case on the way ----

_WORDS = {
    "flat": "{op} is flat wherever it is defined",
    "dead": "{op} is on its flat side with every number that counts",
    "saturated": "{op} is saturated: what goes in is so large that its slope is next to 0",
}


def _way(reading):
    """`(node, op, probe)` of the ops between the loss and the tensor, the last one first."""
    nodes = [n for n in reversed(reading.order) if n in reading.leading and n is not reading.target]
    return [(node, reading.named(node)[0], reading.alone(node)) for node in nodes]


def _counted(ops):
    return [f"{op} ({count} of them)" if count > 1 else op for op, count in Counter(ops).items()]


def _ways(reading, words):
    """That ops with a flat end are there."""
    found = [(op, _flat_word(probe)) for _, op, probe in _way(reading) if probe is not None]
    return [_WORDS[word].format(op=op) for word in words for op in _counted(o for o, w in found if w == word)]


def _flat_word(probe: Probe):
    return {"step": "flat", "bent": "dead", "squashing": "saturated"}.get(probe.kind, "")


def _others(reading):
    """That something is multiplied by zeros, not chosen, or overwritten."""
    ops = [op for _, op, _ in _way(reading)]
    kinds = {
        "what it is multiplied with is zero, in": _PRODUCTS,
        "others were chosen, or none, by": _CHOOSING,
        "other values were put in its place, by": OVERWRITING,
    }
    found = {said: [*dict.fromkeys(op for op in ops if op in names)] for said, names in kinds.items()}
    return [f"{said} {', '.join(names)}" for said, names in found.items() if names]


def _cancelling(reading):
    """That parts of it come to nothing: in an op that takes out what is alike for all, or where several uses meet."""
    ops = [
        *dict.fromkeys(
            op for _, op, _ in _way(reading) if any(word in op for word in ("softmax", "norm", "std", "var"))
        )
    ]
    nodes = Counter(way.node for node in reading.leading for way in reading.ways(node) if way.node in reading.leading)
    found = (
        ["ways that part and meet again cancel out, as in x - x.mean()"] if max(nodes.values(), default=0) > 1 else []
    )
    narrow = [f"{op} is saturated: one entry of each row takes it all" for op in ops if "softmax" in op]
    alike = "what arrives is alike for all entries, or there is one alone, and {} takes that out"
    return [*narrow, *([alike.format(", ".join(ops))] if ops else []), *found]


def _coarse(reading):
    """That it is too small for the dtype of an op on the way."""
    half = any(reading.dtype_at(node) == "float16" for node, _, _ in _way(reading))
    return ["it is too small for float16, in which a part of this is computed"] if half else []


def _nan_ways(reading):
    """Where a slope or a result may not be finite."""
    found = []
    for _, op, probe in _way(reading):
        if probe is None and op in _SHARP:
            found.append(f"{op} {_SHARP[op]}")
        elif probe is not None and not (np.isfinite(probe.slopes).all() and np.isfinite(probe.values).all()):
            found.append(f"{op} is given a number where its slope is not finite, such as 0 or one below it")
        elif probe is not None and probe.grows:
            found.append(f"{op} is given a number so large that it overflows")
    start = "the loss itself is not finite: a number in the data or the weights, or one that grew too large"
    return [*dict.fromkeys(found), *([] if finite(reading.numbers(reading.loss)) else [start])]


def _flat_everywhere(reading):
    """An op that is flat wherever one looks, where no way back goes past such ones; or None."""
    flat = {node for node, _, probe in _way(reading) if probe is not None and probe.kind == "step"}
    seen, stack = set(), [reading.end]
    while stack:
        node = stack.pop()
        if node is reading.target:
            return None
        if node in flat or node in seen or node not in reading.leading:
            continue
        seen.add(node)
        stack += [way.node for way in reading.ways(node) if way.node is not None]
    return next((node for node in reversed(reading.order) if node in flat), None)
