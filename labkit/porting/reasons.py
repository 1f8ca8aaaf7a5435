"""Reasons for a difference. Each was tried, and with the change the two models agree."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import permutations

import numpy as np

from ..dialects.argument_types import as_tuple
from .in_isolation import Bench
from .layouts import layouts
from .randomness import same_spread
from .relations import relation, silent

_PLAIN = (bool, int, float, str)
_FEW = 24  # orders of parameters that are tried


def settings(side, module, none: bool = False) -> dict:
    """The public attributes of a module that are plain: numbers, texts, and tuples of them; with `none` None, too."""
    usual = side.usual_attributes()
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in usual and (_is_plain(value) or (none and value is None))
    }


def _is_plain(value):
    if isinstance(value, (tuple, list)):
        return bool(value) and all(isinstance(v, (int, float)) for v in value)
    return isinstance(value, _PLAIN)


def same_name(a: str, b: str) -> bool:
    """Whether two names of settings are one, or one begins with the other: `eps` and `epsilon`, `groups` and `group`."""
    return a == b or (
        min(len(a), len(b)) >= 3
        and (a.startswith(b) or b.startswith(a))
        and "_" not in a.replace(b, "") + b.replace(a, "")
    )


def differing(ours: dict, theirs: dict, alone: bool = True) -> list[str]:
    """The settings that both have under one name with different values; and `alone`, texts and fractions that only one has.

    >>> differing({"eps": 1e-5, "p": 0.1}, {"epsilon": 1e-7, "p": 0.1, "pad_mode": "same"})
    ['eps, epsilon: 1e-05 | 1e-07', "pad_mode: - | 'same'"]
    """
    found, seen = [], set()
    for name, value in ours.items():
        other = next((n for n in [name, *theirs] if n in theirs and same_name(name, n)), None)
        if other is not None:
            seen.add(other)
            if not _equal(value, theirs[other]):
                title = name if name == other else f"{name}, {other}"
                found.append(f"{title}: {value!r} | {theirs[other]!r}")
        elif alone and isinstance(value, (float, str)):
            found.append(f"{name}: {value!r} | -")
    if not alone:
        return found
    left = {name: value for name, value in theirs.items() if name not in seen and isinstance(value, (float, str))}
    return found + [f"{name}: - | {value!r}" for name, value in left.items()]


def _equal(a, b):
    if isinstance(a, (tuple, list)) or isinstance(b, (tuple, list)):
        one, two = (set(v) if isinstance(v, (tuple, list)) else {v} for v in (a, b))
        return one == two if 1 in (len(one), len(two)) else tuple(a) == tuple(b)
    return a == b


_SETTING = (
    "with {name}={value!r} in {framework}'s module (it has {had!r}; {other}'s has {other_name}={other_value!r}) the "
    "two agree"
)
_LAYOUT = "with its {name} {layout} MindSpore's module agrees"
_NEUTRAL = "with a {name} of {value:g} in {framework}'s module, which the other lacks, the two agree"


def tried_settings(bench: Bench, agrees: Callable[[], bool], near: bool) -> str:
    """The setting of one module with which, given the other's value, the two agree; "" if there is none.

    `near`: the value is that of a setting of the same name; otherwise of any other.
    """
    sides = bench.sides
    known = _unequal(*(settings(side, module) for side, module in zip(sides, bench.modules, strict=True)))
    for place in (1, 0):
        for name, value in known[place].items():
            for other, wanted in known[1 - place].items():
                if same_name(name, other) is not near:
                    continue
                for candidate in _forms(wanted, value):
                    with _set(bench.modules[place], name, candidate) as done:
                        if done and _holds(agrees):
                            ours, theirs = sides[place].framework, sides[1 - place].framework
                            tried = {"framework": ours, "name": name, "value": candidate, "had": value}
                            return _SETTING.format(**tried, other=theirs, other_name=other, other_value=wanted)
    return ""


def _unequal(ours, theirs):
    """Both without the sizes that have one name and one value."""
    equal = [
        (a, b) for a in ours for b in theirs if same_name(a, b) and _is_size(ours[a]) and _equal(ours[a], theirs[b])
    ]
    return [
        {n: v for n, v in side.items() if n not in {pair[i] for pair in equal}} for i, side in enumerate((ours, theirs))
    ]


def _is_size(value):
    return type(value) is not bool and all(isinstance(n, int) and n for n in as_tuple(value, (tuple, list)))


def _forms(wanted, value) -> Iterator:
    """Values that a setting may take from one of the other module: as it is, as its complement, per axis, a switch turned."""
    forms = [wanted]
    if isinstance(wanted, float) and 0 <= wanted <= 1:
        forms.append(round(1 - wanted, 12))
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        forms.append((wanted, wanted))
    if isinstance(wanted, (tuple, list)):
        forms += [wanted[0], tuple(wanted[::2]), tuple(n for n in wanted for _ in range(2))]
    if isinstance(wanted, str):
        forms += [wanted.lower(), *([not value] if isinstance(value, bool) else [])]
    for form in forms:
        if type(form) is not bool and isinstance(form, int) and isinstance(value, float):
            form = float(form)
        sizes = isinstance(value, (int, tuple, str)) and isinstance(form, (int, tuple, str))
        if (
            (sizes or isinstance(form, type(value)))
            and isinstance(form, bool) == isinstance(value, bool)
            and form != value
        ):
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
    """What the modules would have to hold to agree: a transposed weight, parameters exchanged, none of what one has alone."""
    ours, theirs = bench.sides
    for x, y, layout in pair.held:
        for way in layouts(x.shape, y.shape):
            if way.name != layout.name and _agrees_with(bench, [(theirs, y, way.carry(ours.array(x.tensor)))]):
                return _LAYOUT.format(name=y.name, layout=way.name or "as it is")
    for held, side in ((pair.torch_only, ours), (pair.mindspore_only, theirs)):
        for h in held:
            for neutral in (0.0, 1.0):
                if _agrees_with(bench, [(side, h, np.full(h.shape, neutral, np.float32))]):
                    return _NEUTRAL.format(name=h.name, value=neutral, framework=side.framework)
    return _exchanged(bench, pair)


def _exchanged(bench, pair):
    alike: dict[tuple, list] = {}
    for x, y, layout in pair.held:
        if not layout.name:
            alike.setdefault(x.shape, []).append((x, y))
    for group in alike.values():
        for order in list(permutations(range(len(group))))[1:_FEW]:
            changes = [
                (bench.sides[1], y, bench.sides[0].array(group[i][0].tensor))
                for i, (_, y) in zip(order, group, strict=True)
            ]
            if _agrees_with(bench, changes):
                pairs = [(y, group[i]) for i, (_, y) in zip(order, group, strict=True)]
                moved = ", ".join(f"{y.name} from {x.name}" for y, (x, own) in pairs if own is not y)
                return "with {names} MindSpore's module agrees".format(names=moved)
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


def explain(row, both, bench: Bench | None, pair) -> None:
    """Give the row the settings that differ between its two modules, and what made the difference go away."""
    modules = [side.parts[call[0]].module for side, call in zip(both.sides, row.calls, strict=True)]
    if row.part != "input":
        row.reason = _tried(row, both, bench, pair) if bench else ""
        known = [settings(side, module, none=True) for side, module in zip(both.sides, modules, strict=True)]
        row.settings = differing(known[0], known[1], alone=not row.reason)
    if not row.reason and row.difference is not None and row.part in ("input", "output"):
        row.reason = relation(row.difference, _before(both, row))
    if not row.reason and row.difference is not None and row.part.startswith("gradient"):
        row.reason = silent(row.difference)


def _tried(row, both, bench, pair):
    if row.part.startswith(("gradient", "error")):
        return ""
    if row.part == "random numbers":
        same = partial(same_spread, both, row.calls)
        return tried_settings(bench, same, True) or tried_settings(bench, same, False)
    if _holds(bench.agrees):
        return ""
    of_one_name, others = (partial(tried_settings, bench, bench.agrees, near) for near in (True, False))
    return of_one_name() or (tried_weights(bench, pair) if pair else "") or others()


def _before(both, row):
    """Some arrays of PyTorch's run that both models had before a row."""
    found: list[np.ndarray] = []
    for event in both.runs[0].events:
        if event.call == row.calls[0] and event.kind == row.part:
            break
        found += event.values
    return found[-6:]
