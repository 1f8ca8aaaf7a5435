"""A scene playing by itself: an animated GIF with a frame for each position of its slider.

Frames share one palette and are not dithered, so that flat colours stay flat and a frame stores only what has changed.
"""

import io
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from .scene import Dial, Scene
from .still import MARGIN, canvas, describe, legible, placed, wrapped
from .theme import PALETTES

STAYS, LAST_STAYS = 1600, 5000  # ms: how long a frame is seen, and the last one before it begins anew
COLOURS = 64


def gif(scene: Scene, state: Mapping[str, int], theme: str = "light", scale: float = 1.0) -> bytes:
    """The picture as GIF, from `state` on; `scale` pixels to a px. Its comment holds all that it says.

    Raises ValueError where there is nothing to play, ImportError where matplotlib, which brings Pillow, is not installed.
    """
    dial = played(scene)
    states = [{**state, dial.name: at} for at in range(state[dial.name], len(dial.values))]
    first, *others = indexed(painted(scene, states, theme, scale), PALETTES[theme])
    out = io.BytesIO()
    stay = [STAYS] * len(others) + [LAST_STAYS]
    words = "\n".join([describe(scene, states[0]), *(scene.caption(state) for state in states[1:])])
    first.save(out, "GIF", save_all=True, append_images=others, duration=stay, loop=0, optimize=False, comment=words)
    return out.getvalue()


def played(scene: Scene) -> Dial:
    """The dial that is played: the first slider."""
    for dial in scene.dials:
        if dial.kind == "slider":
            return dial
    kinds = ", ".join(dial.kind for dial in scene.dials) or "none"
    raise ValueError(f"gif: expected a picture with a slider to play, but this one has dials of these kinds: {kinds}")


def painted(scene: Scene, states: list[dict[str, int]], theme: str, scale: float) -> list[np.ndarray]:
    """The frames, each pixel a number 0xrrggbb. They are of one size, and what stands below the sentences stays in place."""
    lines = max(len(wrapped(scene.caption(state), placed(scene, state)[0] - 2 * MARGIN)) for state in states)
    frames = []
    for state in states:
        painting = canvas(scene, state, theme, scale, lines)
        with legible():
            painting.draw()
        frames.append(np.asarray(painting.buffer_rgba())[..., :3] @ np.array([1 << 16, 1 << 8, 1], np.uint32))
    height, width = np.max([frame.shape for frame in frames], axis=0)
    page = number(PALETTES[theme]["page"])
    rooms = [((0, height - frame.shape[0]), (0, width - frame.shape[1])) for frame in frames]
    return [np.pad(frame, room, constant_values=page) for frame, room in zip(frames, rooms)]


def indexed(frames: list[np.ndarray], theme: Mapping[str, str]) -> list[Any]:
    """The frames as Pillow's images of `COLOURS` colours: those of the theme, then those seen most, else the nearest."""
    from PIL import Image

    times: Counter[int] = Counter()
    for frame in frames:
        times.update(dict(zip(*(found.tolist() for found in np.unique(frame, return_counts=True)))))
    seen = np.array(sorted(times), np.uint32)
    flat = [colour for colour in map(number, theme.values()) if colour in times]
    often = sorted(times, key=lambda colour: (-times[colour], colour))
    chosen = parts(np.array(list(dict.fromkeys([*flat, *often]))[:COLOURS], np.uint32))
    nearest = np.argmin(((parts(seen)[:, None] - chosen) ** 2).sum(axis=2), axis=1).astype(np.uint8)
    images = [Image.fromarray(nearest[np.searchsorted(seen, frame)]) for frame in frames]
    for image in images:
        image.putpalette(chosen.astype(np.uint8).tobytes())
    return images


def number(colour: str) -> int:
    """A colour such as "#0072b2" as a number."""
    return int(colour.removeprefix("#"), 16)


def parts(colours: np.ndarray) -> np.ndarray:
    """Red, green and blue of colours, one row each."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(int)
