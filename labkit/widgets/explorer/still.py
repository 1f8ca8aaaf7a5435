"""The still picture of a graph, for readers without JavaScript: a way of folding at a step, as SVG or PNG.

It is drawn in Python from the same cards and places that the page is given.
"""

import base64
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from ...messages.install_hints import how_to_install
from ...palette import PALETTES, SANS
from ..kit.flow import HALF
from ..kit.shown import paints_png

TOP, LINE, HIGH = 30.0, 17.0, 42.0  # px above the graph, of a line of words, of a card
MOST_PNG = 150  # cards; a larger picture takes seconds to paint
LETTERS = 118  # of a line
Drawn = tuple[
    Mapping[str, Any], Mapping[str, Any], Sequence[str]
]  # a way of folding, the state, the title and all words
Thing = tuple[str, dict[str, Any], str]  # rect, path or text; its attributes; what is written


def svg(drawn: Drawn, theme: str) -> str:
    """Plain SVG."""
    width, height, things = _things(drawn, theme)
    marks = "".join(
        f"<{tag}{''.join(f' {k}={chr(34)}{v}{chr(34)}' for k, v in look.items())}>{escape(said)}</{tag}>"
        for tag, look, said in things
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" font-family="{escape(SANS)}">'
        f"<title>{escape(drawn[2][1])}</title>{marks}</svg>"
    )


def images(picture: Any) -> dict[str, Any]:
    """The picture as PNG for a notebook, where it can be painted and is not too large."""
    if len(picture.data["ways"][picture.opened]["cards"]) > MOST_PNG or not paints_png():
        return {}
    return {"image/png": base64.b64encode(picture.png(scale=1.5)).decode()}


def png(drawn: Drawn, theme: str, scale: float) -> bytes:
    """Painted by matplotlib."""
    out, (title, words, _) = io.BytesIO(), drawn[2]
    _figure(drawn, theme, scale).savefig(out, format="png", metadata={"Title": title, "Description": words})
    return out.getvalue()


def _things(drawn: Drawn, theme: str) -> tuple[float, float, list[Thing]]:
    """The size, and what is drawn."""
    way, at, words = drawn
    ink, flow = PALETTES[theme], way["flows"][0]
    lines = _wrapped(words[2], max(int(flow["width"] / 6.4), 60))
    width = max(flow["width"], 480.0)
    below = TOP + flow["height"]
    height = below + LINE * max(len(lines), 2) + 8  # the same at most steps
    things: list[Thing] = [("rect", {"width": f"{width:g}", "height": f"{height:g}", "fill": ink["page"]}, "")]
    things.append(_text(8, 18, words[0], ink["ink"], 14, "start", "bold"))
    for tag, look, said in _graph(way, flow, at["step"], at["view"], ink):
        things.append((tag, {**look, "transform": f"translate(0 {TOP:g})"}, said))
    for k, line in enumerate(lines):
        things.append(_text(8, below + LINE * k + 12, line, ink["muted"], 12.5, "start"))
    return width, height, things


def _graph(way, flow, step, view, ink) -> Iterator[Thing]:
    wide = way["wide"]
    for k, edge in enumerate(way["edges"]):
        yield from _line(flow["forward"][k], ink["forward"], "")
        taped = way["retained"] and view == "tape" and all("tape" in way["cards"][edge[end]] for end in ("from", "to"))
        if (edge["walked"] and step >= edge["walked"]) or taped:
            yield from _line(flow["back"][k], ink["muted" if edge["nil"] else "backward"], "6 4", back=True)
    for k, edge in enumerate(way["edges"]):
        if edge["slope"] and step >= way["seed"]:
            (x, y), half = flow["labels"][k], 3.6 * len(edge["slope"]) + 2
            yield _box(x - half, y - 7, 2 * half, 14, {"fill": ink["page"]})
            yield _text(x, y + 4, edge["slope"], ink["backward-ink"], 12)
    for card, (x, y) in zip(way["cards"], flow["boxes"], strict=True):
        kind = "leaf" if card["kind"] == "leaf" else "forward"
        seen, now = step >= card["ran"], step and step in (card["ran"], card["walked"])
        stroke = ink["bad" if card["marked"] or card["bad"] else kind]
        fill = ink[f"{kind}-fill"] if seen else ink["page"]
        yield from _card(x, y, wide, fill, stroke, now, (card["title"], card["value"] if seen else ""), ink)
        if node := _node(card, step, way, view):
            title, value, foot = node
            fill, y = ink["backward-fill"] if value else ink["page"], y + HALF
            yield from _card(x, y, wide, fill, ink["backward"], now and value, (title, value), ink)
            yield _text(x + wide / 2, y + HIGH + 12, foot, ink["muted"], 11)


