"""A picture that plays, as data: everything it can ever show is computed before, so nothing is computed while it plays.

A `Scene` has *dials* (a slider over steps, a choice, a toggle ...), and *panels* of *marks* (rectangles, paths, texts).
Each dial stands at one of finitely many positions; a mark lists at which positions of a dial its attributes change. So
what is seen is a function of the dials alone: the page (`player.js`) and the still picture (`still.py`) both look it up.
What is seen on the way from one position to the next follows from both, and from the motions that are told (`motion.py`).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeVar

from .bound import turned
from .grips import Grip
from .hunts import Hunt
from .joint import key_of, place
from .strokes import Outline, Placed, outline, polygon, tenth
from .words import briefly

Changes = list[tuple[int, Any]]  # (position of the dial, value from there on), in rising order
When = Mapping[str, Sequence[int]]  # positions of dials at which something is seen
Slips = Iterable[tuple[float, str]]  # wrong answers, and what to say to them

COORDINATES = ("x", "y", "cx", "cy", "r", "width", "height")
# How attributes that follow a dial are written; the others as they are.
_WRITTEN: dict[str, Callable[[Any], Any]] = {"d": outline, **dict.fromkeys(COORDINATES, tenth)}

KINDS = ("slider", "choice", "list", "toggle", "plane", "hunt", "inside", "told")
STEP = 1000.0  # ms in which the motions of a step are told; whoever plays it may take longer, or shorter


@dataclass(frozen=True)
class Ask:
    """A question put before a step is shown. `answer` is a number or one of `choices`; `slips`: `(value, what to say)`
    for answers that show a known misunderstanding; `otherwise`: what to say to any other wrong answer. A number within
    `tolerance` (relative) of the answer is right. `when`: asked only at these positions of other dials."""

    question: str
    answer: float | str
    because: str = ""
    slips: tuple[tuple[float | str, str], ...] = ()
    choices: tuple[str, ...] = ()
    tolerance: float = 0.02
    otherwise: str = ""
    when: When = field(default_factory=dict)

    @classmethod
    def number(cls, question: str, answer: float, because: str, slips: Slips, otherwise: str) -> "Ask":
        """About a number: without slips that are not finite or would count as right, and each number only once.

        >>> Ask.number("1 + 1?", 2, "", [(2.01, "Nearly."), (1, "One."), (1, "One again."), (3, "Three.")], "No.").slips
        ((1.0, 'One.'), (3.0, 'Three.'))
        """
        kept: dict[float, str] = {}
        for value, why in slips:
            if isfinite(value) and abs(value - answer) > 0.02 * max(abs(answer), abs(value), 1e-12):
                kept.setdefault(float(value), why)
        return cls(question, float(answer), because, tuple(kept.items()), otherwise=otherwise)


@dataclass(frozen=True)
class Dial:
    """Something the reader can turn. `values` names its positions; `start` is where it stands at first.

    Kinds: "slider" (with buttons to step and play), "choice", "list" (a choice that opens), "toggle" (positions 0 and 1),
    "plane" (a point among places in rows: `plane` tells how many "columns" there are, and the "labels" of both directions),
    "hunt" (see `Hunt`),
    "inside" (it has no control, for it is turned in the picture alone), "told" (whether what is asked before position 1 is told:
    without a control, at 0 only while the reader predicts). What is dragged is a `Grip`; `plays`: positions next
    to each other that are played one after the other, where it is dragged in the picture instead of by sliders. `pace`: ms
    that each position is seen while it plays, if not as usual. `stops`: where it stays so long, and runs over the others; it
    then goes round, to where it began. `rests`: where it stands in a still picture, if not at its start. `settles`: where it
    goes when it is let go, so that a drag that is half done is done or undone. `asks`: questions by position, for "predict
    first", one or several with different `when`. `when`: the dial is offered only at these positions of other dials.
    `resets`: while the reader predicts, turning this dial turns these others back, `{dial: position}`, and what is asked
    there is asked again; `shows`: where they go while the reader does not. `puts`: where other dials go with each of its
    positions; when one of them is turned it goes where they fit, else to its last position. `places`: where each position
    lies on a line that several scenes share, rising: when one scene takes the place of another, the dial is turned to the
    last position that does not lie ahead.
    """

    name: str
    label: str
    values: Sequence[str]
    kind: str = "slider"
    start: int = 0
    asks: Mapping[int, Ask | Sequence[Ask]] = field(default_factory=dict)
    when: When = field(default_factory=dict)
    plane: Mapping[str, Any] = field(default_factory=dict)
    resets: Mapping[str, int] = field(default_factory=dict)
    shows: Mapping[str, int] = field(default_factory=dict)
    places: Sequence[float] = ()
    hunt: Hunt | None = None
    plays: Sequence[int] = ()
    pace: float = 0.0
    stops: Sequence[int] = ()
    rests: int | None = None
    settles: Sequence[int] = ()
    puts: Sequence[Mapping[str, int]] = ()

    def __post_init__(self):
        if self.kind not in KINDS or not 0 <= self.start < len(self.values):
            raise ValueError(f"dial {self.name!r}: expected a kind of {KINDS} and a start below {len(self.values)}")


@dataclass(frozen=True)
class Motion:
    """How a property of a mark moves on the way to a position of `dial` from its neighbour, or to `position` alone.

    It moves from `start` for `length`, in ms of a step that lasts `STEP`. A mark of a panel goes from what it is at the
    one position to what it is at the other, an attribute, "text" or "state"; "appears" is "state" of what was hidden. A token
    (see `Panel`) goes from `begin` to
    `end`; its property "along" is a part of the length of `path`, on which its place is.
    """

    dial: str
    property: str
    start: float = 0.0
    length: float = STEP
    position: int | None = None
    begin: Any = None
    end: Any = None
    path: str = ""


@dataclass(frozen=True)
class Mark:
    """One SVG element: `tag`, `role` (its look, see `theme`), `at` (attributes in px), and `text`.

    `vary`: `{dial: {attribute: changes}}`, an attribute being one of SVG's, "text" or "state" (what follows several dials at
    once stands under their joint key, see `joint`); `when`: shown only at
    these positions of dials; `link`: marks of one link light up together and share what `Scene.links` says; `moves`: what
    moves at another time than usual (see `motion`); `scale`: in the page of a large panel, it is drawn only from a scale on
    and below another (default: as the panel's `near` says).
    """

    tag: str
    role: str
    at: Mapping[str, Any]
    text: str = ""
    vary: Mapping[str, Mapping[str, Changes]] = field(default_factory=dict)
    when: When = field(default_factory=dict)
    link: str | None = None
    moves: Sequence[Motion] = ()
    scale: tuple[float, ...] = ()

    def following(self, dial: str | Mapping[str, int], **values: Iterable[Any]) -> "Mark":
        """The same mark with attributes that follow a dial: of each, one value for each position. Paths may be points; None
        is as it was.

        Of several dials, `{name: how many positions}`, one value for each combination, the last dial turning fastest.
        """
        written = {key: _write(_WRITTEN[key], found) if key in _WRITTEN else found for key, found in values.items()}
        name = dial if isinstance(dial, str) else key_of(dial)
        return self.varying(name, **{key: changes(found) for key, found in written.items()})

    def varying(self, dial: str, **found: Changes) -> "Mark":
        """The same mark with attributes that change with a dial; an empty list is not a change."""
        kept = {key.replace("_", "-"): how for key, how in found.items() if how}
        return altered(self, vary={**self.vary, dial: {**self.vary.get(dial, {}), **kept}}) if kept else self

    def moving(self, dial: str, start: float, length: float, *properties: str) -> "Mark":
        """The same mark whose properties change with a dial at a time of their own, in ms of a step that lasts `STEP`."""
        return altered(self, moves=[*self.moves, *(Motion(dial, name, start, length) for name in properties)])

    def seen_from(self, dial: str, position: int) -> "Mark":
        """The same mark, hidden before a position of a dial; on the way there it appears at the end."""
        if not position:
            return self
        return self.varying(dial, state=[(0, "hidden"), (position, "")]).moving(dial, STEP, 0.0, "state")

    def answering(self, dial: str) -> "Mark":
        """The same mark, out of sight while the reader predicts, for it gives the answer away."""
        return self.varying(dial, state=[(0, "answer")])

    def asking(self, dial: str) -> "Mark":
        """The same mark, in sight only while the reader predicts."""
        return self.varying(dial, state=[(0, "asked")])


@dataclass(frozen=True)
class Link:
    """What belongs to a thing in the picture: `label` (said when it is reached by keyboard), `tip` (lines shown on
    hover), `heat` (rows of numbers in [-1, 1] or None for nan, drawn as a strip), `go` (dials that a click sets),
    `opens` (a part that a click folds or unfolds), `sets` (what a click sets in Python, `{field: value}`), `details` (lines
    that stay below the panels after a click, with those of `tip`), `reveals` (a panel, and the link whose mark a click
    brings into sight there), `lights` (other links whose marks light up with it), `plays` (whether what it goes to plays
    then, the first time).

    While the reader predicts, what a link tells is kept back until all dials in `known` stand at their position or
    beyond, and where a question lies between here and where it goes; only its `name` is said."""

    label: str
    tip: Sequence[str] = ()
    heat: Sequence[Sequence[float | None]] = ()
    go: Mapping[str, int] = field(default_factory=dict)
    opens: str | None = None
    name: str = ""
    known: Mapping[str, int] = field(default_factory=dict)
    sets: Mapping[str, Any] = field(default_factory=dict)
    details: Sequence[str] = ()
    reveals: Sequence[str] = ()
    lights: Sequence[str] = ()
    plays: bool = False


@dataclass(frozen=True)
class Panel:
    """A part of the picture, `width` by `height` px. `live`: only in the page that plays, not in a still picture.

    `tokens`: marks that are seen on top, and only on the way between two positions, while one of their `moves` lasts.
    The page draws what is in sight of a panel with very many marks: those of `far` too, each at its own scales, and the
    others from the scale `near` on. `whole`: a still picture does not cut it into strips, for it stands in rows already.
    `narrow`: the same, laid out for a page in which this one has no room, such as on a phone; it may have a narrower one itself.
    """

    name: str
    title: str
    width: float
    height: float
    marks: Sequence[Mark]
    when: When = field(default_factory=dict)
    live: bool = False
    tokens: Sequence[Mark] = ()
    far: Sequence[Mark] = ()
    near: float = 0.0
    whole: bool = False
    narrow: "Panel | None" = None


@dataclass(frozen=True)
class Caption:
    """The sentences that go with the positions of `dial`, or of several dials by their joint key; `texts` lists
    changes. The page says at once what stands before a line break, of all captions, and tells the rest under "more"."""

    dial: str
    texts: Changes
    when: When = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """The whole picture. `description` says in a few sentences what it shows, for those who do not see it.

    `notice`: a message above everything, such as where the first nan came from; a click on it follows `notice_link`.
    `notice_at`: what stands there instead, as something good, at a position of a dial, `{dial: {position: words}}`.
    `fields`: numbers that the reader may
    change, `{name: text}`; the program then computes a new scene. `predict`: whether "predict first" is on from the start.
    `told_at`: while the reader predicts, the notice is kept back until these dials stand at their position or beyond.
    `grips`: what can be dragged. `turned`: where dials stand when this scene takes the place of another, `{dial: position}`.
    """

    title: str
    description: str
    dials: Sequence[Dial]
    panels: Sequence[Panel]
    captions: Sequence[Caption] = ()
    links: Mapping[str, Link] = field(default_factory=dict)
    notice: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    predict: bool = False
    grips: Sequence[Grip] = ()
    told_at: Mapping[str, int] = field(default_factory=dict)
    turned: Mapping[str, int] = field(default_factory=dict)
    notice_link: str = ""
    notice_at: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def start(self) -> dict[str, int]:
        """Where every dial stands at first."""
        return {dial.name: dial.start for dial in self.dials}

    def state(self, **dials: int | str) -> dict[str, int]:
        """The start with some dials turned, each to a position or to the name of one.

        Raises KeyError for an unknown dial, ValueError for a position it does not have, or cannot have together with the others.
        """
        return self.turning(self.start(), dials)

    def turning(self, state: Mapping[str, int], dials: Mapping[str, int | str]) -> dict[str, int]:
        """A state with some dials turned, as `state` says, and with what is bound to them."""
        known, asked = {dial.name: dial for dial in self.dials}, {}
        for name, wanted in dials.items():
            if name not in known:
                raise KeyError(f"expected one of the dials {', '.join(known)}, but got {name!r}")
            values = list(known[name].values)
            index = values.index(wanted) if isinstance(wanted, str) and wanted in values else wanted
            if not isinstance(index, int) or not -len(values) <= index < len(values):
                shown = ", ".join(map(repr, values[:8])) + (" ..." if len(values) > 8 else "")
                raise ValueError(
                    f"{name}: expected a position below {len(values)} or one of {shown}, but got {wanted!r}"
                )
            asked[name] = index % len(values)
        return turned(self.dials, state, asked)

    def resting(self, **dials: int | str) -> dict[str, int]:
        """As `state`, from where the dials stand in a still picture."""
        rests = {dial.name: dial.rests for dial in self.dials if dial.rests is not None}
        return self.state(**{**rests, **dials})

    def caption(self, state: Mapping[str, int]) -> str:
        """The sentences for a state, one after the other; those that are said at once before a line break, if there is one."""
        parts = [
            latest(c.texts, place(c.dial, state), "").partition("\n") for c in self.captions if holds(c.when, state)
        ]
        said, more = (" ".join(filter(None, (part[side] for part in parts))) for side in (0, 2))
        return "\n".join(filter(None, (said, more)))

    def noticed(self, state: Mapping[str, int]) -> str:
        """The message above everything, or what stands there instead."""
        instead = (words.get(state[dial], "") for dial, words in self.notice_at.items())
        return next(filter(None, instead), self.notice)

    def said(self, state: Mapping[str, int]) -> str:
        """What the page says at once: the first sentences, of at most 30 words."""
        return briefly(self.caption(state))[0]

    def told(self, state: Mapping[str, int]) -> str:
        """All the sentences for a state, with why, of each hunt that is over."""
        over = [d for d in self.dials if d.hunt and holds(d.when, state) and state[d.name] == len(d.values) - 1]
        said = self.caption(state).replace("\n", " ")
        return " ".join(filter(None, [said, *(dial.hunt.because for dial in over if dial.hunt)]))


def holds(when: Mapping[str, Sequence[int]], state: Mapping[str, int]) -> bool:
    """Whether every dial named in `when` stands at one of its positions."""
    return all(state[dial] in positions for dial, positions in when.items())


def latest(changes: Changes, position: int, otherwise: Any) -> Any:
    """The value that holds at a position of the dial.

    >>> latest([(0, "a"), (3, "b")], 2, "")
    'a'
    """
    found = bisect_right([at for at, _ in changes], position)
    return changes[found - 1][1] if found else otherwise


def looks(mark: Mark, state: Mapping[str, int]) -> tuple[dict[str, Any], str, str]:
    """`(attributes, text, state name)` of a mark."""
    attributes, text, name = dict(mark.at), mark.text, ""
    for dial, varied in mark.vary.items():
        at = place(dial, state)
        for attribute, changes in varied.items():
            if attribute == "text":
                text = latest(changes, at, text)
            elif attribute == "state":
                name = latest(changes, at, name)
            elif changes and changes[0][0] <= at:
                attributes[attribute] = latest(changes, at, None)
    return attributes, text, name


def changes(values: Iterable[Any]) -> Changes:
    """One value per position as a list of changes; None: as it was.

    >>> changes([1, 1, 2, None, 2])
    [(0, 1), (2, 2)]
    """
    found: Changes = []
    for i, value in enumerate(values):
        if value is not None and (not found or found[-1][1] != value):
            found.append((i, value))
    return found


def _write(how, values):
    return (None if value is None else how(value) for value in values)


def by_position(asks: Iterable[tuple[int, Ask]]) -> dict[int, list[Ask]]:
    """The questions before each position of a dial, for `Dial.asks`."""
    found: dict[int, list[Ask]] = {}
    for position, ask in asks:
        found.setdefault(position, []).append(ask)
    return found


Seen = TypeVar("Seen", Mark, Panel, Caption, Dial, Ask, Grip)


def only(when: When, things: Iterable[Seen]) -> Iterator[Seen]:
    """The same marks, panels, captions, dials, questions or grips, each at these positions of dials only.

    >>> [mark.when for mark in only({"rate": [1]}, [text(0, 0, "a"), text(0, 0, "b", when={"show": [0]})])]
    [{'rate': [1]}, {'show': [0], 'rate': [1]}]
    """
    return (altered(thing, when={**thing.when, **when}) for thing in things) if when else iter(things)


def altered(thing: Seen, **fields: Any) -> Seen:
    """A copy with other fields, as `dataclasses.replace`; a large scene makes hundreds of thousands, so nothing is checked."""
    made = object.__new__(type(thing))
    vars(made).update(vars(thing), **fields)
    return made


# ---- marks ----


def rect(x: float, y: float, w: float, h: float, role: str, r: float = 3.0, **more: Any) -> Mark:
    """A rectangle with its left upper corner at (x, y), corners rounded by r."""
    return Mark("rect", role, _tenths(x=x, y=y, width=w, height=h, rx=r), **more)


def circle(x: float, y: float, r: float, role: str, **more: Any) -> Mark:
    """A circle around (x, y)."""
    return Mark("circle", role, _tenths(cx=x, cy=y, r=r), **more)


def path(d: Outline, role: str, **more: Any) -> Mark:
    """A path through points, or of absolute M, L, C and Z commands."""
    return Mark("path", role, {"d": outline(d)}, **more)


def line(x1: float, y1: float, x2: float, y2: float, role: str, **more: Any) -> Mark:
    """A straight line between two points."""
    return path([(x1, y1), (x2, y2)], role, **more)


def text(x: float, y: float, words: str, role: str = "plain", anchor: str = "start", **more: Any) -> Mark:
    """Words on one line whose baseline is at y; `anchor`: "start", "middle" or "end" at x."""
    return Mark("text", role, {**_tenths(x=x, y=y), "text-anchor": anchor}, words, **more)


def arrow_head(x: float, y: float, dx: float, dy: float, role: str, size: float = 7.0, **more: Any) -> Mark:
    """A triangle whose tip is at (x, y), pointing along (dx, dy)."""
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length * size, dy / length * size
    back = [(0, 0), (-ux - uy * 0.55, -uy + ux * 0.55), (-ux + uy * 0.55, -uy - ux * 0.55)]
    return path(polygon(back, x, y), role, **more)


def _tenths(**numbers: float) -> dict[str, float]:
    return {key: tenth(value) for key, value in numbers.items()}


def width_of(words: str, size: float = 12.0, mono: bool = False, bold: bool = False) -> float:
    """About how wide a text is, in px: fonts differ by a few per cent."""
    return size * len(words) * (0.605 if mono else 0.66 if bold else 0.56)


def to_json(scene: Scene) -> dict[str, Any]:
    """The scene as plain dicts and lists for the page; what is empty is left out."""
    return _as_json(scene)


def _as_json(value):
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is list or kind is tuple:
        return [v if type(v) in _AS_THEY_ARE else _as_json(v) for v in value]
    if kind is dict or isinstance(value, Mapping):
        return {str(k): v if type(v) in _AS_THEY_ARE else _as_json(v) for k, v in value.items()}
    if fields := getattr(kind, "__dataclass_fields__", None):
        items = ((name, getattr(value, name)) for name in fields)
        return {name: v if type(v) in _AS_THEY_ARE else _as_json(v) for name, v in items if v or not _empty(v)}
    if isinstance(value, (list, tuple)):
        return [_as_json(v) for v in value]
    return str(value) if isinstance(value, str) else tenth(float(value)) if isinstance(value, Placed) else value


_AS_THEY_ARE = {str, int, float, bool, type(None)}


def _empty(value):
    return value is None or (isinstance(value, (str, list, tuple, dict)) and len(value) == 0)
