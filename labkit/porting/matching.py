"""Pairs the modules of two models by names, by the order of calls and of registration, and by shapes.

Modules that hold parameters are matched first. Names that are the same on both sides decide; otherwise the order in which
the modules are called and that in which they are registered have to say the same, or the shapes and the names have to
decide between the two. What nothing decides is refused, with both trees side by side.
"""

from typing import Any

from ..messages.wrapping import wrapped
from .layouts import layouts
from .names import evidence
from .pairs import Matching, paired


class UnclearMatch(ValueError):
    """Raised where it is not clear which layers belong together."""


def match(torch, mindspore, calls: tuple[list[str], list[str]], said: dict[str, str]) -> Matching:
    """The modules with parameters of two sides; `calls`: the paths in the order of their first calls; `said`: by the user."""
    ours, theirs = ([p for p in side.parts.values() if p.weighted] for side in (torch, mindspore))
    fixed = _said(ours, theirs, said, (torch, mindspore))
    ours, theirs = (_rest(side, [pair[i] for pair in fixed]) for i, side in enumerate((ours, theirs)))
    required = [part for part in ours if part.required], [part for part in theirs if part.required]
    found, reason = _all(ours, theirs, calls)
    if found is None and (len(required[0]), len(required[1])) != (len(ours), len(theirs)):
        found, reason = _all(required[0], required[1], calls)
    if found is None and len(required[0]) != len(required[1]):
        found, reason = _some(ours, theirs, calls)
    if found is None:
        raise UnclearMatch(refusal(reason, torch, mindspore))
    pairs = [pair for pair in map(_paired, [*fixed, *found]) if pair]
    _same_layouts(pairs)
    order = list(torch.parts)
    pairs.sort(key=lambda pair: order.index(pair.torch.path))
    left = _rest(ours, [p.torch for p in pairs]), _rest(theirs, [p.mindspore for p in pairs])
    used = [
        [part for part in side if part.required and part.path in called]
        for side, called in zip(left, calls, strict=True)
    ]
    return Matching(pairs, *used)


def _paired(two) -> Any:
    return paired(*two)


def _rest(parts, taken):
    return [part for part in parts if not any(part is other for other in taken)]


_NO_MODULE = "compare: match names {name!r}, which is not in {framework}'s model. Its modules with parameters: {known}"
_NO_SHAPE = "compare: match says {torch!r}: {mindspore!r}, but no parameter of one has the shape of the other's"
_COUNTS = "PyTorch's model has {torch} modules with parameters, MindSpore's {mindspore}"
_BY_CALLS = "in the order of their calls, {one} would be paired with {two}"
_BY_REGISTRATION = "in the order of their registration, {one} would be paired with {two}"
_ORDERS = (
    "{one!r} would be {two!r} in the order of registration, but {other!r} in the order of the calls, and shapes and "
    "names do not decide"
)
_WAYS = "{torch} modules with parameters and {mindspore}: they can be paired in several ways"
_ALONE = "{torch} of PyTorch's model and {mindspore} of MindSpore's have no counterpart of the same shapes"


def _said(ours, theirs, said, sides):
    """The pairs that the user names."""
    fixed = []
    for one, two in said.items():
        found = []
        for path, parts, side in ((one, ours, sides[0]), (two, theirs, sides[1])):
            part = next((p for p in parts if p.path == path), None)
            if part is None:
                known = ", ".join(repr(p.path) for p in parts)
                raise ValueError(_NO_MODULE.format(name=path, framework=side.framework, known=known))
            found.append(part)
        if paired(*found) is None:
            raise ValueError(_NO_SHAPE.format(torch=one, mindspore=two))
        fixed.append(tuple(found))
    return fixed


def _all(ours, theirs, calls):
    """Every module with one of the other side, or None and why not."""
    if len(ours) != len(theirs):
        return None, _COUNTS.format(torch=len(ours), mindspore=len(theirs))
    by_path = {part.path: part for part in theirs}
    if {part.path for part in ours} == set(by_path):
        named = [(part, by_path[part.path]) for part in ours]
        if all(map(_paired, named)):
            return named, ""
    registered = list(zip(ours, theirs, strict=True))
    orders = [registered]
    if all(part.path in called for side, called in zip((ours, theirs), calls, strict=True) for part in side):
        sort = lambda parts, called: sorted(parts, key=lambda part: called.index(part.path))
        orders.append(list(zip(sort(ours, calls[0]), sort(theirs, calls[1]), strict=True)))
    fitting = [order for order in orders if all(map(_paired, order))]
    if len(fitting) == 2 and set(fitting[0]) != set(fitting[1]):
        return _decided(*fitting)
    if not fitting:
        one, two = next(pair for pair in orders[-1] if not _paired(pair))
        titles = [f"{part.title} {_shapes(part)}" for part in (one, two)]
        return None, (_BY_CALLS if len(orders) > 1 else _BY_REGISTRATION).format(one=titles[0], two=titles[1])
    return fitting[0], ""


