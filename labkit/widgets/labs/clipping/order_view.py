"""The picture of the order of unscale, reduce, clip and check: a flow of boxes for two workers, and a map of all 24 orders."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from ....mindspore import Tensor
from ...kit.grips import Grip
from ...kit.scene import Ask, Caption, Dial, Link, Mark, Panel, Scene, changes, line, only, rect, text
from .order import DOCUMENTS, ITEMS, LIMIT, ORDERS, RULES, SCALE, clip, faults, flow, gradient_words, wanted

LEFT, BOX, GAP, ROW, HIGH, TOP = 100.0, 158.0, 12.0, 46.0, 32.0, 24.0  # px
DOES = {"unscale": f"÷ {SCALE:g}", "reduce": "their mean", "clip": f"limit {LIMIT:g}", "check": "all finite?"}
CARD = 92.0  # px: of a step
CELL, ACROSS, DOWN = (58.0, 64.0), 62.0, 90.0  # px of a cell of the map, and from one to the next
CELLS = [(3.0 + ACROSS * (i % 6), DOWN * (i // 6) + 22.0) for i in range(len(ORDERS))]
CASES = list(product((0, 1), range(len(RULES))))  # positions of the dials "overflow" and "rule"


@cache
def scene() -> Scene:
    """The picture: dial `order` arranges the operations, `overflow` puts an inf into worker 2, `rule` is how to clip."""
    runs = {case: [flow(order, bool(case[0]), RULES[case[1]]) for order in ORDERS] for case in CASES}
    marks = [*_labels(), *(mark for case in CASES for mark in only(_when(case), _flows(runs[case], case)))]
    panel = Panel(
        "flow",
        "Drag a step: what becomes of both gradients",
        2 * BOX + GAP + LEFT + 2,
        TOP + 6 * ROW + 16,
        marks,
    )
    every = Panel(
        "orders", "All 24 orders: right without an overflow | with one?", 6 * ACROSS + 2, 4 * DOWN, list(_every())
    )
    return Scene(
        "In which order",
        "In which order: the gradients of two workers after each of unscale, reduce, clip and check, and whether it is right.",
        _dials(), [panel, every], list(_captions(runs)), _links(),
        grips=[_frame(), *_cards()],
    )  # fmt: skip


def _frame():
    return Grip(
        "order", "orders", "The order", "order", [(x + CELL[0] / 2, y + CELL[1] / 2) for x, y in CELLS], bare=True
    )


def _cards() -> Iterator[Grip]:
    """Each step, dragged to another place among the others, which stay in their order."""
    for item in ITEMS:
        for at, order in enumerate(ORDERS):
            rest = [other for other in order if other != item]
            put = {(*rest[:place], item, *rest[place:]): _top(place + 1) for place in range(len(ITEMS))}
            spots = [(CARD / 2, put[other] + HIGH / 2) if other in put else None for other in ORDERS]
            area, where = (0, put[order], CARD, HIGH), {"order": [at]}
            yield Grip(f"step {item}", "flow", f"Step {item}", "order", spots, "y", when=where, area=area, bare=True)


def _dials():
    asks = [_ask(rule, position) for position, rule in enumerate(RULES)]
    return [
        Dial("order", "Order", [", ".join(order) for order in ORDERS], "inside", ORDERS.index(DOCUMENTS)),
        Dial("rule", "Clip by", RULES, "choice"),
        Dial("overflow", "Worker 2 overflows", ("no", "yes"), "toggle", asks={1: asks}),
    ]


def _ask(rule, position):
    ill = np.array([0.0, np.inf], np.float32)
    choices = tuple(gradient_words(v) for v in ((0, LIMIT), (0, np.inf), (0, np.nan), (0, 0)))
    because = "Infinity divided by infinity." if rule == "global norm" else "The overflow looks like any other number."
    return Ask(
        f"Worker 2's gradient becomes {gradient_words(ill)}. What does clipping by {rule} make of it?",
        gradient_words(clip(Tensor(ill), rule)), because, choices=choices,
        otherwise="Not that. What is the factor, or the bound?", when={"rule": [position]},
    )  # fmt: skip


def _labels() -> Iterator[Mark]:
    middles = (LEFT + BOX / 2, LEFT + 1.5 * BOX + GAP)
    for k, x in enumerate(middles):
        yield text(x, 16, f"worker {k + 1}", "name", "middle")
    yield text(0, _top(0) + 20, "arrives")
    for item in ITEMS:
        tops = [_top(order.index(item) + 1) for order in ORDERS]
        yield rect(2, 0, CARD - 2, HIGH, "group").following("order", y=tops)
        yield text(8, 0, item, "name").following("order", y=[top + 14 for top in tops])
        yield text(8, 0, DOES[item], "note").following("order", y=[top + 27 for top in tops])
    for row in range(len(ITEMS) + 1):
        for x in middles:
            yield line(x, _top(row) + HIGH, x, _top(row + 1), "edge")


def _top(row):
    return TOP + ROW * row


def _flows(runs, case) -> Iterator[Mark]:
    """The boxes of every order, for one position of the other two dials; what each worker does, and whether it is right."""
    for row in range(len(ITEMS) + 1):
        stages = [run.stages[row] for run in runs]
        words = [[_content(run, row, worker) for worker in (0, 1)] for run in runs]
        looks = [[_look(run, row, worker) for worker in (0, 1)] for run in runs]
        yield from _boxes(row, "op", words, looks, [stage.reduced for stage in stages])
    overflow, rule, row = bool(case[0]), RULES[case[1]], len(ITEMS) + 1
    wrong = [bool(faults(order, overflow, rule)) for order in ORDERS]
    words = [[_does(run, worker) for worker in (0, 1)] for run in runs]
    looks = [["wrong" if w else ""] * 2 for w in wrong]
    yield from _boxes(row, "kept", words, looks, [run.skips[0] == run.skips[1] for run in runs])
    verdicts, shades = ["✗ wrong" if w else "✓ right" for w in wrong], ["wrongtext" if w else "" for w in wrong]
    yield text(0, _top(row) + 20, "", "name").following("order", text=verdicts, state=shades)
    aim = "right: both workers skip" if overflow else f"right: {gradient_words(wanted(rule))}"
    yield text(LEFT + BOX + GAP / 2, _top(row) + HIGH + 16, aim, "note", "middle")


def _when(case):
    return {"overflow": [case[0]], "rule": [case[1]]}


def _does(run, worker):
    return "skips this step" if run.skips[worker] else f"updates by {gradient_words(run.result[worker])}"


def _reached(run, row, k):
    """Whether a worker does this: it skips what follows a check that has found something, but what all do together."""
    return not (run.skips[k] and run.stages[row].item in ("unscale", "clip") and run.order.index("check") < row - 1)


def _look(run, row, k):
    if not _reached(run, row, k):
        return "dim"
    return "" if np.isfinite(run.stages[row].values[k]).all() else "wrong"


def _content(run, row, k):
    stage = run.stages[row]
    if not _reached(run, row, k):
        return "not reached"
    if stage.item != "check":
        return gradient_words(stage.values[k])
    return "✗ not finite" if run.skips[k] else "✓ finite"


def _boxes(row, role, words, looks, joined) -> Iterator[Mark]:
    """The boxes of a row: one for each worker, or a wide one where both are the same."""
    y = _top(row)
    for k, x, width in ((0, LEFT, BOX), (1, LEFT + BOX + GAP, BOX), (0, LEFT, 2 * BOX + GAP)):
        seen = [(width > BOX) == one for one in joined]
        if any(seen):
            states = ["hidden" if not s else pair[k] for s, pair in zip(seen, looks, strict=True)]
            said = [pair[k] if s else "" for s, pair in zip(seen, words, strict=True)]
            yield rect(x, y, width, HIGH, role).following("order", state=states)
            yield text(x + width / 2, y + 20, "", "value", "middle").following(
                "order", text=said, state=["dim" if s == "dim" else "" for s in states]
            )


def _every() -> Iterator[Mark]:
    for k, item in enumerate(ITEMS):
        yield text(3, DOWN * k + 16, f"{item} first", "name")
    for i, (order, (x, y)) in enumerate(zip(ORDERS, CELLS, strict=True)):
        link = f"order {i}"
        yield rect(x, y, *CELL, "area", link=link)
        for r, rule in enumerate(RULES):
            for half, overflow in enumerate((False, True)):
                good, left = not faults(order, overflow, rule), x + half * CELL[0] / 2
                box = rect(left, y, CELL[0] / 2, 20, "kept" if good else "area", 0, link=link)
                sign = text(left + CELL[0] / 4, y + 15, "✓" if good else "✗", "plain", "middle", link=link)
                yield from only({"rule": [r]}, [box, sign])
        if order == DOCUMENTS:
            yield text(x + CELL[0] / 2, y + CELL[1] + 13, "documents", "note", "middle", link=link)
        for k, item in enumerate(order[1:]):
            yield text(x + CELL[0] / 2, y + 31 + 14 * k, item, "tick", "middle", link=link)
    xs, ys = [x - 2 for x, _ in CELLS], [y - 2 for _, y in CELLS]
    yield rect(0, 0, CELL[0] + 4, CELL[1] + 4, "before").following("order", x=xs, y=ys)


def _links():
    links = {}
    for i, order in enumerate(ORDERS):
        verdicts = [f"by {rule}: {_verdicts(order, rule)}" for rule in RULES]
        words = ", ".join(order) + (" (the documents' order)" if order == DOCUMENTS else "")
        links[f"order {i}"] = Link(f"{words}: {', '.join(verdicts)}", [words, *verdicts], go={"order": i})
    return links


def _verdicts(order, rule):
    found = ["right" if not faults(order, overflow, rule) else "wrong" for overflow in (False, True)]
    return f"{found[0]} without an overflow, {found[1]} with one"


def _captions(runs):
    names = [f"{', '.join(order)}{_remark(order)}." for order in ORDERS]
    yield Caption("order", changes(name[0].upper() + name[1:] for name in names))
    for case in CASES:
        yield Caption("order", changes(_sentence(run, bool(case[0])) for run in runs[case]), _when(case))


def _remark(order):
    return ", the order of MyTrainOneStepCell in MindSpore's documents" if order == DOCUMENTS else ""


def _sentence(run, overflow):
    wrong, other = (faults(run.order, case, run.rule) for case in (overflow, not overflow))
    if overflow:
        said = "Wrong: " + " ".join(wrong) if wrong else "Right: both workers see the overflow and skip."
        return said + (" Without an overflow this order is wrong." if other else "")
    came = gradient_words(run.result[0])
    tail = " An overflow of worker 2 gets through." if other else " An overflow is caught."
    if wrong:
        return f"Wrong: {came} instead of {gradient_words(wanted(run.rule))}. {' '.join(wrong)}{tail}"
    return f"Right: {came}, the mean, clipped.{tail}"
