"""All engines on all graphs: a table of the first wrong nodes."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.scene import Link, Mark, Panel, rect, text, width_of
from ...kit.words import clipped
from .plays import TRIES, Play, SliderPlay

ROW, HEADER = 30.0, 22.0


def overview(
    runs: Mapping[tuple[int, int], SliderPlay], engines: Sequence[str], graphs: Sequence[str]
) -> tuple[Panel, dict[str, Link]]:
    """The panel with a cell for each engine (row) and graph (column), and its links, which go there. A cell tells what it
    found once its slider has come so far."""
    graphs = [clipped(name, 16) for name in graphs]
    left = max(width_of(name, 12.5, bold=True) for name in engines) + 14
    words = [width_of(verdict(run.play), 12, bold=True) for run in runs.values()]
    cell = max(48.0, *(w + 8 for w in words), *(width_of(name, 11.5) + 4 for name in graphs))
    marks = [text(left + cell * (j + 0.5), 14, name, "note", "middle") for j, name in enumerate(graphs)]
    marks += [text(0, HEADER + i * ROW + 18, name, "name") for i, name in enumerate(engines)]
    links = {}
    for (i, j), run in runs.items():
        marks += _cell(run, left + j * cell, HEADER + i * ROW, cell, f"cell {i} {j}")
        go = {"engine": i} | ({"graph": j + 1} if len(graphs) > 1 else {})
        links[f"cell {i} {j}"] = Link(
            f"{engines[i]} on {graphs[j]}", [f"{engines[i]} on {graphs[j]}"], go=go, plays=True
        )
    title = "Choose an engine and a graph" if len(graphs) > 1 else "Choose an engine"
    return Panel("overview", title, left + cell * len(graphs) + 2, HEADER + len(engines) * ROW + 2, marks), links


def _cell(run: SliderPlay, x, y, width, link) -> Iterator[Mark]:
    play, slider, when = run
    found = play.first if play.first is not None else len(play.moments) - 1
    slider, found = (run.hunt, TRIES) if run.hunted else (slider, found)
    bad, middle = verdict(play) != "right", x + width / 2
    yield rect(x + 2, y, width - 4, ROW - 4, "area", 3, link=link)
    if bad:
        yield rect(x + 2, y, width - 4, ROW - 4, "bad", 3, link=link).seen_from(slider, found)
    unknown = text(middle, y + 17, "?", "note", "middle", link=link)
    yield unknown.varying(slider, state=[(0, ""), (found, "hidden")])
    known = text(middle, y + 17, verdict(play), "badtext" if bad else "note", "middle", link=link)
    yield known.seen_from(slider, found)
    yield rect(x, y - 2, width, ROW, "before", 4, when=when)


def verdict(play: Play) -> str:
    """What became of an engine on a graph, in two words."""
    if play.fault is not None:
        node, step = play.passes[0].bench.story.nodes[play.fault.wrong.node], play.fault.step
        return f"{node.name or node.title}, step {step + 1}" if step else f"{node.name or node.title} wrong"
    return "right" if play.right else "stops" if play.error is not None else "no answer"
