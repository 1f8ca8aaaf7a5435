"""What becomes of the gradients of each parameter or layer, as bars."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.scene import Mark, only, rect, text
from .axes import LOOKS, by_format, fate_key, lost_to, percent
from .outcome import Outcome

MOST_ROWS = 8
BAR_LEFT, BAR_RIGHT, ROW, HIGH = 104.0, 226.0, 27.0, 17.0


def rows(names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """`(label, places of the parameters)` of each row: a parameter, or a layer where there are many."""
    every = [(name, [i]) for i, name in enumerate(names)]
    if len(names) > MOST_ROWS:
        layers: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            layers.setdefault(name.rpartition(".")[0] or name, []).append(i)
        every = list(layers.items())
    if len(every) > MOST_ROWS:
        more = [i for _, places in every[MOST_ROWS - 1 :] for i in places]
        every = [*every[: MOST_ROWS - 1], (f"{len(every) - MOST_ROWS + 1} more", more)]
    every = [(f"layer {label}" if label.isdigit() else label, places) for label, places in every]
    return [(label if len(label) <= 16 else "…" + label[-15:], places) for label, places in every]


def height(names: Sequence[str]) -> float:
    """Of the panel with a bar for every row."""
    return 44 + ROW * len(rows(names))


def bars(
    formats: Sequence[str], dial: str, names: Sequence[str], outcomes: Mapping[str, list[Outcome]]
) -> Iterator[Mark]:
    """For every row a bar of what is flushed, subnormal, normal and overflowed, and the worst of it in words."""
    for i, (label, places) in enumerate(rows(names)):
        y = 8 + i * ROW
        yield text(BAR_LEFT - 6, y + 13, label, "note", "end")
        shares = {of: [_shares(o, places) for o in outcomes[of]] for of in formats}
        for found, of, when in by_format(formats, shares):
            yield from only(when, _bar(dial, y, found, lost_to(of)))
    for infinite, _, when in by_format(formats, {of: lost_to(of) for of in formats}):
        yield from only(when, fate_key(8.0, height(names) - 8, infinite))


def _shares(found, places):
    counts = found.counts[places].sum(axis=0)
    return tuple(float(n) for n in counts / max(counts.sum(), 1))


def _bar(dial, y, found, infinite) -> Iterator[Mark]:
    """Layers over one another, each from the left: only their widths change."""
    long = BAR_RIGHT - BAR_LEFT
    for upto, fate in ((3, "normal"), (2, "subnormal"), (1, "flushed")):
        yield rect(BAR_LEFT, y, 0, HIGH, LOOKS[fate], 0).following(dial, width=[sum(s[:upto]) * long for s in found])
    over = rect(BAR_RIGHT, y, 0, HIGH, LOOKS["overflowed"], 0)
    yield over.following(dial, x=[BAR_RIGHT - s[3] * long for s in found], width=[s[3] * long for s in found])
    yield text(BAR_RIGHT + 8, y + 13, "", "note").following(dial, text=[_worst(s, infinite) for s in found])


def _worst(shares, infinite):
    flushed, subnormal, _, over = shares
    lost = [f"{percent(flushed)} → 0"] if flushed else []
    lost += [f"{percent(over)} → {infinite}"] if over else []
    if not any(shares):
        return "all are 0"
    return ", ".join(lost) or (f"{percent(subnormal)} subnormal" if subnormal else "all normal")