def _line(d: str, colour: str, dashes: str, back: bool = False) -> Iterator[Thing]:
    """An edge with its head: at its end, or of one that leads back at its start."""
    look = {"d": d, "fill": "none", "stroke": colour, "stroke-width": "2" if back else "1.5"}
    yield "path", look | ({"stroke-dasharray": dashes} if dashes else {}), ""
    numbers = re.findall(r"-?[\d.]+", d)
    x, y = map(float, numbers[:2] if back else numbers[-2:])
    off = 7 if back else -7
    head = f"M{x:g} {y:g}L{x + off:g} {y - 4:g}L{x + off:g} {y + 4:g}L{x:g} {y:g}"
    yield "path", {"d": head, "fill": colour, "stroke": colour, "stroke-width": "0"}, ""


def _node(card, step, way, view) -> tuple[str, str, str] | None:
    """The title of the card of a gradient, what is written there, and below it; None where it is not there yet."""
    gradient, node = card.get("gradient", {"texts": [], "sums": []}), card.get("tape")
    value, sums = (
        next((words for at, words in reversed(gradient[key]) if at <= step), "") for key in ("texts", "sums")
    )
    if view == "tape":
        if node is None or (step < card["ran"] and not way["retained"]):
            return None
        gone = node["gone"] or (node["frees"] and card["walked"] and step > card["walked"])
        foot = "released" if gone and node["saves"] else node["saves"]
        return node["title"], "released" if node["gone"] else value, foot
    shown = gradient["texts"] and step >= way["seed"]
    return (gradient["title"], value, sums) if shown else None


def _card(x, y, wide, fill, stroke, now, words, ink) -> Iterator[Thing]:
    yield _box(x, y, wide, HIGH, {"rx": "6", "fill": fill, "stroke": stroke, "stroke-width": "2.5" if now else "1"})
    yield _text(x + wide / 2, y + 17, words[0], ink["ink"], 12.5, weight="bold")
    yield _text(x + wide / 2, y + 33, words[1], ink["ink"], 12)


def _box(x, y, wide, high, look) -> Thing:
    return "rect", {"x": f"{x:g}", "y": f"{y:g}", "width": f"{wide:g}", "height": f"{high:g}", **look}, ""


def _text(x, y, said, colour, size, anchor="middle", weight="normal") -> Thing:
    look = {"fill": colour, "font-size": size, "text-anchor": anchor, "font-weight": weight}
    return "text", {"x": f"{x:g}", "y": f"{y:g}", **look}, said


def _wrapped(words, most):
    from textwrap import wrap

    return wrap(words, min(most, LETTERS)) or [""]


def _figure(drawn: Drawn, theme: str, scale: float) -> Any:
    if find_spec("matplotlib") is None:
        raise ImportError("a picture as PNG needs matplotlib: {command}".format(command=how_to_install("notebooks")))
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path as Route

    width, height, things = _things(drawn, theme)
    figure = Figure((width / 100, height / 100), dpi=100 * scale)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    for order, (tag, look, said) in enumerate(things):
        down = float(re.findall(r"[\d.]+", look.get("transform", "0"))[-1])
        x, y, line = float(look.get("x", 0)), float(look.get("y", 0)) + down, 0.72 * float(look.get("stroke-width", 0))
        more: dict[str, Any] = {"fc": look["fill"], "ec": look.get("stroke", "none"), "lw": line, "zorder": order}
        if tag == "text":
            side = {"start": "left", "middle": "center"}[look["text-anchor"]]
            font = {"size": 0.72 * look["font-size"], "weight": look["font-weight"], "family": "DejaVu Sans"}
            axes.text(x, y, said.replace("$", r"\$"), color=look["fill"], ha=side, zorder=order, fontdict=font)
        elif tag == "rect":
            style = f"round,pad=0,rounding_size={look.get('rx', 0)}"
            axes.add_patch(FancyBboxPatch((x, y), float(look["width"]), float(look["height"]), boxstyle=style, **more))
        else:
            spots, codes = _route(look["d"])
            route, dashed = Route([(x, y + down) for x, y in spots], codes), "stroke-dasharray" in look
            axes.add_patch(PathPatch(route, fill=look["fill"] != "none", ls="--" if dashed else "-", **more))
    return figure


def _route(d):
    """The points of a path of M, L and C, and matplotlib's codes."""
    spots, codes = list[tuple[float, float]](), list[int]()
    for letter, numbers in re.findall(r"([MLC])([^MLC]*)", d):
        values = [float(n) for n in numbers.split()]
        found = list(zip(values[::2], values[1::2], strict=True))
        spots += found
        codes += [{"M": 1, "L": 2, "C": 4}[letter]] * len(found)
    return spots, codes
