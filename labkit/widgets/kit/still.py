"""A scene as a still picture: plain SVG that looks the same everywhere, PNG, and words.

The SVG has plain attributes only (no style sheet, no variable, no marker), for notebook viewers and converters drop or
misread those. The PNG is drawn by matplotlib from the same marks.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from .paint import NOT_XML, Thing, legible, sheet
from .scene import Mark, Panel, Scene, holds, looks, width_of
from .strokes import numbers, px
from .theme import PALETTES, attributes

MARGIN, LINE, TITLE, HEADLINE = 16.0, 17.0, 22.0, 24.0
MIN_WIDTH = 420.0
Words = tuple[float, float, str, str]  # x, y, words, role
Seen = tuple[Mark, dict[str, Any], str, str]  # a mark, its attributes, its text, the name of its state
SIDE_BY_SIDE, GAP, LOW = 920.0, 24.0, 40.0  # px: of panels in a row, between two, and what is only a line of words
STRIP = 1150.0  # px: a wider panel is cut into strips, one below the other


class Strip(NamedTuple):
    """The part of `panel` from `left` to `right`, drawn at (x, y)."""

    x: float
    y: float
    panel: Panel
    left: float
    right: float


def placed(scene: Scene, state: Mapping[str, int], lines: int = 0) -> tuple[float, float, list[Strip], list[Words]]:
    """`(width, height, strips, [(x, y, words, role)])` of the still picture: panels side by side where they fit in a page.

    `lines`: the room that the sentences of the state have at least; then only what the page says at once is written.
    """
    panels = [p for p in scene.panels if holds(p.when, state) and not p.live]
    cut = {panel.name: cuts(panel) for panel in panels}
    rows = _rows(panels, cut)
    widths = [sum(_across(cut[panel.name]) for panel in row) + GAP * (len(row) - 1) for row in rows]
    width = max([*widths, MIN_WIDTH]) + 2 * MARGIN
    words: list[Words] = []
    y = MARGIN

    def write(
        told: str, role: str, line: float, size: float = 12.0, x: float = MARGIN, room: float = 0.0, step: float = LINE
    ) -> float:  # fmt: skip
        """Add lines of words; returns where they end."""
        parts = wrapped(told, room or width - 2 * MARGIN, size)
        words.extend((x, y + step * i + line * 0.8, part, role) for i, part in enumerate(parts))
        return y + step * len(parts)

    y = write(scene.title, "heading", HEADLINE, 18.0, step=HEADLINE) + 2
    noticed = scene.noticed(state)
    y = write(noticed, "badtext" if noticed == scene.notice else "forwardtext", LINE)
    y = max(write(scene.said(state) if lines else scene.told(state), "plain", LINE), y + LINE * lines)
    spots: list[Strip] = []
    for row in rows:
        top, x, ends = y, MARGIN, [y]
        for panel in row:
            room = panel.width if len(row) > 1 else 0.0
            y = top
            y = write(panel.title, "caption", TITLE, 14.5, x, room) + (TITLE - LINE if panel.title else 0.0)
            for left, right, high in _strips(panel, cut[panel.name]):
                spots.append(Strip(x, y, panel, left, right))
                y += high + 6
            ends.append(y)
            x += panel.width + GAP
        y = max(ends)
    return width, y + MARGIN, spots, words


def _rows(panels: list[Panel], cut: Mapping[str, list[float]]) -> list[list[Panel]]:
    """The panels that stand side by side: those that together are not wider than a page."""
    rows: list[list[Panel]] = []
    for panel in panels:
        before = [*rows[-1], panel] if rows else []
        small = all(len(cut[one.name]) == 2 and one.height > LOW for one in before)
        if before and small and sum(one.width + GAP for one in before) - GAP <= SIDE_BY_SIDE:
            rows[-1].append(panel)
        else:
            rows.append([panel])
    return rows


def _across(places):
    return max(right - left for left, right in pairwise(places))


def _strips(panel, places):
    """`(left, right, height)` of the strips of a panel that is cut at these places."""
    bottoms = _bottoms(panel) if len(places) > 2 else [(0.0, panel.width, panel.height)]
    for left, right in pairwise(places):
        below = [bottom for low, high, bottom in bottoms if low <= right and high >= left]
        yield left, right, min(panel.height, max(below, default=60.0))


def cuts(panel: Panel) -> list[float]:
    """Where a panel is cut into strips of at most `STRIP` px, ends included: where no box stands, if there is such a place."""
    boxes = sorted((m.at["x"] - 4, m.at["x"] + m.at["width"] + 4) for m in panel.marks if m.tag == "rect")
    free, reached = [], 0.0
    for left, right in boxes:
        if left > reached:
            free.append((reached + left) / 2)
        reached = max(reached, right)
    found = [0.0]
    while panel.width - found[-1] > STRIP and not panel.whole:
        fitting = [x for x in free if found[-1] + STRIP / 2 < x <= found[-1] + STRIP]
        found.append(fitting[-1] if fitting else found[-1] + STRIP)
    return [*found, panel.width]


def _bottoms(panel):
    """How far down a strip of the panel has to go: `(left, right, y)` for each box and each line of a saved value."""
    boxes = [(*reach(m, m.at), m.at["y"] + m.at["height"] + 20) for m in panel.marks if m.tag == "rect"]
    lines = [(*reach(m, m.at), max(numbers(m.at["d"])[1::2]) + 6)
             for m in panel.marks if m.role == "saved"]  # fmt: skip
    return [(low, high, max(bottom, 60.0)) for low, high, bottom in boxes + lines]


def wrapped(words: str, width: float, size: float = 12.0) -> list[str]:
    """Words broken into lines of at most about `width` px."""
    lines: list[str] = []
    for word in words.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(joined, size) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def visible_marks(panel: Panel, state: Mapping[str, int]) -> Iterator[Seen]:
    """The visible marks of a panel as `(mark, attributes, text, state name)`; as in a browser no rectangle without area."""
    for mark in panel.marks:
        if holds(mark.when, state):
            at, words, name = looks(mark, state)
            if name not in ("hidden", "asked") and (mark.tag != "rect" or (at["width"] > 0 and at["height"] > 0)):
                yield mark, at, words, name


def reach(mark, at) -> tuple[float, float]:
    """Between which x a mark may be seen, in px."""
    if mark.tag == "rect":
        return at["x"], at["x"] + at["width"]
    if mark.tag == "path":
        xs = numbers(at["d"])[::2]
        return min(xs), max(xs)
    middle = at.get("x", at.get("cx", 0.0))
    return middle - 300, middle + 300


def drawn(spots: list[Strip], see: Callable[[Panel], Iterable[Seen]]) -> Iterator[tuple[Strip, list[Seen]]]:
    """`(strip, the marks that reach into it)` for each strip, `see` telling what is seen of a panel."""
    panels = {spot.panel.name: spot.panel for spot in spots}
    seen = {name: [(reach(m[0], m[1]), m) for m in see(panel)] for name, panel in panels.items()}
    for spot in spots:
        yield spot, [mark for (low, high), mark in seen[spot.panel.name] if low <= spot.right and high >= spot.left]


def svg(scene: Scene, state: Mapping[str, int], theme: str = "light") -> str:
    """The picture as an SVG document, sizes in px."""
    width, height, spots, words = placed(scene, state)
    label = _quoted(f"{scene.title}. {scene.description}".translate(NOT_XML))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{px(width)}" height="{px(height)}" '
        f'viewBox="0 0 {px(width)} {px(height)}" role="img" aria-label={label}>',
        f'<rect width="{px(width)}" height="{px(height)}" fill="{PALETTES[theme]["page"]}"/>',
    ]
    parts += [_element("text", {"x": px(x), "y": px(y), **attributes(r, "", theme)}, t) for x, y, t, r in words]
    for (x, y, panel, left, right), marks in drawn(spots, lambda panel: visible_marks(panel, state)):
        room, high = px(right - left), px(panel.height)
        parts.append(
            f'<svg x="{px(x)}" y="{px(y)}" width="{room}" height="{high}" viewBox="{px(left)} 0 {room} {high}">'
        )
        parts += [_element(m.tag, at | attributes(m.role, name, theme), label) for m, at, label, name in marks]
        parts.append("</svg>")
    return "\n".join([*parts, "</svg>"])


def _quoted(text):
    """A text as the value of an attribute, in the quotes that it has not itself."""
    text = escape(text, quote=False).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else '"{}"'.format(text.replace('"', "&quot;"))


def _element(tag, at, words=""):
    at = at | {"xml:space": "preserve"} if "  " in words else at  # the indentation of code
    inner = " ".join(f"{key}={_quoted(str(_number(value)))}" for key, value in at.items())
    return (
        f"<{tag} {inner}>{escape(words.translate(NOT_XML), quote=False)}</{tag}>"
        if tag == "text"
        else f"<{tag} {inner}/>"
    )


def _number(value):
    return int(value) if isinstance(value, float) and value.is_integer() else value


def describe(scene: Scene, state: Mapping[str, int]) -> str:
    """The picture in words: title, description, notice, and the sentence of the state."""
    parts = [
        f"{scene.title.rstrip('?')}{'?' if scene.title.endswith('?') else '.'}",
        scene.description,
        scene.noticed(state),
        scene.told(state),
    ]
    return "\n".join(filter(None, parts))


# ---- PNG ----


def png(scene: Scene, state: Mapping[str, int], theme: str = "light", scale: float = 2.0) -> bytes:
    """The picture as PNG, `scale` pixels to a px. Raises ImportError where matplotlib is not installed."""
    out, words = io.BytesIO(), {"Title": scene.title, "Description": describe(scene, state)}
    with legible():
        canvas(scene, state, theme, scale).print_png(out, metadata=words)
    return out.getvalue()


def canvas(scene: Scene, state: Mapping[str, int], theme: str, scale: float) -> Any:
    """The picture as a canvas of matplotlib, ready to be painted."""
    width, height, spots, words = placed(scene, state)
    seen = drawn(spots, lambda panel: visible_marks(panel, state))
    return sheet((0.0, 0.0, width, height), things(seen, words, theme), PALETTES[theme]["page"], scale)


def things(seen: Iterable[tuple[Strip, list[Seen]]], words: list[Words], theme: str) -> Iterator[Thing]:
    """What is painted: the words of a picture, and the marks in strips of its panels."""
    for x, y, label, role in words:
        yield Thing("text", {"x": x, "y": y, **attributes(role, "", theme)}, label)
    for (x, y, panel, left, right), marks in seen:
        clip = (x, y, x + right - left, y + panel.height)
        for mark, at, label, name in marks:
            yield Thing(mark.tag, at | attributes(mark.role, name, theme), label, (x - left, y), clip)
