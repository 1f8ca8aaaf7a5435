"""What happened in a run, as the views tell it: nodes, the steps of the chain rule, and what to tell first.

A `Story` is made from a recorded graph (`recorded.py`) or from a tensor's tape (`tape.py`); no view looks behind it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ....engine import Scope
from ...kit.words import clipped, number, on_card, shape

NEAR = 2.0  # times, which are told exactly
MOST_SEEDED = 4  # elements of a result whose upstream gradient has a number for each to be dragged


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
        seed: the upstream gradient of an output: ones, times how often it is returned; else None.
        saved: indices of the nodes whose values its derivative reads.
        grad_fn: what PyTorch's tape calls its node. `keeps`: what this node saves: indices of nodes (its own is its result),
            and the names of arguments that are constants; `slots`: the same, each after PyTorch's name for its place.
        derives: for an op that an inner derivative ran (`grad(f)` is itself a run), the op whose derivative it belongs to.
        freed: whether `backward()` has let go what it saved; None: as of the whole story. `facts`: what else to say about it;
            `fate`: what would become of it, and of what it keeps.
        given: names and values of what its derivative uses besides nodes of the story, such as a mask.
        held: `(memory, bytes)` of each tensor that it keeps alive, a number for what shares memory.
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
    freed: bool | None = None
    facts: tuple[str, ...] = ()
    fate: tuple[str, ...] = ()
    held: tuple[tuple[Any, int], ...] = ()
    given: tuple[Named, ...] = ()

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
        alone = self.leaf or self.title.endswith("]")
        return self.name or (self.title if alone else f"the result of {self.title}")

    @property
    def brief(self) -> str:
        """Its value on a card, or its shape where the value is not kept."""
        unknown = f"{shape(self.shape)}: not kept".lstrip(": ")
        return on_card(self.value) if self.value is not None else unknown

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
    """How what a step sends was made of the upstream gradient g: `words`, such as "g·wᵀ"; `factors`: the names of what was
    multiplied and the values, or `rules.Seen` of these, with a `sign` between them; () where g alone tells it."""

    words: str
    factors: tuple[Named, ...] = ()
    sign: str = ""


@dataclass(frozen=True, eq=False)
class Step:
    """One application of the chain rule: the upstream `gradient` of `node`, and what is `sent`, one for each use of a
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
        taped: whether this is a tensor's tape; `released`: whether `backward()` has freed its saved values; `retained`:
            whether the backward pass that is shown has freed nothing.
        program: the source that graph mode would run, or ""; `no_program`: then why.
        rules: of the steps that were asked for how each thing that they send was made (`rules.py`), by node.
        heading, about: its title, and sentences on what it is, where it is not the gradient of one run.
        ending: what is said after the backward pass, "" for nothing.
        notices: what a reader should be told first. `marked`: the nodes that they are about. `bad`, `bad_gradient`: the first
            node whose value, and whose gradient, holds nan or inf, or None.
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
    ending: str = ""
    notices: list[str] = field(default_factory=list)
    marked: frozenset[int] = frozenset()
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
    def outputs(self) -> list[Node]:
        """The nodes that the function returns."""
        return [n for n in self.nodes if n.output]

    @property
    def leaves(self) -> list[Node]:
        """The inputs and parameters."""
        return [n for n in self.nodes if n.leaf]
