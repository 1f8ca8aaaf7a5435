"""A run as time: what the device does above, what the host does below; while the one works the other waits."""

from collections.abc import Iterator, Mapping, Sequence

from ....mindspore.train import Transfers
from ...kit.axes import Axis
from ...kit.scene import Mark, path, text
from ...kit.strokes import polygon
from ...kit.words import counted

HIGH, APART = 12.0, 18.0  # px of a lane, and from one to the other


def lanes(
    counts: Mapping[str, Sequence[Transfers]], joint: Mapping[str, int], left: float, right: float, y: float
) -> Iterator[Mark]:
    """The lanes below a line of words whose baseline is at y, drawn as if a round trip took the host as long as a step."""
    runs = [(count, epochs) for found in counts.values() for epochs, count in enumerate(found, 1)]
    along = Axis(0, max(count.steps + count.round_trips for count, _ in runs), left, right)
    words = [
        f"{counted(epochs, 'epoch')} × {count.steps // epochs} = {counted(count.steps, 'step')}"
        for count, epochs in runs
    ]
    yield text(left, y, "", "forwardtext").following(joint, text=words)
    trips = [f"● {counted(count.round_trips, 'round trip')}" for count, _ in runs]
    yield text(right, y, "", "slope", "end").following(joint, text=trips)
    top = y + 10
    for k, (name, role) in enumerate((("device", "bar"), ("host", "backbar"))):
        low = top + k * APART
        yield text(left - 6, low + HIGH - 2, name, "note", "end")
        boxes = [_boxes(spans(count)[k], along, low) for count, _ in runs]
        yield path(boxes[0], role).following(joint, d=boxes)
    least = [
        f"{count.steps + count.round_trips} steps long, if a round trip takes as long as a step" for count, _ in runs
    ]
    yield text(left, top + 2 * APART + 10, "", "note").following(joint, text=least)


def spans(count: Transfers) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """From when to when the device works, and the host, in steps: the one after the other, as often as there are round trips."""
    each = count.steps // count.round_trips
    starts = [k * (each + 1) for k in range(count.round_trips)]
    return [(start, start + each) for start in starts], [(start + each, start + each + 1) for start in starts]


def _boxes(found, along, top) -> str:
    corners = (
        [(along(a) + 0.3, top), (along(b) - 0.3, top), (along(b) - 0.3, top + HIGH), (along(a) + 0.3, top + HIGH)]
        for a, b in found
    )
    return "".join(polygon(box) for box in corners)
