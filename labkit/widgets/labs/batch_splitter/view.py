"""How a batch that is cut looks: its samples with their gradients, and below them the parts as columns that are put together.

A column is as high as the gradient of its part, and as wide as it counts. So where the columns stand beside each other, the
level of what they hold together is the combined gradient; of a sum they stand upon each other.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from ...kit.axes import Axis
from ...kit.joint import key_of
from ...kit.scene import Mark, Panel, only, path, rect, text, width_of
from ...kit.words import number
from .split import COMBINE, COUNTS, SAMPLES, SHARDS, Split

LEFT, TILE, GAP, THIN = 8.0, 26.0, 8.0, 3.0  # px
ACROSS = TILE * SAMPLES - THIN + GAP * (max(COUNTS) - 1)  # of all samples, or columns
TOP, HIGH, CUTS, BELOW = 26.0, 92.0, 136.0, 184.0  # px: of the samples; what is dragged; of the columns
WIDTH, BOTTOM = LEFT * 2 + ACROSS, BELOW + HIGH + 58
CUT = {"parts": len(COUNTS), "shards": len(SHARDS)}  # what the samples and the parts follow
MADE = {**CUT, "combine": len(COMBINE)}  # what the columns follow
Splits = Mapping[tuple[int, str], Split]


def panel_of(splits: Splits) -> Panel:
    """The panel of all splits that are given; one that is not given is not seen."""
    some = next(iter(splits.values()))
    drawn = {key: splits.get(key, some) for key in product(COUNTS, SHARDS)}
    scales = {how: _scale(drawn, how) for how in COMBINE}
    own = _up([v for split in drawn.values() for v in split.each], TOP)
    marks = [*_samples(drawn, own), *_parts(drawn, own), *_columns(drawn, scales), *_result(drawn, scales)]
    return Panel("bars", "Drag the rings to cut the batch", WIDTH, BOTTOM, marks)


def gap_after(end, k) -> float:
    """Where the gap after so many samples lies, with k gaps up to it, px."""
    return LEFT + TILE * end + GAP * k - (GAP + THIN) / 2


def _up(values, top) -> Axis:
    return Axis(min(0.0, *values), max(0.0, *values), top + HIGH, top)


def _scale(drawn, how):
    """The axis of the columns; the sum, which is long, has one of its own."""
    kinds = ("sum",) if how == "sum" else ("mean", "weighted")
    values = [v for s in drawn.values() for v in (s.big, *s.parts, *(s.combined(kind) for kind in kinds))]
    return _up(values, BELOW)


def _following(mark: Mark, drawn: Splits, of: Callable) -> Mark:
    """A mark with what `of(split)` says of each split."""
    rows = [of(drawn[key]) for key in product(COUNTS, SHARDS)]
    return mark.following(key_of(CUT), **{name: [row[name] for row in rows] for name in rows[0]})


def _made(mark: Mark, drawn: Splits, of: Callable) -> Mark:
    """A mark with what `of(split, how)` says of each way to put the parts together."""
    rows = [of(drawn[count, shards], how) for count, shards, how in product(COUNTS, SHARDS, COMBINE)]
    return mark.following(key_of(MADE), **{name: [row[name] for row in rows] for name in rows[0]})


def _with_part(k):
    """Where there is a k-th part, counted from 0."""
    return {"parts": [i for i, count in enumerate(COUNTS) if count > k]}


def _bar(up, value, base=0.0) -> dict[str, float]:
    """A bar from `base` to a value above it, or below."""
    top, bottom = sorted((up(base), up(value)))
    return {"y": top, "height": max(bottom - top, 1.0)}


# ---- the samples, and the parts they are cut into ----


def _at(split, i) -> float:
    """Where the i-th sample stands, px."""
    return LEFT + TILE * i + GAP * sum(end <= i for end in split.ends)


def _span(split, k) -> tuple[float, float]:
    """From where to where the k-th part goes, px; nothing at the end, of one that there is not."""
    if k >= len(split.sizes):
        return LEFT + ACROSS, LEFT + ACROSS
    end = split.ends[k]
    return _at(split, end - split.sizes[k]), _at(split, end - 1) + TILE - THIN


def _samples(drawn, up) -> Iterator[Mark]:
    yield text(LEFT, 15, "the gradient that each sample alone would give", "note")
    yield path(_across(up(0.0)), "axis")
    for i in range(SAMPLES):
        mark = rect(0, 0, TILE - THIN, 0, "leaf", 2)
        yield _following(mark, drawn, lambda split, i=i: {"x": _at(split, i), **_bar(up, split.each[i])})


def _parts(drawn, up) -> Iterator[Mark]:
    """Over the samples of each part a line at their mean; the part's number below; between two parts what is dragged."""
    for k in range(max(COUNTS)):

        def mean(split, k=k):
            value = split.parts[k] if k < len(split.parts) else split.parts[-1]
            return {"d": [(x, up(value)) for x in _span(split, k)]}

        level = _following(path([(0, 0), (0, 0)], "vector"), drawn, mean)
        said = _following(text(0, TOP + HIGH + 14, str(k + 1), "tick", "middle"), drawn,
                          lambda split, k=k: {"x": sum(_span(split, k)) / 2})  # fmt: skip
        yield from only(_with_part(k), [level, said])
    for k in range(1, max(COUNTS)):

        def between(split, k=k):
            x = gap_after(split.ends[min(k, len(split.ends)) - 1], k)
            return {"d": [(x, TOP), (x, CUTS - 11)]}

        yield from only(_with_part(k), [_following(path([(0, 0), (0, 0)], "before"), drawn, between)])


