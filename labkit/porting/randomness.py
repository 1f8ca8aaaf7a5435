"""Modules that use random numbers: found by running twice, switched off, and compared by the statistics of their output."""

from collections.abc import Callable

import numpy as np

from .rows import Both, Compared
from .runs import Call, Run

_ALWAYS = "{framework}'s {title} draws random numbers in {mode} mode too, so the values after it cannot agree."
_SPREAD = (
    "{torch} and {mindspore} draw random numbers in training: labkit compares them for an input of ones ({numbers})."
)
_NOT_COMPARED = "Random numbers of {torch} (PyTorch) and {mindspore} (MindSpore) are not compared."


def quieted(side, run: Callable[[], Run], mode: str, notes: list[str]) -> tuple[Run, set[str]]:
    """A run in which no module draws, and the paths of those that did; they and all of their class are in evaluation mode."""
    found: set[str] = set()
    classes: set[str] = set()
    while True:
        one, two = run(), run()
        call = None if one.error or two.error else _drawing(one, two)
        if call is None:
            return one, found
        part = side.parts[call[0]]
        if part.kind in classes or mode == "eval":
            notes.append(_ALWAYS.format(framework=side.framework, title=part.title, mode=mode))
            return one, found
        found.add(part.path)
        classes.add(part.kind)
        for other in side.parts.values():
            if other.kind == part.kind:
                other.module.training = False


def drawn_rows(both: Both, drawing: tuple[set[str], set[str]], notes: list[str]) -> list[Compared]:
    """A row for each pair of modules of which one draws, and one where only one of the models has any."""
    classes = [{side.parts[path].kind for path in paths} for side, paths in zip(both.sides, drawing, strict=True)]
    rows, told = [], set[tuple[str, str]]()
    for calls in both.calls.items():
        parts = [side.parts[call[0]] for side, call in zip(both.sides, calls, strict=True)]
        key = parts[0].path, parts[1].path
        draws = any(part.kind in known for part, known in zip(parts, classes, strict=True))
        if draws and key not in told and all(part.leaf for part in parts) and _floating(both, calls):
            told.add(key)
            rows.append(_spread_row(both, calls, parts, notes))
    return rows + _alone(both, drawing, told, notes)


def _floating(both, calls):
    values = both.runs[0].values("input", calls[0])
    return values and values[0].dtype.kind == "f"


def _spread_row(both, calls, parts, notes):
    spreads = _spreads(both, calls)
    said = "zeros {:.0%} | {:.0%}, mean {:.3g} | {:.3g}".format(*(s[0, i] for i in (0, 1) for s in spreads))
    notes.append(_SPREAD.format(torch=parts[0].title, mindspore=parts[1].title, numbers=said))
    return both.row("random numbers", calls, said=said if _apart(*spreads) else "", end=True)


def _alone(both, drawing, told, notes):
    """What draws random numbers on one side only."""
    left = []
    for side, paths, paired in zip(both.sides, drawing, zip(*told, strict=True) if told else ((), ()), strict=True):
        kinds = {side.parts[path].kind for path in paired}
        left.append([side.parts[path] for path in sorted(paths) if side.parts[path].kind not in kinds])
    if bool(left[0]) == bool(left[1]):
        if left[0]:
            ours, theirs = (", ".join(part.title for part in parts) for parts in left)
            notes.append(_NOT_COMPARED.format(torch=ours, mindspore=theirs))
        return []
    has = 0 if left[0] else 1
    part = left[has][0]
    said = ("sampled in PyTorch, but not in MindSpore", "sampled in MindSpore, but not in PyTorch")[has]
    row = Compared("random numbers", "", "", both.mode, said=said, end=True)
    if has == 0:
        row.torch, row.kinds = part.path, (part.kind, "")
    else:
        row.mindspore, row.kinds = part.path, ("", part.kind)
    return [row]


def same_spread(both: Both, calls: tuple[Call, Call]) -> bool:
    """Whether two modules, in training, give statistically equal outputs for ones."""
    return not _apart(*_spreads(both, calls))


def _spreads(both, calls):
    like = both.runs[0].values("input", calls[0])[0]
    return [_spread(side, call[0], like) for side, call in zip(both.sides, calls, strict=True)]


def _spread(side, path, like):
    """The share of zeros, the mean and the mean square of a module's output for ones in training, with standard errors."""
    module, ones = side.parts[path].module, np.ones_like(like)
    before, module.training = module.training, True
    try:
        with side.unrecorded():
            count = int(np.clip(np.ceil(20_000 / max(ones.size, 1)), 1, 400))
            drawn = [side.array(side.leaves(module(side.tensor(ones)))[0]).ravel() for _ in range(count)]
    finally:
        module.training = before
    values = np.concatenate(drawn).astype(float)
    features = np.stack([values == 0, values, values**2])
    return np.stack([features.mean(1), features.std(1) / np.sqrt(values.size)])


def _apart(one, two):
    """Whether two spreads are further apart than six standard errors."""
    errors = np.sqrt(one[1] ** 2 + two[1] ** 2) + 1e-6
    return bool((np.abs(one[0] - two[0]) > 6 * errors).any())


def _drawing(one, two):
    """The innermost call that gave something else the second time, for the same input; None if there is none."""
    open_now: list[Call] = []
    for a, b in zip(one.events, two.events, strict=False):
        if a.call != b.call or a.kind != b.kind:
            return open_now[-1] if open_now else a.call
        changed = any(not _alike(x, y) for x, y in zip(a.values, b.values, strict=False))
        if a.kind == "input":
            if changed:
                return open_now[-1] if open_now else a.call
            open_now.append(a.call)
        else:
            open_now.remove(a.call)
            if changed:
                return a.call
    return None


def _alike(x, y):
    if x.shape != y.shape:
        return False
    if x.dtype.kind != "f":
        return np.array_equal(x, y)
    size = np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
    return np.allclose(x, y, rtol=1e-3, atol=1e-5 * size, equal_nan=True)
