"""What happened in a run, as the views tell it: nodes, the steps of the chain rule, and the verdict where all is well.

A `Story` is made from a recorded graph (`recorded.py`) or from a tensor's tape (`tape.py`); no view looks behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ....engine import Scope, Unknown
from ...kit.words import clipped, number, on_card, shape

FEWEST, EVEN = 2, 100.0  # leaves; times that the gradients of the weights of a sound run lie apart
CLIFF = 1e4  # times that those of any two leaves do, biases among them
ROUNDING = float(
    np.finfo(np.float32).eps
)  # of its own length: a shorter gradient moves nothing with a learning rate of 1
NEAR = 2.0  # times, which are told exactly


class Lengths(NamedTuple):
    """Of a leaf: how long its gradient is, and itself, nan where that is not known; whether it is a matrix or more."""

    gradient: float
    own: float
    weight: bool


class Verdict(NamedTuple):
    """What the title says, and what is said at last; the shortest and the longest gradient of the `kind` of leaves that was
    compared, and whether that is `sound`."""

    heading: str
    words: str
    kind: str
    low: float
    high: float
    sound: bool

    @property
    def factor(self) -> str:
        """How far apart these are."""
        return f"within a factor of {large_factor(self.high / self.low)}"


def verdict_of(leaves: Sequence[Lengths]) -> Verdict | None:
    """None where there are few leaves, or one gets none, or one of length 0, or one that is not finite."""
    if len(leaves) < FEWEST or not all(np.isfinite(leaf.gradient) and leaf.gradient > 0 for leaf in leaves):
        return None
    weights = [leaf for leaf in leaves if leaf.weight]
    kind, seen = ("weights", weights) if len(weights) > 1 else ("leaves", leaves)
    sizes = [leaf.gradient for leaf in seen]
    every = [leaf.gradient for leaf in leaves]
    still = [leaf for leaf in leaves if leaf.gradient < ROUNDING * leaf.own]
    if max(every) > CLIFF * min(every) and max(sizes) <= EVEN * min(sizes):
        kind, seen, sizes = "leaves", leaves, every
    found = Verdict("", "", kind, min(sizes), max(sizes), not still and max(sizes) <= EVEN * min(sizes))
    lost = (
        f" With a learning rate of 1, SGD moves {len(still)} of {len(leaves)} by less than rounding." if still else ""
    )
    told = f"The gradient norms of all {len(seen)} {kind} are {found.factor}.{lost}{_moved(weights)}"
    which = "those of weights " if kind == "weights" else ""
    less = f", {len(still)} of them too small to move anything" if still else ""
    heading = (
        f"{'✓ sound, ' if found.sound else ''}all {len(leaves)} leaves get a gradient{less}, {which}{found.factor}"
    )
    return found._replace(heading=heading, words=f"Sound. {told}" if found.sound else told)


def titled(name: str, found: Verdict) -> str:
    """The title of a picture.

    >>> titled("loss", verdict_of([Lengths(0.1, 1.0, True), Lengths(0.2, 1.0, True)]))
    'loss: ✓ sound, all 2 leaves get a gradient, those of weights within a factor of 2'
    """
    return f"{name}: {found.heading}"


def _moved(weights: Sequence[Lengths]) -> str:
    """How long gradients are beside their weights, which is how far a step goes."""
    parts = [leaf.gradient / leaf.own for leaf in weights if np.isfinite(leaf.own) and leaf.own > 0]
    if len(parts) < 2:
        return ""
    return f" SGD moves each by lr × {number(min(parts), 2)} to {number(max(parts), 2)} of its norm."


def large_factor(factor: float) -> str:
    """A large factor in words.

    >>> large_factor(1.043), large_factor(3.37), large_factor(512.3), large_factor(25642)
    ('1.04', '3.4', '510', '26,000')
    """
    return number(factor, 3 if factor < NEAR else 2) if factor < 100 else f"{float(f'{factor:.2g}'):,.0f}"


Named = tuple[str, Any]  # a name, and the array or None


class Layer(Scope):
    """A call of a module that is a box of its own, even if a single op ran in it."""

    __slots__ = ()


@dataclass(eq=False)
class Node:
    """A value of the run.

    Attributes:
        title: the op as it is written on its card, a leaf's name. `op`: its plain name, "input" for a leaf.
        name: the user's name for the value, or "".
        parents: indices of the nodes it was computed from, one for each use.
        value: an array, or None where it is not known any more (a tape keeps only what it needs). `shape`, `dtype`: its.
        line: where in the user's code it ran, in words. `scope`: the calls of cells it ran in, from the outside in.
        seed: what the way back starts with here, for an output: ones, times how often it is returned; else None.
        saved: indices of the nodes whose values its derivative reads.
        grad_fn: what PyTorch's tape calls its node. `keeps`: what this node saves: indices of nodes (its own is its result),
            and the names of arguments that are constants; `slots`: the same, each after PyTorch's name for its place.
        derives: for an op that an inner derivative ran (`grad(f)` is itself a run), the op whose derivative it belongs to.
        instead: what its card says where its value is not known.
        freed: whether `backward()` has let go what it saved; None: as of the whole story. `facts`: what else to say about it;
            `fate`: what would become of it, and of what it keeps.
        given: names and values of what its derivative uses besides nodes of the story, such as a mask.
        held: `(memory, bytes)` of each tensor that it keeps alive, a number for what shares memory.
        cut: of parameters that no path leads to, the leaves at which it may have been cut, each with what is known of that;
            None of all else.
        names: of a leaf that stands for parameters that no path leads to, theirs.
        lines, back_lines: the lines of the program that compute it, and that belong to its derivative, from 1.
    """

    index: int
    title: str
    op: str
    name: str
    parents: tuple[int, ...]
    value: Any
    shape: tuple[int, ...]
    dtype: str
    line: str = ""
    scope: tuple[Any, ...] = ()
    seed: Any = None
    saved: tuple[int, ...] = ()
    grad_fn: str = "AccumulateGrad"
    keeps: tuple[int | str, ...] = ()
    slots: tuple[tuple[str, int | str], ...] = ()
    derives: str = ""
    instead: str = ""
    freed: bool | None = None
    facts: tuple[str, ...] = ()
    fate: tuple[str, ...] = ()
    held: tuple[tuple[Any, int], ...] = ()
    cut: tuple[tuple[int, str], ...] | None = None
    given: tuple[Named, ...] = ()
    names: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    back_lines: tuple[int, ...] = ()

    @property
    def leaf(self) -> bool:
        """Whether nothing of the run was needed for it."""
        return not self.parents

    @property
    def output(self) -> bool:
        """Whether the function returns it."""
        return self.seed is not None

    @property
    def differentiable(self) -> bool:
        """Whether a framework would give it a gradient: integers and truth values have none there."""
        return "float" in self.dtype

    @property
    def called(self) -> str:
        """What sentences call it: its name, else what made it."""
        return self.name or (self.title if self.leaf else f"the result of {self.title}")

    @property
    def brief(self) -> str:
        """Its value on a card, or its shape where the value is not kept."""
        unknown = self.instead or f"{shape(self.shape)}: not kept".lstrip(": ")
        return on_card(self.value) if self.value is not None else unknown

    @property
    def value_line(self) -> str:
        """The second line of its card: the user's name and the value."""
        if self.leaf or not self.name:
            return self.brief
        return f"{clipped(self.name, 16)}{' =' if np.size(self.value) == 1 else ''} {self.brief}"

    @property
    def gradient_name(self) -> str:
        """What the card of its gradient is called: `x.grad`, `∂h`, or `∂tanh` where the user gave no name."""
        return f"{clipped(self.title)}.grad" if self.leaf else f"∂{clipped(self.name or self.title)}"


