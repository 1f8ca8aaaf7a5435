"""A scene playing by itself: an animated GIF that stays at each position of its slider, and moves in between.

Frames share one palette and are not dithered, so that flat colours stay flat and a frame stores only what has changed. On
the way from one position to the next only the part is painted in which something moves.
"""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from .motion import at
from .paint import Box, legible, sheet
from .scene import Dial, Scene, holds, width_of
from .still import MARGIN, Seen, Strip, Words, describe, drawn, placed, things, visible_marks, wrapped
from .strokes import numbers
from .theme import PALETTES

STAYS, LAST_STAYS = 1100, 5000  # ms: how long a position is seen at most, and the last one before it begins anew
WHOLE = 12000  # ms, of many positions together, as in the page
FRAME, MOST = 80, 6  # ms of a frame on the way to the next position, and at most so many of them
FRAMES = 120  # on all ways together
COLOURS = 64
AROUND = 9.0  # px that lines, halos and letters may reach beyond a mark's own box


class Patch(NamedTuple):
    """Pixels, each a number 0xrrggbb, and where their left upper corner lies in a frame."""

    top: int
    left: int
    pixels: np.ndarray


class Look(NamedTuple):
    """How a scene is painted: the dial that is played, the theme, pixels to a px, and lines that the sentences have."""

    scene: Scene
    dial: str
    theme: str
    scale: float
    lines: int

    def whole(self, left: float, top: float, right: float, bottom: float) -> Box:
        """The same part of the picture, enlarged to whole pixels."""
        (left, top), (right, bottom) = (
            (made(x * self.scale) + more, made(y * self.scale) + more)
            for x, y, made, more in ((left, top, floor, 0.0), (right, bottom, ceil, 1e-6))
        )
        return left / self.scale, top / self.scale, right / self.scale, bottom / self.scale

    def pixels(self, part: Box, seen: Iterable[tuple[Strip, list[Seen]]], words: list[Words]) -> np.ndarray:
        """A part of the picture, each pixel a number 0xrrggbb."""
        painting = sheet(part, things(seen, words, self.theme), PALETTES[self.theme]["page"], self.scale)
        with legible():
            painting.draw()
        red, green, blue = np.moveaxis(np.asarray(painting.buffer_rgba()), 2, 0)[:3].astype(np.uint32)
        return red << 16 | green << 8 | blue


