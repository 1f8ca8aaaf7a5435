"""Everything at once: what every scale does to the gradients."""

from collections.abc import Iterator

from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Mark, line, only, path, rect, text, width_of
from .axes import LOOKS, by_format, columns_axis, fate_key, lost_to, stacked, two_to
from .outcome import Sweep

HEIGHT = 226.0
LEFT, RIGHT = 42.0, 358.0


def every_scale(sweep: Sweep, dial: str) -> Iterator[Mark]:
    """The shares of all fates over the scales, stacked, with the scale that is chosen."""
    top, base, count, across = _scales_axis(sweep)
    up = Axis(0, 1, base, top)
    yield rect(LEFT, top, across.end - LEFT, base - top, "area", 0)
    yield text((LEFT + across.end) / 2, (top + base) / 2, "which of them are safe?", "note", "middle").asking(dial)
    for found, _, when in by_format(sweep.formats, {of: _layers(sweep, of, across, up) for of in sweep.formats}):
        yield from (mark.answering(dial) for mark in only(when, map(path, found, LOOKS.values())))
    for safe, _, when in by_format(sweep.formats, sweep.safe):
        yield from (mark.answering(dial) for mark in only(when, _bracket(safe, across, top - 6)))
    yield from up.beside(LEFT - 5, (0.0, 0.5, 1.0), "{:.0%}".format)
    for power in range(0, count, 4):
        yield text(across(power + 0.5), base + 15, str(power), "tick", "middle")
    yield text(LEFT - 5, base + 15, "log₂", "note", "end")
    for infinite, _, when in by_format(sweep.formats, {of: lost_to(of) for of in sweep.formats}):
        yield from only(when, fate_key(LEFT, base + 32, infinite))
    yield line(LEFT, base, across.end, base, "axis")
    places, width = [across(power) for power in range(count)], across(1) - across(0)
    mist = rect(LEFT - 2, top - 2, 0, base - top + 3, "mist", 0).answering(dial)
    yield mist.following(dial, width=[x - LEFT + 2 for x in places])
    yield mist.following(dial, x=[x + width for x in places], width=[across.end + 2 - x - width for x in places])
    yield rect(0, top - 2, width, base - top + 4, "before", 0).following(dial, x=places)
    for power, x in enumerate(places):
        yield rect(x, top, width, base - top, "row", 0, link=f"{dial} {power}")


def _scales_axis(sweep):
    """Top, base, the number of scales, and where each one lies."""
    count = len(next(iter(sweep.outcomes.values())))
    return 30.0, HEIGHT - 40, count, columns_axis(0, count, LEFT, RIGHT)


def chosen_scale(sweep: Sweep, dial: str) -> Grip:
    """The frame around the scale that is chosen, to be dragged."""
    top, base, count, across = _scales_axis(sweep)
    spots = [(across(power + 0.5), base) for power in range(count)]
    area = (LEFT, top, across.end - LEFT, base - top)
    return Grip(f"{dial} chosen", f"{dial} scales", "The scale", dial, spots, "x", area=area, bare=True, jumps=True)


def _layers(sweep, of, across, up):
    shares = {i: o.counts.sum(axis=0) / o.size for i, o in enumerate(sweep.outcomes[of])}
    return stacked(across, up, shares)


def _bracket(safe, across, y) -> Iterator[Mark]:
    if safe is None:
        yield text((LEFT + RIGHT) / 2, y - 6, "no scale is safe for all of them", "badtext", "middle")
        return
    low, high = across(safe[0]), across(safe[1] + 1)
    words = f"safe: {two_to(safe[0])} to {two_to(safe[1])}" if safe[0] < safe[1] else f"safe: {two_to(safe[0])} alone"
    half = width_of(words, 12.5) / 2
    yield path([(low + 1, y + 5), (low + 1, y), (high - 1, y), (high - 1, y + 5)], "ravine")
    yield text(min(max((low + high) / 2, LEFT + half), RIGHT - half), y - 6, words, "plain", "middle")
