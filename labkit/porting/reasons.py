"""Reasons for a difference that are established: each was tried, and with it the two agree."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import permutations

import numpy as np

from ..ops import FUNCTIONS
from .alone import Bench
from .layouts import layouts
from .rounding import Difference

_PLAIN = (bool, int, float, str)
_FEW = 24  # orders of parameters that are tried


def settings(side, module) -> dict:
    """The public attributes of a module that are plain: numbers, texts, and tuples of them."""
    usual = side.usual_attributes()
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in usual and _is_plain(value)
    }



def _is_plain(value):
    if isinstance(value, (tuple, list)):
        return bool(value) and all(isinstance(v, (int, float)) for v in value)
    return isinstance(value, _PLAIN)


def same_name(a: str, b: str) -> bool:
    """Whether two names of settings are one, or one begins with the other: `eps` and `epsilon`, `groups` and `group`."""
    return a == b or (min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a)) and "_" not in a.replace(b, "") + b.replace(a, ""))


def differing(ours: dict, theirs: dict) -> list[str]:
    """The settings that both have under one name with different values, then those that only one has and that say something."""
    found, seen = [], set()
    for name, value in ours.items():
        other = next((n for n in [name, *theirs] if n in theirs and same_name(name, n)), None)
        if other is not None:
            seen.add(other)
            if not _equal(value, theirs[other]):
                title = name if name == other else f"{name}, {other}"
                found.append(f"{title}: {value!r} | {theirs[other]!r}")
        elif isinstance(value, (float, str)):
            found.append(f"{name}: {value!r} | -")
    return found + [f"{name}: - | {v!r}" for name, v in theirs.items() if name not in seen and isinstance(v, (float, str))]


def _equal(a, b):
    if isinstance(a, (tuple, list)) or isinstance(b, (tuple, list)):
        one, two = (set(v) if isinstance(v, (tuple, list)) else {v} for v in (a, b))
        return one == two if 1 in (len(one), len(two)) else tuple(a) == tuple(b)
    return a == b


def tried_settings(bench: Bench, agrees: Callable[[], bool]) -> str:
    """The setting of one module with which, given the other's value, the two agree; "" if there is none."""
    sides = bench.sides
    known = [settings(side, module) for side, module in zip(sides, bench.modules, strict=True)]
    for near in (True, False):
        for place in (1, 0):
            for name, value in known[place].items():
                for other, wanted in known[1 - place].items():
                    if same_name(name, other) is not near:
                        continue
                    for candidate in _forms(wanted, value):
                        with _set(bench.modules[place], name, candidate) as done:
                            if done and _holds(agrees):
                                return (
                                    f"with {name}={candidate!r} in {sides[place].framework}'s module (it has {value!r}; "
                                    f"{sides[1 - place].framework}'s has {other}={wanted!r}) the two agree"
                                )
    return ""


def _forms(wanted, value) -> Iterator:
    """Values that a setting may take from one of the other module: as it is, as its complement, per axis."""
    forms = [wanted]
    if isinstance(wanted, float) and 0 <= wanted <= 1:
        forms.append(round(1 - wanted, 12))
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        forms.append((wanted, wanted))
    if isinstance(wanted, (tuple, list)):
        forms += [wanted[0], tuple(wanted[::2]), tuple(n for n in wanted for _ in range(2))]
    if isinstance(wanted, str):
        forms.append(wanted.lower())
    for form in forms:
        if type(form) is not bool and isinstance(form, int) and isinstance(value, float):
            form = float(form)
        alike = isinstance(form, type(value)) or isinstance(value, (int, tuple, str)) and isinstance(form, (int, tuple, str))
        if alike and isinstance(form, bool) == isinstance(value, bool) and form != value:
            yield form


@contextmanager
def _set(module, name, value):
    """While open, the attribute has this value, if it takes it; tells whether it does."""
    before = vars(module)[name]
    try:
        setattr(module, name, value)
        done = True
    except Exception:
        done = False
    try:
        yield done
    finally:
        vars(module)[name] = before


def _holds(agrees):
    try:
        return agrees()
    except Exception:  # a value that this module cannot work with
        return False


def tried_weights(bench: Bench, pair) -> str:
    """What MindSpore's module would have to hold to agree: a transposed weight, parameters exchanged, none of what is left over."""
    ours, theirs = bench.sides
    for x, y, layout in pair.held:
        for way in layouts(x.shape, y.shape):
            if way.name != layout.name and _agrees_with(bench, [(theirs, y, way.carry(ours.array(x.tensor)))]):
                how = way.name or "as it is"
                return f"with its {y.name} {how} MindSpore's module agrees"
    for held, side in ((pair.torch_only, ours), (pair.mindspore_only, theirs)):
        for h in held:
            for neutral in (0.0, 1.0):
                if _agrees_with(bench, [(side, h, np.full(h.shape, neutral, np.float32))]):
                    return f"with a {h.name} of {neutral:g} in {side.framework}'s module, which the other has not, the two agree"
    return _exchanged(bench, pair)


def _exchanged(bench, pair):
    alike: dict[tuple, list] = {}
    for x, y, layout in pair.held:
        if not layout.name:
            alike.setdefault(x.shape, []).append((x, y))
    for group in alike.values():
        for order in list(permutations(range(len(group))))[1:_FEW]:
            changes = [(bench.sides[1], y, bench.sides[0].array(group[i][0].tensor)) for i, (_, y) in zip(order, group, strict=True)]
            if _agrees_with(bench, changes):
                moved = [f"{y.name} from {group[i][0].name}" for i, (_, y) in zip(order, group, strict=True) if group[i][1] is not y]
                return f"with {', '.join(moved)} MindSpore's module agrees"
    return ""


def _agrees_with(bench, changes):
    """Whether the two agree while parameters hold other numbers."""
    kept = [(side, h, side.array(h.tensor)) for side, h, _ in changes]
    try:
        for side, h, array in changes:
            side.put(h.tensor, array)
        return _holds(bench.agrees)
    finally:
        for side, h, array in kept:
            side.put(h.tensor, array)


def relation(found: Difference, before: list[np.ndarray]) -> str:
    """How two arrays are related, or each to one that both models had before; "" if no relation holds for every number."""
    a, b = (np.asarray(v, float) for v in (found.torch, found.mindspore))
    if a.size < 2:
        return ""
    if a.size == b.size and not np.array_equal(a.ravel(), b.ravel()) and _near(np.sort(a.ravel()), np.sort(b.ravel()), found):
        return "both hold the same numbers, in another order"
    if not found.same_shape:
        return ""
    for x in before[::-1]:
        names = [_function_of(np.asarray(x, float), v, found) for v in (a, b)] if x.shape == a.shape else []
        if len(names) == 2 and all(names) and names[0] != names[1]:
            return f"PyTorch's is {names[0]} what went before, MindSpore's {names[1]}"
    with np.errstate(all="ignore"):
        ratio = np.median(b[a != 0] / a[a != 0]) if (a != 0).any() else np.nan
    if np.isfinite(ratio) and ratio and _near(a * ratio, b, found):
        return f"MindSpore's is PyTorch's times {ratio:.6g}"
    for (one, x), (two, y) in ((("PyTorch", a), ("MindSpore", b)), (("MindSpore", b), ("PyTorch", a))):
        name = _function_of(x, y, found)
        if name and name != "just":
            return f"{two}'s is {name} {one}'s"
    return ""


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
    return ""


def _near(a, b, found):
    limit = 4 * np.max(found.allowed, initial=0.0)
    with np.errstate(all="ignore"):
        return bool(np.all((np.abs(a - b) <= limit) | (a == b)))
