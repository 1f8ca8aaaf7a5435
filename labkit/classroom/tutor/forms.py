"""Right numbers in a form that was not asked for: a list for a tuple, an axis too many, one part alone."""

from typing import Any

import numpy as np

from ...evidence import is_tensor, plain_data
from ..closeness import Reason, agree, near, numbers, parts, sure


def formed(right: Any, got: Any) -> Reason | None:
    """What is wrong with the form, where the numbers, or those of a part, are right. Both values as they came."""
    for look in (_not_called, _among, _wrapped, _axes, _kept):
        if reason := look(right, got):
            return reason
    return None


def _not_called(right, got):
    if callable(got) and not isinstance(got, type) and not is_tensor(got):
        return Reason("not-called", "You return a function. Call it, and return its result.")
    return None


def _is_sequence(value):
    return isinstance(value, (tuple, list))


def _among(right, got):
    """Parts of the right answer that are left out, or something too many next to it."""
    if _is_sequence(right) and len(right) > 1:
        came = list(plain_data(got)) if _is_sequence(got) else [plain_data(got)]
        if len(came) < len(right) and (kept := _places(plain_data(right), came)):
            words = f"{len(came)} of {len(right)} parts"
            return Reason("left-out", f"You return {words}, and they are right. Add the rest.")
        if len(right) < len(came) < 100 and (kept := _places(came, list(plain_data(right)))):
            over = [i for i in range(len(came)) if i not in kept]
            return Reason(
                "too-many",
                f"Your result contains the right parts, but also {_items(over)}. Leave {'it' if len(over) == 1 else 'them'} out.",
            )
    if not _is_sequence(right) and _is_sequence(got) and len(got) > 1:
        return _too_many(plain_data(right), plain_data(got))
    return None


def _too_many(right, got):
    at = [i for i, item in enumerate(got) if agree(right, item)]
    if len(at) == 1:
        return Reason("too-many", f"Item [{at[0]}] of your result is the right answer. Return only this item.")
    items = [numbers(item) for item in got]
    if any(item is None for item in items):
        return None
    if near(right, sure(np.add.reduce, items)):
        return Reason("not-joined", "The parts are right, but they are not added up. Return one result.")
    return None


def _places(whole, some):
    """Where the items of `some` are in `whole`, in their order; nothing where one of them is not there."""
    found, start = [], 0
    for item in some:
        at = next((i for i in range(start, len(whole)) if agree(whole[i], item)), None)
        if at is None:
            return []
        found.append(at)
        start = at + 1
    return found


def _items(places):
    return "part " + " and ".join(f"[{i}]" for i in places)


def _wrapped(right, got):
    depth, inner = 0, got
    while _is_sequence(inner) and len(inner) == 1:
        depth, inner = depth + 1, inner[0]
    if depth and not _is_sequence(right) and agree(plain_data(right), plain_data(inner)):
        return Reason(
            "wrapped", f"The value is right, but it is still inside a {type(got).__name__}. Return the value itself."
        )
    flat, asked = ([value for _, value in parts(plain_data(one))] for one in (got, right))
    if _is_sequence(right) and agree(asked, flat) and not agree(plain_data(right), plain_data(got)):
        return Reason("nested-otherwise", "The values are right, but they are not grouped as the question asks.")
    return None


def _axes(right, got):
    """The same numbers in another shape, summed too far or not far enough: for two arrays."""
    r, g = (None if _is_sequence(v) else numbers(plain_data(v)) for v in (right, got))
    if r is None or g is None or r.shape == g.shape or not r.size or not g.size:
        return None
    if near(r, g.reshape(r.shape)) if r.size == g.size else False:
        squeezed = r.squeeze().shape == g.squeeze().shape
        words = (
            "with an extra or a missing axis of length 1" if squeezed else "not in the shape that the question asks for"
        )
        return Reason("axis" if squeezed else "laid-out", f"The numbers are right, but they are {words}.")
    if r.size == g.size and g.ndim == r.ndim and near(r, g.T):
        return Reason("transposed", "The numbers are right, but rows and columns are exchanged.")
    return _reduced(r, g)


def _reduced(r, g):
    for name, take in (("sum", np.sum), ("mean", np.mean)):
        if r.ndim and near(take(r), g.reshape(()) if g.size == 1 else g):
            return Reason(
                "reduced", f"You give one number, the {name} of the right result. Return the elements themselves."
            )
        for axis in range(r.ndim if r.ndim > 1 else 0):
            if near(take(r, axis), g):
                return Reason(
                    "reduced", f"An axis is missing: you return the {name} of the right result along axis {axis}."
                )
        for axis in (None, *range(g.ndim)):
            if near(r, take(g, axis)) or (r.ndim == g.ndim and near(r, take(g, axis, keepdims=True))):
                which = "all axes" if axis is None else f"axis {axis}"
                return Reason("not-reduced", f"A step is missing at the end: the {name} over {which} of your result.")
    return None


def _kept(right, got):
    """Only the form of one part of a tuple is wrong."""
    if not (_is_sequence(right) and _is_sequence(got) and len(right) == len(got)):
        return None
    for i, (r, g) in enumerate(zip(right, got, strict=True)):
        if not agree(plain_data(r), plain_data(g)) and (reason := formed(r, g)):
            return Reason(reason.kind, f"In part [{i}]: {reason.sentence}")
    return None