@dataclass(frozen=True, eq=False)
class Sent:
    """What a step sends to the node `parent`, the `place`-th parent of the step's node: `value`, the sum `total` there
    after it, and the local `slope`, a number, where everything is one number."""

    parent: int
    place: int
    value: np.ndarray
    total: np.ndarray
    slope: float | None


class Rule(NamedTuple):
    """How what a step sends was made of the gradient g that arrived: `words`, such as "g·wᵀ"; `factors`: the names of what was
    multiplied and the values, or `rules.Seen` of these, with a `sign` between them; () where g alone tells it."""

    words: str
    factors: tuple[Named, ...] = ()
    sign: str = ""


@dataclass(frozen=True, eq=False)
class Step:
    """One application of the chain rule: `gradient` arrives at `node`, and what is `sent` leaves it, one for each use of a
    parent. `rule`: the derivative in words. `ops`: the primitives that it runs."""

    node: int
    gradient: np.ndarray
    sent: tuple[Sent, ...]
    rule: str = ""
    ops: tuple[str, ...] = ()


@dataclass
class Story:
    """A run.

    Attributes:
        name: of the function, or of the tensor.
        nodes: in the order they ran, each at its index, leaves first. `steps`: the chain rule, last op first.
        taped: whether this is a tensor's tape; `released`: whether `backward()` has let its saved values go; `retained`:
            whether the way back that is shown has let nothing go.
        program: the source that graph mode would run, or ""; `no_program`: then why.
        rules: of the steps that were asked for how each thing that they send was made (`rules.py`), by node.
        heading, about: its title, and sentences on what it is, where it is not the gradient of one run.
        verdict: what is told where nothing is found, or None. `ending`: what is said at last, after the way back, "" for nothing.
        notices: what a reader should be told first. `marked`: the nodes that they are about; `coloured`: whether the colours of
            gradients show it. `bad`, `bad_gradient`: the first node whose value, and whose gradient,
            holds nan or inf, or None.
    """

    name: str
    nodes: list[Node]
    steps: list[Step]
    taped: bool = False
    released: bool = False
    retained: bool = False
    program: str = ""
    no_program: str = ""
    rules: dict[int, tuple[Rule | None, ...]] = field(default_factory=dict)
    heading: str = ""
    about: list[str] = field(default_factory=list)
    verdict: Verdict | None = None
    ending: str = ""
    notices: list[str] = field(default_factory=list)
    marked: frozenset[int] = frozenset()
    coloured: bool = False
    bad: int | None = None
    bad_gradient: int | None = None

    @cached_property
    def names(self) -> frozenset[str]:
        """What the user called something."""
        return frozenset(name for node in self.nodes for name in (node.name, node.title if node.leaf else ""))

    @cached_property
    def step_of(self) -> dict[int, Step]:
        """The step of each node that has one."""
        return {step.node: step for step in self.steps}

    @property
    def stepped(self) -> bool:
        """Whether numbers went along its steps, and not their order alone is known."""
        return not any(isinstance(sent.value, Unknown) for step in self.steps for sent in step.sent)

    @property
    def outputs(self) -> list[Node]:
        """The nodes that the function returns."""
        return [n for n in self.nodes if n.output]

    @property
    def leaves(self) -> list[Node]:
        """The inputs and parameters."""
        return [n for n in self.nodes if n.leaf]
