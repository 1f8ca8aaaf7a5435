"""Where in an array the wrong elements are, and results that are wrong as a whole: nan, always the same, nearly right."""

from collections.abc import Iterator

import numpy as np

from ..closeness import Case, Reason, near, numbers, shape, tolerance

NEARLY = 0.02


def at_elements(names: tuple[str, ...], cases: list[Case]) -> Reason | None:
    """The places that are wrong in every one of `cases`, where they have something in common and others are right."""
    masks = [_wrong(case) for case in cases]
    if any(mask is None or mask.size < 2 for mask in masks) or any(mask.all() for mask in masks):
        return None
    for words, place in _places(names, cases[0].inputs):
        if all(_is(place, case, mask) for case, mask in zip(cases, masks, strict=True)):
            return Reason("some-elements", f"is right but for {words}")
    return None


def _wrong(case):
    e, g = numbers(case.right), numbers(case.got)
    if e is None or g is None or e.shape != g.shape or not e.ndim:
        return None
    with np.errstate(all="ignore"):
        scale = np.max(np.abs(e), initial=0.0, where=np.isfinite(e))
        return ~((np.abs(e - g) <= tolerance(case.right, case.got) * scale) | (e == g) | (np.isnan(e) & np.isnan(g)))


def _is(place, case, mask):
    try:
        with np.errstate(all="ignore"):
            found = np.broadcast_to(place(case.inputs, numbers(case.right), numbers(case.got)), mask.shape)
    except (TypeError, ValueError, IndexError):
        return False
    return np.array_equal(found, mask)


def _along(shape, at, but=False):
    mask = np.zeros(shape, bool)
    mask[at] = True
    return ~mask if but else mask


def _places(names, inputs) -> Iterator[tuple]:
    yield "the first element", lambda i, r, g: _along(r.shape, (0,) * r.ndim if r.ndim == 1 else 0)
    yield "the last element", lambda i, r, g: _along(r.shape, -1)
    yield "all elements after the first", lambda i, r, g: _along(r.shape, 0, but=True)
    yield "all elements before the last", lambda i, r, g: _along(r.shape, -1, but=True)
    yield "the first and the last element", lambda i, r, g: _along(r.shape, 0) | _along(r.shape, -1)
    yield "all elements between the first and the last", lambda i, r, g: ~(_along(r.shape, 0) | _along(r.shape, -1))
    yield "the elements that have to be 0", lambda i, r, g: r == 0
    yield "the elements that do not have to be 0", lambda i, r, g: r != 0
    yield "the elements of the diagonal", lambda i, r, g: np.eye(*r.shape) == 1
    yield "the elements outside of the diagonal", lambda i, r, g: np.eye(*r.shape) == 0
    yield (
        "elements that are 0 where they should not be",
        lambda i, r, g: (g == 0) & (r != 0),
    )
    yield "elements that are nan or inf", lambda i, r, g: ~np.isfinite(g)
    for k, name in enumerate(names):
        if shape(inputs[k]):
            yield f"the elements where {name} is negative", lambda i, r, g, k=k: numbers(i[k]) < 0
            yield f"the elements where {name} is positive", lambda i, r, g, k=k: numbers(i[k]) > 0
            yield f"the elements where {name} is 0", lambda i, r, g, k=k: numbers(i[k]) == 0
            yield f"the elements where {name} is not 0", lambda i, r, g, k=k: numbers(i[k]) != 0


def always_the_same(cases: list[Case]) -> Reason | None:
    """One result for all inputs, where the right one changes."""
    pairs = [(numbers(case.right), numbers(case.got)) for case in cases]
    if len(pairs) < 3 or any(r is None or g is None for r, g in pairs) or near(pairs[0][0], pairs[1][0]):
        return None
    if np.isfinite(pairs[0][1]).all() and all(near(pairs[0][1], g) for _, g in pairs):
        return Reason("always-the-same", "is one and the same wherever it is wrong. What does it not use there?")
    return None


def coarse(cases: list[Case]) -> Reason | None:
    """A word for results that are wrong as a whole."""
    pairs = [(numbers(case.right), numbers(case.got)) for case in cases]
    if any(r is None or g is None or r.shape != g.shape for r, g in pairs):
        return None
    if all(np.isfinite(r).all() and not np.isfinite(g).all() for r, g in pairs):
        return Reason(
            "not-finite",
            "has nan or inf in it, where there should be numbers. Is there a division by 0, or an overflow?",
        )
    with np.errstate(all="ignore"):
        off = [np.max(np.abs(r - g), initial=0.0) / max(np.max(np.abs(r), initial=0.0), 1e-300) for r, g in pairs]
    if len(pairs) > 1 and max(off) <= NEARLY:
        return Reason(
            "nearly",
            "is close to the right one, within 2 %, but not equal. Is something small added, or only approximated?",
        )
    if len(pairs) > 2:
        if all(np.array_equal(np.abs(g), np.floor(np.abs(g))) and not np.array_equal(r, np.floor(r)) for r, g in pairs):
            return Reason(
                "whole-numbers", "has whole numbers only, wherever it is wrong. Is something rounded or cut on the way?"
            )
        if all(near(np.abs(r), np.abs(g)) for r, g in pairs):
            return Reason("some-signs", "has the right sizes, but some of the signs are wrong")
    return None
