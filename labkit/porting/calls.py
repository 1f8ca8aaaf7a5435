"""Pairs the calls of two runs: of modules with parameters, without parameters, and of containers."""

from difflib import SequenceMatcher

from .names import kind
from .runs import Call, Run


def same_calls(sides, runs: tuple[Run, Run], pairs) -> dict[Call, Call]:
    """The calls of both runs that belong together, in the order of the first."""
    anchors = _anchors(runs, pairs)
    found = dict(anchors)
    found.update(_free(sides, runs, anchors))
    found.update(_around(sides, runs, anchors))
    for run in runs:
        if not run.calls():
            return {}
    found.setdefault(runs[0].calls()[0], runs[1].calls()[0])
    order = {call: place for place, call in enumerate(runs[0].calls())}
    return dict(sorted(found.items(), key=lambda item: order[item[0]]))


def _anchors(runs, pairs):
    """The calls of matched modules with parameters: the first of one with the first of the other, and so on."""
    partner = {pair.torch.path: pair.mindspore.path for pair in pairs}
    theirs = set(runs[1].calls())
    return {
        (path, number): (partner[path], number)
        for path, number in runs[0].calls()
        if path in partner and (partner[path], number) in theirs
    }


def _free(sides, runs, anchors):
    """Calls of modules without parameters, between the same two anchors: of one class, or as many on both sides."""
    parts = [
        _segments(side, run, set(known))
        for side, run, known in zip(sides, runs, (anchors, anchors.values()), strict=True)
    ]
    for start, ours in parts[0].items():
        theirs = parts[1].get(anchors.get(start) if start else None, [])
        kinds = [
            [kind(side.parts[call[0]].kind) for call in calls]
            for side, calls in zip(sides, (ours, theirs), strict=True)
        ]
        for same, left, right in _in_order(ours, theirs, kinds):
            if same:
                yield from zip(left, right, strict=True)
                continue
            names = [[call[0].rpartition(".")[2] for call in calls] for calls in (left, right)]
            for _, one, two in _in_order(left, right, names):
                if len(one) == len(two):
                    yield from zip(one, two, strict=True)


def _in_order(ours, theirs, keys):
    """Stretches of both lists, in order: those whose keys are the same (True), and what is between them."""
    at = (0, 0)
    for block in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks():
        yield False, ours[at[0] : block.a], theirs[at[1] : block.b]
        at = block.a + block.size, block.b + block.size
        yield True, ours[block.a : at[0]], theirs[block.b : at[1]]


def _segments(side, run, anchors):
    """The calls of leaves without parameters after each anchor, None standing for the beginning."""
    found: dict[Call | None, list[Call]] = {None: []}
    start = None
    for event in run.events:
        part = side.parts[event.call[0]]
        if event.kind == "input" and event.call in anchors:
            start = event.call
            found[start] = []
        elif event.kind == "input" and part.leaf and not part.weighted:
            found[start].append(event.call)
    return found


def _around(sides, runs, anchors):
    """Calls of modules that hold others: those around the same anchors, from the outermost on."""
    spans = []
    for side, run, known in zip(
        sides, runs, ({a: a for a in anchors}, {b: a for a, b in anchors.items()}), strict=True
    ):
        around: dict[frozenset, list[Call]] = {}
        for call, inside in _insides(run).items():
            part = side.parts[call[0]]
            if not part.leaf and not part.weighted:
                around.setdefault(frozenset(known[c] for c in inside if c in known), []).append(call)
        spans.append(around)
    for inside, calls in spans[0].items():
        if inside:
            yield from zip(calls, spans[1].get(inside, []), strict=False)


def _insides(run):
    """`{call: the calls made inside it}`, outer ones first."""
    found: dict[Call, list[Call]] = {}
    open_now: list[Call] = []
    for event in run.events:
        if event.kind == "input":
            for call in open_now:
                found[call].append(event.call)
            found[event.call] = []
            open_now.append(event.call)
        else:
            open_now.remove(event.call)
    return found
