"""The still picture of a graph, for readers without JavaScript: a way of folding at a step, as SVG, PNG or GIF.

It is drawn in Python from the same cards and places that the page is given.
"""

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from ...messages.install_hints import how_to_install
from ...palette import PALETTES, SANS
from ..kit.shown import paints_png
from .graph.places import APART, HIGH

TOP, LINE = 30.0, 17.0  # px above the graph, of a line of words
MOST_PNG = 150  # cards; a larger picture takes seconds to paint
LETTERS = 118  # of a line
Thing = tuple[str, dict[str, Any], str]  # rect, path or text; its attributes; what is written


def svg(way: Mapping[str, Any], at: Mapping[str, Any], words: Sequence[str], theme: str) -> str:
    """Plain SVG."""
    width, height, things = _things(way, at, words, theme)
    drawn = "".join(
        f"<{tag}{''.join(f' {k}={chr(34)}{v}{chr(34)}' for k, v in look.items())}>{escape(said)}</{tag}>"
        for tag, look, said in things
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" font-family="{escape(SANS)}">'
        f"<title>{escape(words[1])}</title>{drawn}</svg>"
    )


def images(picture: Any) -> dict[str, Any]:
    """The picture as PNG for a notebook, where it can be painted and is not too large."""
    if len(picture.data["ways"][picture.opened]["cards"]) > MOST_PNG or not paints_png():
        return {}
    return {"image/png": base64.b64encode(picture.png(scale=1.5)).decode()}


def png(way: Mapping[str, Any], at: Mapping[str, Any], words: Sequence[str], theme: str, scale: float) -> bytes:
    """Painted by matplotlib."""
    out = io.BytesIO()
    _figure(way, at, words, theme, scale).savefig(
        out, format="png", metadata={"Title": words[0], "Description": words[1]}
    )
    return out.getvalue()


def gif(frames: Sequence[tuple], theme: str, scale: float) -> bytes:
    """Each frame a second."""
    from PIL import Image

    painted = [
        Image.open(io.BytesIO(png(*frame, theme, scale))).convert("P", palette=Image.Palette.ADAPTIVE)
        for frame in frames
    ]
    out = io.BytesIO()
    painted[0].save(
        out, "GIF", save_all=True, append_images=painted[1:], duration=[1000] * (len(painted) - 1) + [4000], loop=0
    )
    return out.getvalue()


def _things(way, at, words, theme) -> tuple[float, float, list[Thing]]:
    """The size, and what is drawn."""
    ink, flow = PALETTES[theme], way["flows"][0]
    lines = _wrapped(words[1].splitlines()[-1] if words[1] else "", max(int(flow["width"] / 6.4), 60))
    width = max(flow["width"], 480.0)
    height = TOP + flow["height"] + LINE * len(lines) + 8
    things: list[Thing] = [("rect", {"width": f"{width:g}", "height": f"{height:g}", "fill": ink["page"]}, "")]
    things.append(_text(8, 18, words[0], ink["ink"], 14, "start", "bold"))
    for tag, look, said in _graph(way, flow, at, ink):
        things.append((tag, {**look, "transform": f"translate(0 {TOP:g})"}, said))
    for k, line in enumerate(lines):
        things.append(_text(8, TOP + flow["height"] + LINE * k + 12, line, ink["muted"], 12.5, "start"))
    return width, height, things


def _graph(way, flow, at, ink) -> Iterator[Thing]:
    step, wide, tape = at["step"], way["wide"], at["view"] in ("tape", "both")
    for k, edge in enumerate(way["edges"]):
        dashes = {"stroke-dasharray": "4 5"} if edge["cut"] else {}
        yield (
            "path",
            {"d": flow["forward"][k], "fill": "none", "stroke": ink["muted"], "stroke-width": "1.5", **dashes},
            "",
        )
        if edge["walked"] and step >= edge["walked"] and flow["back"][k]:
            yield "path", {"d": flow["back"][k], "fill": "none", "stroke": ink["backward"], "stroke-width": "2"}, ""
    for k, edge in enumerate(way["edges"]):
        if edge["slope"] and flow["labels"][k] and step >= way["seed"]:
            x, y = flow["labels"][k]
            yield (
                "rect",
                {"x": f"{x - 26:g}", "y": f"{y - 8:g}", "width": "52", "height": "16", "fill": ink["page"]},
                "",
            )
            yield _text(x, y + 4, edge["slope"], ink["backward-ink"], 12)
    for card, (x, y) in zip(way["cards"], flow["boxes"], strict=True):
        leaf = card["kind"] in ("leaf", "chip")
        seen, now = step >= card["ran"], step and step in (card["ran"], card["walked"])
        look = {
            "fill": ink["panel"] if leaf or not seen else ink["forward-fill"],
            "stroke": ink["forward"],
            "stroke-width": "2.5" if now else "1",
        }
        yield _card(x, y, wide, look)
        yield _text(x + wide / 2, y + 17, card["title"], ink["ink"], 12.5, weight="bold")
        yield _text(x + wide / 2, y + 33, card["value"] if seen else "", ink["ink"], 12)
        node, y = _node(card, step, way, tape), y + HIGH + APART
        if node:
            title, value, foot = node
            yield _card(
                x,
                y,
                wide,
                {
                    "fill": ink["backward-fill"] if value else ink["panel"],
                    "stroke": ink["backward"],
                    "stroke-width": "2.5" if now and value else "1",
                },
            )
            yield _text(x + wide / 2, y + 17, title, ink["ink"], 12.5, weight="bold")
            yield _text(x + wide / 2, y + 33, value, ink["ink"], 12)
            yield _text(x + wide / 2, y + HIGH + 12, foot, ink["muted"], 11)