# ---- the columns ----


def _column(split, how, k, up) -> dict[str, float]:
    """Where the k-th column stands and how large it is, px."""
    count = len(split.parts)
    if k >= count:
        return {"x": LEFT + ACROSS, "width": 0.0, **_bar(up, 0.0)}
    if how == "sum":
        below = sum(split.parts[:k])
        return {"x": LEFT, "width": ACROSS, **_bar(up, below + split.parts[k], below)}
    if how == "mean":
        each = (ACROSS + GAP) / count
        return {"x": LEFT + each * k, "width": each - GAP, **_bar(up, split.parts[k])}
    left, right = _span(split, k)
    return {"x": left, "width": right - left, **_bar(up, split.parts[k])}


def _columns(drawn, scales) -> Iterator[Mark]:
    titles = {
        "mean": "each part as high as its mean, and as wide as the others",
        "sum": "one part upon the other: a smaller scale",
        "weighted": "each part as wide as its share of the batch",
    }
    yield text(LEFT, BELOW - 16, "", "note").following("combine", text=[titles[how] for how in COMBINE])
    yield path(_across(0.0), "axis").following("combine", d=[_across(scales[how](0.0)) for how in COMBINE])
    for k in range(max(COUNTS)):
        column = _made(rect(0, 0, 0, 0, "op", 2), drawn, lambda split, how, k=k: _column(split, how, k, scales[how]))
        name = text(0, 0, "", "tick", "middle")
        yield from only(
            _with_part(k), [column, _made(name, drawn, lambda split, how, k=k: _number_of(split, how, k, scales))]
        )


def _number_of(split, how, k, scales) -> dict[str, float | str]:
    """The column's number, within its foot; nothing in one that is too thin or too low."""
    found = _column(split, how, k, scales[how])
    fits = found["width"] > width_of(str(k + 1), 11) + 4 and found["height"] > 14
    return {
        "x": found["x"] + found["width"] / 2,
        "y": found["y"] + found["height"] - 4,
        "text": str(k + 1) if fits else "",
    }


def _result(drawn, scales) -> Iterator[Mark]:
    """The level of the columns together, the one that it should have, and both numbers."""
    level = rect(LEFT, 0, ACROSS, 4, "backbar", 1)
    yield _made(level, drawn, lambda split, how: {"y": scales[how](split.combined(how)) - 2})
    aim = path([(0, 0), (0, 0)], "outline")
    yield _made(aim, drawn, lambda split, how: {"d": _across(scales[how](split.big))})
    y = BELOW + HIGH + 24
    yield path([(LEFT, y - 4), (LEFT + 24, y - 4)], "outline")
    yield text(LEFT + 32, y, "the big batch", "name")
    yield _following(
        text(LEFT + 214, y, "", "value", "end"), drawn, lambda split: {"text": number(round(split.big, 4))}
    )
    yield rect(LEFT, y + 16, 24, 4, "backbar", 1)
    yield text(LEFT + 32, y + 22, "the parts together", "name")
    made = lambda split, how: {"text": number(round(split.combined(how), 4))}
    yield _made(text(LEFT + 214, y + 22, "", "value", "end"), drawn, made)
    yield _made(text(LEFT + ACROSS, y + 22, "", "name", "end"), drawn, lambda *given: {"text": _verdict(*given)})


def _across(y):
    return [(LEFT, y), (LEFT + ACROSS, y)]


def _verdict(split, how) -> str:
    if split.error(how) < 1e-12:
        return "✓ exactly"
    ratio = split.combined(how) / split.big
    if how == "sum":
        return f"× {number(round(ratio, 2))}"
    return f"{number(round(100 * split.error(how), 1))}% too {'much' if ratio > 1 else 'little'}"