def _decided(registered, called):
    """One of two orders that both fit, by shapes and then by names; or None, and why not."""
    disputed = [set(registered) - set(called), set(called) - set(registered)]
    for measure in (lambda two: _paired(two).strength, lambda two: evidence(two[0].path, two[1].path)):
        sums = [sum(map(measure, pairs)) for pairs in disputed]
        if sums[0] != sums[1]:
            return (registered if sums[0] > sums[1] else called), ""
    one, two = sorted(disputed[0], key=lambda pair: pair[0].path)[0]
    other = next(b for a, b in called if a is one)
    return None, _ORDERS.format(one=one.path, two=two.path, other=other.path)


def _some(ours, theirs, calls):
    """The longest row of pairs in order, where one side has modules more; it has to be the only one."""
    ours, theirs = (
        sorted(side, key=lambda part: called.index(part.path) if part.path in called else len(called))
        for side, called in zip((ours, theirs), calls, strict=True)
    )
    worth = {
        (i, j): 1000 + 10 * made.strength + evidence(a.path, b.path) + 5 * (a.path == b.path)
        for i, a in enumerate(ours)
        for j, b in enumerate(theirs)
        if (made := paired(a, b))
    }
    ways, steps = _longest(len(ours), len(theirs), worth)
    if ways > 1:
        return None, _WAYS.format(torch=len(ours), mindspore=len(theirs))
    alone = [part for i, part in enumerate(ours) if part.required and i not in {i for i, _ in steps}]
    others = [part for j, part in enumerate(theirs) if part.required and j not in {j for _, j in steps}]
    if alone and others:
        return None, _ALONE.format(torch=_listed(alone), mindspore=_listed(others))
    return [(ours[i], theirs[j]) for i, j in steps], ""


def _listed(parts):
    return ", ".join(f"{part.path!r} {_shapes(part)}" for part in parts) or "nothing"


def _longest(rows, columns, worth):
    """How many chains of pairs have the best worth, and one of them."""
    best: list[list[tuple[Any, int, str]]] = [[(0, 1, "")] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            choices = []
            if (i, j) in worth:
                choices.append((worth[i, j] + best[i + 1][j + 1][0], best[i + 1][j + 1][1], "both"))
            choices += [(best[i + 1][j][0], best[i + 1][j][1], "down"), (best[i][j + 1][0], best[i][j + 1][1], "right")]
            top = max(value for value, _, _ in choices)
            chosen = [c for c in choices if c[0] == top]
            ways = sum(c[1] for c in chosen)
            if {"down", "right"} <= {c[2] for c in chosen} and best[i + 1][j + 1][0] == top:
                ways -= best[i + 1][j + 1][1]
            best[i][j] = (top, ways, chosen[0][2])
    steps, i, j = [], 0, 0
    while i < rows and j < columns:
        step = best[i][j][2]
        if step == "both":
            steps.append((i, j))
        i, j = i + (step != "right"), j + (step != "down")
    return best[0][0][1], steps


def _same_layouts(pairs):
    """A square weight is laid out as the other weights are that two classes hold under the same name."""
    shown: dict[tuple, set[str]] = {}
    for pair in pairs:
        for x, y, layout in pair.held:
            if len(layouts(x.shape, y.shape)) == 1:
                shown.setdefault((*pair.kinds, x.name, y.name), set()).add(layout.name)
    for pair in pairs:
        for place, (x, y, layout) in enumerate(pair.held):
            names = shown.get((*pair.kinds, x.name, y.name), set())
            if not layout.name and names == {"transposed"}:
                other = next((way for way in layouts(x.shape, y.shape) if way.name in names), layout)
                pair.held[place] = (x, y, other)


def refusal(reason: str, torch, mindspore) -> str:
    """A sentence, and below it what both models hold, side by side."""
    columns = [
        [f"{part.path or '(itself)'}  {part.kind}  {_shapes(part)}" for part in side.parts.values() if part.weighted]
        for side in (torch, mindspore)
    ]
    width = max([len("PyTorch"), *map(len, columns[0])])
    rows = max(map(len, columns))
    padded = [column + [""] * (rows - len(column)) for column in columns]
    table = [f"  {'PyTorch':{width}} | MindSpore"]
    table += [f"  {a:{width}} | {b}" for a, b in zip(*padded, strict=True)]
    head = "compare: it is not clear which layers correspond: {reason}.".format(reason=reason)
    example = f"match={{{_path(torch)!r}: {_path(mindspore)!r}, ...}}"
    advice = "If they do correspond, name the pairs: compare(..., {example})".format(example=example)
    return "\n".join([wrapped(head), *table, wrapped(advice)])


def _path(side):
    return next((part.path for part in side.parts.values() if part.weighted and part.path), "")


def _shapes(part):
    return " ".join(str(h.shape).replace(" ", "") for h in part.held if not h.counts)