def _node(card, step, way, tape) -> tuple[str, str, str] | None:
    """The title of the card of a gradient, what is written there, and below it; None where it is not there yet."""
    gradient = card.get("gradient", {"texts": [], "sums": []})
    value, sums = (
        next((words for when, words in reversed(gradient[key]) if when <= step), "") for key in ("texts", "sums")
    )
    if tape and "tape" in card and (step >= card["ran"] or way.get("retained")):
        node = card["tape"]
        gone = node["gone"] or (node["frees"] and card["walked"] and step > card["walked"])
        return (
            node["title"],
            "released" if node["gone"] else value,
            "released" if gone and node["saves"] else node["saves"],
        )
    shown = gradient["texts"] and step >= way["seed"] and not tape
    return (gradient["title"], value, sums) if shown else None


def _card(x, y, wide, look) -> Thing:
    return "rect", {"x": f"{x:g}", "y": f"{y:g}", "width": f"{wide:g}", "height": f"{HIGH:g}", "rx": "6", **look}, ""


def _text(x, y, said, colour, size, anchor="middle", weight="normal") -> Thing:
    return (
        "text",
        {"x": f"{x:g}", "y": f"{y:g}", "fill": colour, "font-size": size, "text-anchor": anchor, "font-weight": weight},
        said,
    )


def _wrapped(words, most):
    from textwrap import wrap

    return wrap(words, min(most, LETTERS)) or [""]


def _figure(way, at, words, theme, scale):
    if find_spec("matplotlib") is None:
        raise ImportError(f"a picture as PNG needs matplotlib: {how_to_install('notebooks')}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path as Route

    width, height, things = _things(way, at, words, theme)
    figure = Figure((width / 100, height / 100), dpi=100 * scale)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    for order, (tag, look, said) in enumerate(things):
        down, more = (TOP if "transform" in look else 0.0), {"zorder": order}
        if tag == "text":
            axes.text(
                float(look["x"]),
                float(look["y"]) + down,
                said.replace("$", r"\\$"),
                color=look["fill"],
                ha={"start": "left", "middle": "center"}[look["text-anchor"]],
                fontsize=0.72 * look["font-size"],
                weight=look["font-weight"],
                family="DejaVu Sans",
                **more,
            )
        elif tag == "rect":
            x, y = float(look.get("x", 0)), float(look.get("y", 0)) + down
            style = f"round,pad=0,rounding_size={look.get('rx', 0)}"
            axes.add_patch(
                FancyBboxPatch(
                    (x, y),
                    float(look["width"]),
                    float(look["height"]),
                    boxstyle=style,
                    fc=look["fill"],
                    ec=look.get("stroke", "none"),
                    lw=0.72 * float(look.get("stroke-width", 0)),
                    **more,
                )
            )
        else:
            spots, codes = _route(look["d"])
            line = PathPatch(
                Route([(x, y + down) for x, y in spots], codes),
                fill=False,
                ec=look["stroke"],
                lw=0.72 * float(look["stroke-width"]),
                ls="--" if "stroke-dasharray" in look else "-",
                **more,
            )
            axes.add_patch(line)
    return figure


def _route(d):
    """The points of a path of M, L and C, and matplotlib's codes."""
    import re

    spots, codes = list[tuple[float, float]](), list[int]()
    for letter, numbers in re.findall(r"([MLC])([^MLC]*)", d):
        values = [float(n) for n in numbers.split()]
        found = list(zip(values[::2], values[1::2], strict=True))
        spots += found
        codes += [{"M": 1, "L": 2, "C": 4}[letter]] * len(found)
    return spots, codes
