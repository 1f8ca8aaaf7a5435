"""Plots of the course: drawn once by matplotlib in the theme's colours, shown as light or as dark as the page around them."""

import base64
import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from ...messages.install_hints import how_to_install, in_browser
from ...palette import PALETTES
from .module import DARK
from .shown import notebook_shell

_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
_COLOURS = ("forward", "backward", "saved", "leaf", "bad", "muted")
_SAVED = {"Date": None, "Creator": None, "Format": None, "Type": None}
_SWITCH = (
    f"{', '.join(f'{dark} img.lk-light' for dark in DARK)} {{display: none}} "
    f"{', '.join(f'{dark} img.lk-dark' for dark in DARK)} {{display: inline}}"
)


@contextmanager
def plot(
    words: str, rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (9, 3.8), **shared: Any
) -> Iterator[Any]:
    """Axes to draw on with matplotlib; when the `with` block ends, the notebook shows them in the colours of its theme.

    `words`: what the plot shows, for those who do not see it. `rows`, `columns`: how many axes; with one of each it is
    the axes themselves, otherwise an array of them. `size`: width and height in inches. `shared`: as for matplotlib's
    `subplots`, such as `sharey=True`. Curves differ in dash and colour without being asked to. What `pcolormesh` draws
    is the more ink, the larger a number is. Outside a notebook the words are printed. Raises ImportError without
    matplotlib.

    >>> with plot("A straight line that climbs from 0 to 2.") as ax:
    ...     lines = ax.plot([0, 1, 2])
    A straight line that climbs from 0 to 2.
    """
    figures = _figure_class()
    import matplotlib

    with matplotlib.rc_context(_style()):
        figure = figures(figsize=size, layout="constrained")
        yield figure.subplots(rows, columns, **shared)
        _show(figure, words)


def _figure_class():
    """matplotlib's Figure. In a browser matplotlib looks for its fonts in every visit, and a red line says so: not here."""
    if in_browser():
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("a plot needs matplotlib: {command}".format(command=how_to_install("notebooks"))) from None
    return Figure


def _style() -> Any:
    from cycler import cycler

    light = PALETTES["light"]
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    blank = ("figure.facecolor", "axes.facecolor", "patch.edgecolor", "hatch.color")
    return {
        **dict.fromkeys(inked, light["ink"]), **dict.fromkeys(blank, light["page"]), "patch.force_edgecolor": True,
        "axes.grid": True, "axes.axisbelow": True, "grid.color": light["line"], "legend.frameon": False,
        "axes.spines.top": False, "axes.spines.right": False, "image.cmap": _ink(light["ink"]),
        "svg.hashsalt": "labkit", "svg.fonttype": "none",
        "axes.prop_cycle": cycler(color=[light[name] for name in _COLOURS]) + cycler(linestyle=_DASHES),
    }  # fmt: skip


def _ink(colour: str) -> str:
    """The name of a colour map that covers the page with ink: a dark page shows through as well as a light one."""
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap

    if "labkit" not in matplotlib.colormaps:
        matplotlib.colormaps.register(LinearSegmentedColormap.from_list("labkit", [f"{colour}00", f"{colour}ff"]))
    return "labkit"


def _show(figure: Any, words: str) -> None:
    if notebook_shell() is None:
        print(words)
        return
    from IPython.display import display

    png = base64.b64encode(_file_of(figure, "png")).decode()
    svg = _with_short_numbers(_file_of(figure, "svg").decode())
    data = {"text/plain": words, "text/html": page(svg, words), "image/png": png}
    display(data, metadata={"image/png": {"alt": words}}, raw=True)


def _file_of(figure, kind):
    out = io.BytesIO()
    figure.savefig(out, format=kind, metadata=_SAVED if kind == "svg" else None)
    return out.getvalue()


def _with_short_numbers(svg: str) -> str:
    """With the numbers of its paths cut to hundredths of a point: half as long."""
    return re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+|\s*\n", r"\1", path[0]), svg)


def page(svg: str, words: str) -> str:
    """An SVG in the light palette as HTML that shows it in the palette of the page: two pictures, one of them hidden."""
    images = [
        f'<img data-labkit="plot" class="lk-{theme}" alt="{escape(words)}" style="max-width: 100%"{hidden} '
        f'src="data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}">'
        for theme, drawn, hidden in (("light", svg, ""), ("dark", darkened(svg), " hidden"))
    ]
    return f"<style>{_SWITCH}</style>{''.join(images)}"


def darkened(svg: str) -> str:
    """The same picture with each colour of the light palette replaced by the one of that name in the dark palette."""
    light, dark = PALETTES["light"], PALETTES["dark"]
    other = {colour: dark[name] for name, colour in light.items()}
    return re.sub("|".join(other), lambda found: other[found[0]], svg)