def gif(scene: Scene, state: Mapping[str, int], theme: str = "light", scale: float = 1.0) -> bytes:
    """The picture as GIF, from `state` on; `scale` pixels to a px. Its comment holds all that it says.

    Raises ValueError where there is nothing to play, ImportError where matplotlib, which brings Pillow, is not installed.
    """
    dial = played(scene, state)
    states = [scene.turning(state, {dial.name: at}) for at in _seen(dial, state[dial.name])]
    lines = max(len(wrapped(scene.said(state), placed(scene, state)[0] - 2 * MARGIN)) for state in states)
    look = Look(scene, dial.name, theme, scale, lines)
    frames = painted(look, states)
    pace = WHOLE // max(1, len(states) - 1)
    count = max(1, min(MOST, FRAMES // max(1, len(states) - 1), 3 * pace // (4 * FRAME)))
    ways = [list(between(look, *pair, count)) for pair in pairwise(states)]
    first, *others = indexed(frames, ways, PALETTES[theme])
    out = io.BytesIO()
    stay = [STAYS, *(ms for way in ways for ms in [*[FRAME] * len(way), min(STAYS, max(FRAME, pace - FRAME * count))])]
    words = "\n".join([describe(scene, states[0]), *(scene.caption(state) for state in states[1:])])
    stay[-1] = LAST_STAYS
    first.save(out, "GIF", save_all=True, append_images=others, duration=stay, loop=0, optimize=False, comment=words)
    return out.getvalue()


def played(scene: Scene, state: Mapping[str, int]) -> Dial:
    """The dial that is played: the first that is offered at a state."""
    for dial in scene.dials:
        if (dial.kind == "slider" or dial.plays) and holds(dial.when, state):
            return dial
    kinds = ", ".join(dial.kind for dial in scene.dials) or "none"
    raise ValueError(f"gif: expected a picture with a slider to play, but this one has dials of these kinds: {kinds}")


def _seen(dial: Dial, now: int) -> Iterable[int]:
    """The positions that are seen, from where it stands on, or all where it stands at the last; where it stops it goes round."""
    if dial.stops:
        return [now, *(at for at in dial.stops if at > now), *(at for at in dial.stops if at < now), now]
    return dial.plays or range(now if now < len(dial.values) - 1 else 0, len(dial.values))


def painted(look: Look, states: list[dict[str, int]]) -> list[np.ndarray]:
    """A frame for each state. They are of one size, and what stands below the sentences stays in place."""
    frames = []
    for state in states:
        width, height, spots, words = placed(look.scene, state, look.lines)
        seen = drawn(spots, partial(visible_marks, state=state))
        frames.append(look.pixels(look.whole(0, 0, width, height), seen, words))
    height, width = np.max([frame.shape for frame in frames], axis=0)
    page = number(PALETTES[look.theme]["page"])
    rooms = [((0, height - frame.shape[0]), (0, width - frame.shape[1])) for frame in frames]
    return [np.pad(frame, room, constant_values=page) for frame, room in zip(frames, rooms)]


# ---- on the way from one position to the next ----


def between(look: Look, before: dict[str, int], after: dict[str, int], count: int) -> Iterator[Patch]:
    """What differs from the frame of the state `after`, `count` times on the way there."""
    width, height, spots, words = placed(look.scene, after, look.lines)
    if [strip[:2] for strip in placed(look.scene, before, look.lines)[2]] != [strip[:2] for strip in spots]:
        return  # other panels are seen: there is no way
    there = [marks for _, marks in drawn(spots, partial(visible_marks, state=after))]
    for k in range(1, count + 1):
        here = list(drawn(spots, partial(at, state=before, dial=look.dial, progress=k / (count + 1), after=after)))
        boxes = [_box(strip, mark) for (strip, marks), end in zip(here, there) for mark in _differing(marks, end)]
        if boxes:
            lefts, tops, rights, bottoms = zip(*boxes)
            part = look.whole(max(min(lefts), 0), max(min(tops), 0), min(max(rights), width), min(max(bottoms), height))
            near = [(strip, [mark for mark in marks if _meet(_box(strip, mark), part)]) for strip, marks in here]
            top, left = round(part[1] * look.scale), round(part[0] * look.scale)
            yield Patch(top, left, look.pixels(part, near, words))


def _differing(marks: list[Seen], others: list[Seen]) -> Iterator[Seen]:
    """The marks that look otherwise in the other list, with how they look there."""
    for some, rest in ((marks, others), (others, marks)):
        known = {id(mark[0]): mark[1:] for mark in rest}
        yield from (mark for mark in some if known.get(id(mark[0])) != mark[1:])


def _box(strip: Strip, seen: Seen) -> Box:
    """Where a mark may leave traces in the picture, px."""
    mark, here, words, _ = seen
    if mark.tag == "path":
        found = numbers(here["d"])
        box = min(found[::2]), min(found[1::2]), max(found[::2]), max(found[1::2])
    elif mark.tag == "text":
        width = width_of(words, 14, mono=True)
        left = here["x"] - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[here.get("text-anchor", "start")]
        box = left, here["y"] - 14, left + width, here["y"] + 6
    elif mark.tag == "circle":
        box = here["cx"] - here["r"], here["cy"] - here["r"], here["cx"] + here["r"], here["cy"] + here["r"]
    else:
        box = here["x"], here["y"], here["x"] + here["width"], here["y"] + here["height"]
    right, down = strip.x - strip.left, strip.y
    return box[0] + right - AROUND, box[1] + down - AROUND, box[2] + right + AROUND, box[3] + down + AROUND


def _meet(box: Box, other: Box) -> bool:
    return box[0] <= other[2] and other[0] <= box[2] and box[1] <= other[3] and other[1] <= box[3]


# ---- as GIF ----


def indexed(frames: list[np.ndarray], ways: list[list[Patch]], theme: Mapping[str, str]) -> list[Any]:
    """The frames, each with the way to it before it, as Pillow's images of `COLOURS` colours: those of the theme, then
    those seen most, else the nearest."""
    from PIL import Image

    times: Counter[int] = Counter()
    for pixels in [*frames, *(patch.pixels for way in ways for patch in way)]:
        times.update(dict(zip(*(found.tolist() for found in np.unique(pixels, return_counts=True)))))
    seen = np.array(sorted(times), np.uint32)
    flat = [colour for colour in map(number, theme.values()) if colour in times]
    often = sorted(times, key=lambda colour: (-times[colour], colour))
    chosen = parts(np.array(list(dict.fromkeys([*flat, *often]))[:COLOURS], np.uint32))
    nearest = np.zeros(1 << 24, np.uint8)
    nearest[seen] = np.argmin(((parts(seen)[:, None] - chosen) ** 2).sum(axis=2), axis=1)
    images = []
    for frame, way in zip(frames, [[], *ways]):
        whole = nearest[frame]
        for top, left, pixels in way:
            image, (height, width) = whole.copy(), pixels.shape
            image[top : top + height, left : left + width] = nearest[pixels]
            images.append(Image.fromarray(image))
        images.append(Image.fromarray(whole))
    for image in images:
        image.putpalette(chosen.astype(np.uint8).tobytes())
    return images


def number(colour: str) -> int:
    """A colour such as "#0072b2" as a number."""
    return int(colour.removeprefix("#"), 16)


def parts(colours: np.ndarray) -> np.ndarray:
    """Red, green and blue of colours, one row each."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(int)
