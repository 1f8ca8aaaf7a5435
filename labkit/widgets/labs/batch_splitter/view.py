"""How a batch that is cut looks: its samples with their gradients, and beside them the parts as columns that are put together.

A column is as high as the gradient of its part, and as wide as it counts. So where the columns stand beside each other, the
level of what they hold together is the combined gradient; of a sum they stand upon each other.

A part is all that lies between two cuts, so what is seen of it follows two dials; what is made of all parts is a sum.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise, product
from math import prod

from ...kit.axes import Axis
from ...kit.scene import Mark, Panel, only, path, rect, text, width_of
from ...kit.words import number
from .split import COMBINE, COUNTS, SAMPLES, Of, all_splits, cut_of, ends_of, places_of, weight

LEFT, TILE, GAP, THIN = 8.0, 26.0, 8.0, 3.0  # px
ACROSS = TILE * SAMPLES - THIN + GAP * (max(COUNTS) - 1)  # of all samples, or columns
TOP, HIGH = 26.0, 120.0  # px: above the bars of both panels, and their height
CUTS = TOP + HIGH + 30  # px: where cuts are dragged
WIDTH, BOTTOM = LEFT * 2 + ACROSS, CUTS + 50
VALUE = LEFT + 218  # px: where numbers end
TITLES = {
    "mean": "plain mean: every part counts alike, equal widths",
    "sum": "sum: one part upon the other, each × 1 (smaller scale)",
    "weighted": "weighted: a part counts by its samples, its width",
}


def panels_of(of: Of) -> list[Panel]:
    """A batch, cut wherever it can be, and beside it what is made of its parts; `of`: the gradient of the samples from one to
    another."""
    own = _up([of(i, i + 1) for i in range(SAMPLES)])
    sums = [total for split in all_splits(of) for total in accumulate(split.parts)]
    scales = {"mean": _up([own.low, own.high]), "sum": _up(sums)}
    scales["weighted"] = scales["mean"]
    batch = Panel("bars", "Drag the rings to cut the batch", WIDTH, BOTTOM, [*_samples(of, own), *_parts(of, own)])
    return [
        batch,
        Panel("parts", "What the parts make together", WIDTH, BOTTOM, [*_columns(of, scales), *_result(of, scales)]),
    ]


def gap_after(end: int, k: int) -> float:
    """Where the gap after so many samples lies, with k gaps up to it, px."""
    return LEFT + TILE * end + GAP * k - (GAP + THIN) / 2


def _up(values) -> Axis:
    return Axis(min(0.0, *values), max(0.0, *values), TOP + HIGH, TOP)


def _rise(up, value) -> float:
    """How far a value is from nothing on an axis, px."""
    return (up.end - up.start) / (up.high - up.low) * value


def _bar(up, value) -> dict[str, float]:
    """A bar from nothing to a value above it, or below."""
    top, bottom = sorted((up(0.0), up(0.0) + _rise(up, value)))
    return {"y": top, "height": max(bottom - top, 1.0)}


# ---- what follows the cuts ----


def _cuts(count, k) -> dict[str, int]:
    """The dials of the two cuts between which the k-th part lies, counted from 0, with how many places they have."""
    return {cut_of(j, count): places_of(count) for j in (k, k + 1) if 0 < j < count}


def _ends(count, k) -> Iterator[tuple[int, int]]:
    """From where to where the k-th part goes, for all places of its cuts; the end may come before the start."""
    starts = [k + p for p in range(places_of(count))] if k else [0]
    ends = [k + 1 + p for p in range(places_of(count))] if k + 1 < count else [SAMPLES]
    return product(starts, ends)


def _following(mark: Mark, k: int, of: Callable[..., dict], *, made: bool = False) -> Mark:
    """A mark of the k-th part with what `of(count, a, b)` says where it goes from `a` to `b`; with `made` also for each way to
    put the parts together, `of(how, count, a, b)`."""
    ways = [[how] for how in COMBINE] if made else [[]]
    for i, count in enumerate(COUNTS):
        if k < count:
            found = [of(*how, count, a, b) if a < b else {} for how, (a, b) in product(ways, list(_ends(count, k)))]
            before = [None] * (i * len(found))
            dials = {"parts": len(COUNTS), **({"combine": len(COMBINE)} if made else {}), **_cuts(count, k)}
            names = next(filter(None, found))
            mark = mark.following(dials, **{name: [*before, *(part.get(name) for part in found)] for name in names})
    return mark


def _adding(mark: Mark, of: Callable[..., dict], below: int | None = None) -> Mark:
    """A mark to which each part adds `of(how, count, a, b)`, or each one before the part `below`; to the "d" of a path around
    four corners how far the last two are lifted."""
    for i, count in enumerate(COUNTS):
        sums: dict[
            tuple, dict[str, list[float]]
        ] = {}  # by dials: the two parts of a batch that is cut once share theirs
        for k in range(count if below is None else min(below, count)):
            found = [of(how, count, a, b) if a < b else {} for how, (a, b) in product(COMBINE, list(_ends(count, k)))]
            there = sums.setdefault(tuple(_cuts(count, k).items()), {})
            for name in next(filter(None, found)):
                row = [there.get(name, [0.0] * len(found)), [part.get(name, 0.0) for part in found]]
                there[name] = [_short(sum(parts)) for parts in zip(*row, strict=True)]
        for cuts, parts in sums.items():
            dials = {"parts": len(COUNTS), "combine": len(COMBINE), **dict(cuts)}
            none = [0.0] * (len(COMBINE) * prod(size for _, size in cuts))
            for name, values in parts.items():
                all_values = [*none * i, *values, *none * (len(COUNTS) - 1 - i)]
                lifted = [[0, 0, 0, 0, 0, v, 0, v] for v in all_values] if name == "d" else all_values
                mark = mark.adding(dials, **{name: lifted})
    return mark


def _short(value):
    """Of a number so many digits that no sum of some is off by one that is seen."""
    return float(f"{value:.11g}")


def _with_part(k):
    """Where there is a k-th part, counted from 0."""
    return {"parts": [i for i, count in enumerate(COUNTS) if count > k]}


# ---- the samples, and the parts they are cut into ----


def _span(k, a, b) -> tuple[float, float]:
    """From where to where a part goes, px."""
    return LEFT + TILE * a + GAP * k, LEFT + TILE * b + GAP * k - THIN


def _samples(of, up) -> Iterator[Mark]:
    yield text(LEFT, 15, "the gradient of each sample", "note")
    yield path([(LEFT + 200, 11), (LEFT + 224, 11)], "vector")
    yield text(LEFT + 230, 15, "the mean of its part", "note")
    yield path(_across(up(0.0)), "axis")
    for i in range(SAMPLES):
        bar = _bar(up, of(i, i + 1))
        mark = rect(LEFT + TILE * i, bar["y"], TILE - THIN, bar["height"], "leaf", 2)
        for count in COUNTS:
            for k in range(1, count):
                dials = {"parts": len(COUNTS), cut_of(k, count): places_of(count)}
                moved = [GAP * (n == count and k + p <= i) for n in COUNTS for p in range(places_of(count))]
                mark = mark.adding(dials, x=moved)
        yield mark


def _parts(of, up) -> Iterator[Mark]:
    """Over the samples of each part a line at their mean; how many they are below; between two parts what is dragged."""
    for k in range(max(COUNTS)):

        def mean(count, a, b, k=k):
            return {"d": [(x, up(of(a, b))) for x in _span(k, a, b)]}

        def size(count, a, b, k=k):
            return {"x": sum(_span(k, a, b)) / 2, "text": f"{b - a} samples" if b - a > 3 else str(b - a)}

        said = text(0, TOP + HIGH + 14, "", "tick", "middle")

        def counts(how, count, a, b, k=k):
            return {
                "x": sum(_span(k, a, b)) / 2,
                "text": f"×{number(weight(how, count, b - a) * SAMPLES / (b - a), 2)}",
            }

        each = text(0, CUTS + 27, "", "value", "middle")
        yield from only(
            _with_part(k),
            [
                _following(path([(0, 0), (0, 0)], "vector"), k, mean),
                _following(said, k, size),
                _following(each, k, counts, made=True),
            ],
        )
    yield text(LEFT, CUTS + 44, "how much a sample counts, against the big batch", "note")
    for k in range(1, max(COUNTS)):

        def between(count, a, b, k=k):
            return {"d": [(gap_after(a, k), TOP), (gap_after(a, k), CUTS - 11)]}

        yield from only(_with_part(k), [_following(path([(0, 0), (0, 0)], "before"), k, between)])


# ---- the columns ----


def _column(how, count, k, a, b) -> tuple[float, float]:
    """From where to where a column goes, px."""
    if how == "sum":
        return LEFT, LEFT + ACROSS
    if how == "mean":
        each = (ACROSS + GAP) / count
        return LEFT + each * k, LEFT + each * (k + 1) - GAP
    return _span(k, a, b)


def _columns(of, scales) -> Iterator[Mark]:
    """Each with what it counts below it."""
    yield text(LEFT, 15, "", "note").following("combine", text=[TITLES[how] for how in COMBINE])
    yield path(_across(0.0), "axis").following("combine", d=[_across(scales[how](0.0)) for how in COMBINE])
    for k in range(max(COUNTS)):

        def column(how, count, a, b, k=k):
            left, right = _column(how, count, k, a, b)
            return {"x": left, "width": right - left, **_bar(scales[how], of(a, b))}

        def counts(how, count, a, b, k=k):
            left, right = _column(how, count, k, a, b)
            words = _counts(how, count, b - a)
            fits = right - left + GAP > width_of(words, 11, mono=True) + 2
            return {"x": (left + right) / 2, "text": words if fits else words.removeprefix("× ")}

        def lifted(how, count, a, b):
            return {"y": round(_rise(scales[how], of(a, b)), 2) if how == "sum" else 0.0}

        box = _adding(_following(rect(0, 0, 0, 0, "op", 2), k, column, made=True), lifted, k)
        said = _following(text(0, TOP + HIGH + 14, "", "tick", "middle"), k, counts, made=True)
        yield from only(_with_part(k), [box, said])


def _counts(how, count, size) -> str:
    """How much a part counts, as it is written below its column; those of a sum stand upon each other."""
    return {"mean": f"× 1/{count}", "sum": "", "weighted": f"× {size}/{SAMPLES}"}[how]


def _result(of, scales) -> Iterator[Mark]:
    """The level of the columns together, the one that it should have, and both numbers."""
    big = of(0, SAMPLES)

    def share(how, count, a, b):
        return weight(how, count, b - a) * of(a, b)

    corners = {how: [*_across(scales[how](big)), *reversed(_across(scales[how](0.0)))] for how in COMBINE}
    gap = path(corners[COMBINE[0]], "turn").following("combine", d=[corners[how] for how in COMBINE])
    yield _adding(gap, lambda how, *part: {"d": round(_rise(scales[how], share(how, *part)), 2)})
    level = rect(LEFT, 0, ACROSS, 4, "backbar", 1).following("combine", y=[scales[how](0.0) - 2 for how in COMBINE])
    yield _adding(level, lambda how, *part: {"y": round(_rise(scales[how], share(how, *part)), 2)})
    yield path(_across(0.0), "outline").following("combine", d=[_across(scales[how](big)) for how in COMBINE])
    y = TOP + HIGH + 38
    yield path([(LEFT, y - 4), (LEFT + 24, y - 4)], "outline")
    yield text(LEFT + 32, y, "the big batch", "name")
    yield text(VALUE, y, number(round(big, 4)), "value", "end")
    yield rect(LEFT, y + 16, 24, 4, "backbar", 1)
    yield text(LEFT + 32, y + 22, "the parts together", "name")
    yield _adding(text(VALUE, y + 22, "", "value", "end"), lambda *part: {"text": share(*part)})
    off = text(LEFT + ACROSS - 16, y, "", "value", "end").adding({"parts": len(COUNTS)}, text=[-100.0] * len(COUNTS))
    yield _adding(off, lambda *part: {"text": 100 * share(*part) / big})
    yield text(LEFT + ACROSS, y, "%", "plain", "end")
    for (i, count), how in product(enumerate(COUNTS), COMBINE):
        where = {"parts": [i], "combine": [COMBINE.index(how)]}
        if count == 1 or how == "weighted":
            yield text(LEFT + ACROSS, y + 22, "✓ exactly", "name", "end", when=where)
        else:
            yield _off(of, count, how, big, text(LEFT + ACROSS, y + 22, "", "name", "end", when=where))


def _off(of, count, how, big, mark) -> Mark:
    """Whether what is combined is too large or too small, wherever the cuts are."""
    sizes = {cut_of(k, count): places_of(count) for k in range(1, count)}
    words: list[str | None] = []
    for places in product(*map(range, sizes.values())):
        bounds = [0, *(k + p for k, p in enumerate(places, 1)), SAMPLES]
        parts = list(pairwise(bounds))
        if any(a >= b for a, b in parts):
            words.append(None)
            continue
        found = sum(weight(how, count, b - a) * of(a, b) for a, b in parts) / big
        words.append("✓ exactly" if abs(found - 1) < 1e-9 else f"too {'large' if found > 1 else 'small'}")
    return mark.following(sizes, text=words)


def exact(count: int) -> dict[str, list[int]]:
    """Where the cuts stand when all parts are of one size."""
    return {cut_of(k, count): [end - k] for k, end in enumerate(ends_of(count, "even"), 1)}


def _across(y):
    return [(LEFT, y), (LEFT + ACROSS, y)]
