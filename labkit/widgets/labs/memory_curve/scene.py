"""Memory against time: which results of a chain of layers are held while it runs and is walked back, in checkpoints or not."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from ...kit.axes import Axis, Plane
from ...kit.grips import Grip
from ...kit.picture import Picture
from ...kit.scene import (
    Ask,
    Caption,
    Dial,
    Mark,
    Panel,
    Scene,
    altered,
    arrow_head,
    changes,
    circle,
    line,
    only,
    path,
    rect,
    text,
)
from ...kit.words import counted
from .peak import links, peak_grip, peak_panel
from .run import BACK, LAYERS, RUN, Snapshot, moments

SEGMENTS = ("none", "1", "2", "4", "8", "16")
WALKS = ("releases", "retain_graph")
LAST = LAYERS * (2 * RUN + BACK)  # the time of a run with checkpoints
MOST = LAYERS + 4.0  # the top of the curve's axis
LEFT, BOX = 62.0, 24.0
WIDTH, HIGH, TOP, CUT = LAYERS * BOX, 160.0, 108.0, 76.0  # px: CUT is where the first cut is dragged
FAINT = 0.35  # what is still to come
PACE = 110.0  # ms of a time while it plays: all of it takes seven seconds
PLANE = Plane(Axis(0, LAST, LEFT, LEFT + WIDTH), Axis(0, MOST, TOP + HIGH, TOP))


class MemoryCurve(Picture):
    """A chain of 16 layers on PyTorch's tape: the results that are held, one array each, as it runs and is walked back.

    It is run in labkit's dialect, and every count is the number of arrays alive then. To run a layer takes the time 1, to
    walk it back 2. Dials: `time` (0 to 64), `segments` ("none", "1", "2", "4", "8", "16": the number of checkpoints of
    equal length), `walk` ("releases", or "retain_graph"). `runs` holds the moments, `{(segments, walk): [Snapshot, ...]}`.

    >>> runs = MemoryCurve().runs
    >>> for segments in ("none", "1", "4", "16"):
    ...     run = runs[segments, "releases"]
    ...     print(segments, "time", run[-1].time, "most", max(len(moment.held) for moment in run))
    none time 48 most 16
    1 time 64 most 17
    4 time 64 most 8
    16 time 64 most 17
    """

    plays_at_once = True

    def __init__(self) -> None:
        self.runs = {
            (name, walk): moments(0 if name == "none" else int(name), walk == "retain_graph")
            for name, walk in product(SEGMENTS, WALKS)
        }
        super().__init__(_scene(self.runs))


def at_time(run: list[Snapshot], time: int) -> Snapshot:
    """The moment that a run is in at a time."""
    ends = next((moment.time for moment in run if moment.time >= time), run[-1].time)
    return [moment for moment in run if moment.time == ends][-1]


def most(run: list[Snapshot]) -> int:
    """The largest number of arrays held at once."""
    return max(len(moment.held) for moment in run)


def _scene(runs) -> Scene:
    words = (
        f"A chain of {LAYERS} layers runs forward and is walked back. A box for the result of each layer: filled while somebody "
        "holds it, with a 2 where two copies are held; the last one is the output. Below, how many are held against time. "
        "Beside it, for every number of checkpoints, the most results held at once and the time it takes."
    )
    dials = [
        Dial("time", "Time", [str(t) for t in range(LAST + 1)], start=LAST, asks=_asks(runs), pace=PACE),
        Dial("segments", "Checkpoints", SEGMENTS, "choice", start=SEGMENTS.index("4"), resets={"time": 0}),
        Dial("walk", "Walking back", WALKS, "choice", resets={"time": 0}),
    ]
    width = LEFT + WIDTH + 25
    every = [moments(k, False) for k in range(LAYERS + 1)]
    peaks, times = [most(run) for run in every], [run[-1].time for run in every]
    panels = [
        Panel(
            "curve",
            "Filled boxes: results that are held. Drag the first cut",
            width,
            TOP + HIGH + 42,
            [*_boxes(runs), *_ground(), *_curves(runs), *_names()],
        ),
        peak_panel(peaks, times, SEGMENTS),
    ]
    grips = [
        Grip(
            "time",
            "curve",
            "Time",
            "time",
            _spots(run),
            "x",
            when=_when(*setting),
            area=(LEFT, TOP, WIDTH, HIGH),
            jumps=True,
            bare=True,
        )
        for setting, run in runs.items()
    ]
    cuts = [(LEFT + BOX * _each(name), CUT) for name in SEGMENTS]
    grips += [Grip("cut", "curve", "Layers of a checkpoint", "segments", cuts, "x"), peak_grip(SEGMENTS)]
    said = list(_captions(runs))
    return Scene("Checkpoints: less memory for more time", words, dials, panels, said, links(SEGMENTS), grips=grips)


def _spots(run):
    """Where the curve is at every time; when all is over it stays at its end."""
    return [PLANE.at((min(time, run[-1].time), len(at_time(run, time).held))) for time in range(LAST + 1)]


def _each(name):
    """How many layers a checkpoint has; 0 where there is none."""
    return 0 if name == "none" else LAYERS // int(name)


def _when(name, walk):
    return {"segments": [SEGMENTS.index(name)], "walk": [WALKS.index(walk)]}


# ---- what is said and asked ----


def _setting_words(name, walk):
    parts = (
        "No checkpoint" if name == "none" else f"{counted(int(name), 'checkpoint')} of {counted(_each(name), 'layer')}"
    )
    return parts + (", retain_graph=True" if walk == "retain_graph" else "")


def _count_words(count):
    return f"{counted(count, 'result')} {'is' if count == 1 else 'are'} held"


def _price(run, plain):
    """What a run needs, against one without checkpoints."""
    if run is plain:
        return f"Without checkpoints {most(run)} results are held at once; the time is {run[-1].time}."
    slower = run[-1].time / plain[-1].time - 1
    return f"At most {most(run)} results at once instead of {most(plain)}, for {slower:.0%} more time."


def _left(run, name, count):
    """What is held when all is over, and what it is."""
    if len(run[-1].held) == 1:
        return f"Now {count}, the output."
    return f"Now {count}." if name == "none" else f"Now {count}: where parts end. What ran again is not retained."


def _captions(runs) -> Iterator[Caption]:
    doing = {
        "start": "nothing has run yet", "forward": "layer {} runs", "again": "layer {} runs again",
        "back": "layer {} is walked back", "turn": "all layers have run", "end": "all are walked back",
    }  # fmt: skip
    for (name, walk), run in runs.items():
        said = []
        for time in range(LAST + 1):
            moment = at_time(run, time)
            done = doing[moment.kind].format(moment.layer + 1)
            now = min(time, run[-1].time)
            count, ends = _count_words(len(moment.held)), moment.kind == "end"
            price = f"{_price(run, runs['none', walk])} {_left(run, name, count)}"
            said.append(price if ends else f"{_setting_words(name, walk)}. Time {now}: {done}, {count}.")
        yield Caption("time", changes(said), _when(name, walk))


def _asks(runs) -> dict[int, list[Ask]]:
    """Before the last layer runs: how many are held at the turn. Then: how many at the worst moment."""
    asked: dict[int, list[Ask]] = {LAYERS: [], LAYERS + 1: []}
    for (name, walk), run in runs.items():
        held = len(at_time(run, LAYERS).held)
        asked[LAYERS].append(_turn_ask(name, held, _when(name, walk)))
        asked[LAYERS + 1].append(_worst_ask(name, held, most(run), _when(name, walk)))
    return asked


def _turn_ask(name, held, when):
    kept = {"none": "Every rule keeps its result", "1": "Only the result of the last layer"}.get(
        name, "The inputs of all checkpoints but the first, which is x, and the result of the last layer"
    )
    slips = [(LAYERS, "That is so without checkpoints."), (held - 1, "You hold the result of the last layer, too.")]
    slips += [(held + 1, "The first checkpoint keeps x, and x is not the result of a layer.")]
    question = f"The last of {LAYERS} layers is about to run. How many results are held when it is done?"
    return Ask(question, held, f"{kept}.", _apart(held, slips), otherwise=f"Not that. {kept}.", when=when)


def _worst_ask(name, held, worst, when):
    again = _each(name)
    because = f"{held} and the {again} of the part that runs again." if again else "Nothing runs again."
    slips = [(held, "A checkpoint runs again, and its results are held as well."),
             (again, "Those are the results that come anew. What was held before is still there."),
             (LAYERS, "That is so without checkpoints.")] if again else [(1, "That is so at the end.")]  # fmt: skip
    question = f"The walk back begins, and {_count_words(held)}. How many are held at its worst moment?"
    return Ask(question, worst, because, _apart(worst, slips), otherwise=f"Not that. {because}", when=when)


def _apart(answer, slips):
    """The slips that are not the answer, each number once."""
    return tuple({value: (value, words) for value, words in reversed(slips) if value != answer}.values())


# ---- the boxes ----


def _boxes(runs) -> Iterator[Mark]:
    for layer in range(LAYERS):
        yield text(LEFT + (layer + 0.5) * BOX, 58, str(layer + 1), "tick", "middle")
    yield text(8, 58, "layer", "note")
    yield text(LEFT + WIDTH + 1, 34, "out", "forwardtext")
    for (name, walk), run in runs.items():
        yield from only(_when(name, walk), _boxes_of(name, [at_time(run, time) for time in range(LAST + 1)]))


def _boxes_of(name, states) -> Iterator[Mark]:
    if name != "none":
        for cut in range(0, LAYERS + 1, _each(name)):
            yield line(LEFT + cut * BOX, 12, LEFT + cut * BOX, CUT - 12 if cut == _each(name) else 46, "outline")
    counts = [Counter(moment.held) for moment in states]
    for layer in range(LAYERS):
        x, held = LEFT + layer * BOX + 3, [count[layer] for count in counts]
        look = "kept" if layer < LAYERS - 1 else "op"  # the last result is what the chain returns
        yield rect(x, 18, BOX - 6, 24, look).following("time", state=["" if n else "pending" for n in held])
        if 2 in held:
            copies = ["2" if n == 2 else "" for n in held]
            yield text(x + BOX / 2 - 3, 34, "", "value", "middle").following("time", text=copies)
    for role, kinds, way in (("head", ("forward", "again"), 1), ("backhead", ("back", "end"), -1)):
        yield _pointer(states, role, kinds, way)


def _pointer(states, role, kinds, way) -> Mark:
    """An arrow head above the layer at work, seen where one of these kinds of things is done to it."""
    heads = [arrow_head(LEFT + (m.layer + 0.5) * BOX + 5 * way, 7, way, 0, role, 10).at["d"] for m in states]
    seen = ["" if m.kind in kinds else "hidden" for m in states]
    return path(heads[0], role).following("time", d=heads, state=seen)


# ---- the curve ----


def _ground() -> Iterator[Mark]:
    yield PLANE.ground()
    yield from PLANE.up.beside(LEFT - 6, (0, 4, 8, 12, 16), str, grid=(LEFT, LEFT + WIDTH))


def _names() -> Iterator[Mark]:
    low, turn = TOP + HIGH, PLANE.across(LAYERS)
    yield from PLANE.across.below(low + 16, (0, 16, 32, 48, 64), str)
    yield line(turn, TOP, turn, low, "axis")
    yield text(turn - 6, TOP - 7, "forward run", "note", "end")
    yield text(turn + 6, TOP - 7, "walk back", "note")
    words = f"running a layer takes {RUN}, walking it back {BACK}"
    yield text(LEFT + WIDTH, low + 34, words, "note", "end")


def _curves(runs) -> Iterator[Mark]:
    """The whole curves, over them a cover that begins at the time shown, and on it, faint, what is still to come; and how many
    they are at most."""
    over: list[Mark] = []
    for w, walk in enumerate(WALKS):
        others = {"segments": [i for i, name in enumerate(SEGMENTS) if name != "none"], "walk": [w]}
        plain = path(_steps(runs["none", walk]), "inkvector", when=others)
        yield plain
        over.append(_faint(plain))
        yield line(8, TOP + HIGH + 30, 34, TOP + HIGH + 30, "inkvector", when=others)
        yield text(40, TOP + HIGH + 34, "no checkpoint", when=others)
    for (name, walk), run in runs.items():
        curve = path(_steps(run), "savedvector", when=_when(name, walk))
        yield curve
        over += [_faint(curve), *only(_when(name, walk), _top_and_now(run))]
    edges = [round(PLANE.across(time), 1) for time in range(LAST + 1)]
    cover = rect(LEFT, TOP, WIDTH, HIGH, "area", 0)
    yield cover.following("time", x=edges, width=[LEFT + WIDTH - edge for edge in edges])
    yield from over


def _faint(curve: Mark) -> Mark:
    return altered(curve, at={**curve.at, "opacity": FAINT}).answering("time")


def _top_and_now(run) -> Iterator[Mark]:
    """A ring where most is held, which those who predict are told at the end; and a dot at the time that is shown."""
    first = next(time for time in range(LAST + 1) if len(at_time(run, time).held) == most(run))
    x, y = PLANE.at((first, most(run)))
    for mark in (circle(x, y, 7, "ravine"), text(x, y - 13, f"the most: {most(run)}", "savedtext", "middle")):
        yield mark.varying("time", state=[(0, "answer"), (LAST, "")])
    xs, ys = zip(*_spots(run), strict=True)
    yield circle(0, 0, 6, "savedbar").following("time", cx=xs, cy=ys)


def _steps(run):
    """The curve: level while something is done, upright where the number changes."""
    ends, now = [PLANE.at((0, 0))], 0
    for time in range(1, run[-1].time + 1):
        count = len(at_time(run, time).held)
        ends += [PLANE.at((time - 1, count))] * (count != now) + [PLANE.at((time, count))]
        now = count
    return ends
