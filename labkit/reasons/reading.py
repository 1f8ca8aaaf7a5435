"""The backward pass over a graph to one tensor, node by node, for the dialect's graph and that of the installed PyTorch."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .flow import FINITE, Bad, Flow, Sent, Step, differ, finite, first_bad
from .probe import Probe


class Unreadable(Exception):
    """The gradient cannot be computed: `cause`, `place`, and the op or the words of the framework.

    Causes: "released": this loss was walked, and what the graph had saved was freed; "shared": an earlier backward() walked a
    part of the graph; "looped": so it did, and the same line ran again since; "overwritten": a saved tensor was changed in
    place; "stepped": that is a weight; "refused": an op raises an error.
    """

    def __init__(self, cause: str, place: Any = None, words: str = "") -> None:
        super().__init__(words)
        self.cause, self.place, self.words = cause, place, words


def error_words(error: Exception) -> str:
    """What an error says, without PyTorch's hints; with its class, where that is not RuntimeError."""
    words = str(error).partition(" Hint")[0]
    return words if type(error) is RuntimeError else f"{type(error).__name__}: {words}"


class Reading:
    """What the tape behind `loss` says of `w`, two tensors; `order` has its nodes, each after what it was computed from.

    `reached`: whether the gradient gets there; `released`: whether `backward()` of this loss has freed what was saved. What
    follows each kind of tape says in its own words.
    """

    released = False
    walked: Any = None  # the flow as it was when the function that was run called backward() itself
    freed: Callable[[Any], bool]  # whether a backward() has let go what a node had saved
    changed_in_place: Callable[[Any], tuple[bool, Any] | None]  # a saved tensor: whether it is a weight, and where
    stored: Callable[[Any], list[np.ndarray]]  # what the tape has saved of the result of a node
    again: Callable[[Any], np.ndarray | None]  # its result, computed again of the leaves; or what is saved; or None

    variable: Callable[[Any], Any]  # the tensor at a leaf; None for an op
    ways: Callable[[Any], Sequence]  # where a node sends gradients: each has its `node` (None: nowhere) and output `nr`
    pull: Callable[[Any, dict], list]  # what it sends there for the gradients that arrived, by output; or `Unreadable`
    behind: Callable[[Any], set]  # the nodes behind one, itself included
    named: Callable[[Any], tuple[str, Any]]  # its op, and the place where that ran
    seen: Callable[
        [Any], Any
    ]  # the `marks` of its result, and of what went in (None: not known); None: nothing is known
    first: Callable[[dict], Any]  # the gradient that stands for all that arrived
    sent: Callable[[Any, dict], list]  # the same, as backward() would do it: nothing is computed again
    quiet: Callable[[], Any]  # while open, what runs is not recorded
    start: Callable[[], Any]  # the gradient of the loss with respect to itself
    root: Callable[[], int]  # which output of its op the loss is
    fitting: Callable[[Any, Any], Any]  # a gradient in the shape and dtype of what is there on a way
    changed: Callable[[Callable, Any], Any]  # a gradient after a change
    numbers: Callable[[Any], np.ndarray]  # a tensor or gradient as an array
    factors: Callable[[Any], list[np.ndarray]]  # the arrays that are zero and multiply what leads on
    probe: Callable[[Any, int, Any], Probe | None]  # what its derivative in the argument at this place is like

    def __init__(self, loss: Any, w: Any, order: Sequence) -> None:
        self.loss, self.w, self.end, self.order = loss, w, loss.grad_fn, order
        self.target = w.grad_fn
        if self.target is None:
            self.target = next((node for node in order if self.variable(node) is w), None)
        self.leading = self._leading()
        self.reached = self.target is not None and self.target in self.leading

    def _leading(self):
        found: set = set()
        for node in self.order:
            if node is self.target or any(way.node in found for way in self.ways(node)):
                found.add(node)
        return found

    # ---- what backward() would refuse, and what it would not notice ----

    def problem(self) -> Unreadable | None:
        """Why `backward()` of the loss raises an error, on whatever branch; None where it does not, or was walked itself."""
        for node in reversed(self.order if self.walked is None else ()):
            op, place = self.named(node)
            if self.freed(node) and not self.released:
                again = any(self.named(n) == (op, place) for n in self.order if place and not self.freed(n))
                return Unreadable("looped" if again else "shared", place, op)
            changed = self.changed_in_place(node)
            if changed is not None:
                return Unreadable("stepped" if changed[0] else "overwritten", changed[1], op)
        return None

    def spoiled(self) -> Any:
        """The first node whose saved result is not what its op gives of its arguments: something was overwritten unseen."""
        for node in self.order if self.walked is None else ():
            again = self.again(node)
            stored = [*self.stored(node), *([self.numbers(self.loss)] if node is self.end else [])]
            if again is not None and any(differ(one, again) for one in stored):
                return node
        return None

    # ---- the backward pass ----

    def walk(self, start: Any, place: int, at: int) -> Flow:
        """The backward pass from `start`, the upstream gradient of output `place`, to output `at` of the target."""
        totals: dict[Any, dict[int, Any]] = {node: {} for node in self.order}
        totals[self.end][place] = start
        passed = (node for node in reversed(self.order) if node in self.leading and node is not self.target)
        steps = [self._step(node, totals) for node in passed if totals[node]]
        gradient = totals[self.target].get(at)
        array = np.zeros_like(self.numbers(self.w)) if gradient is None else self.numbers(gradient)
        return Flow(steps, self.target, array, self._bad(), gradient is None, self.first_bad, self._given)

    def fit(self, node: Any, g: Any, way: Any) -> Any:
        """What a node sent, in the shape and dtype of where it goes; `Unreadable` where it cannot have that."""
        try:
            return self.fitting(g, way)
        except RuntimeError as error:
            raise Unreadable("refused", self.named(node)[1], f"{self.named(node)[0]}: {error}") from None

    def _step(self, node, totals):
        arrived = totals[node]
        first = self.first(arrived)
        sent, taken, kind, elsewhere = [], [], "", False
        for i, (way, g) in enumerate(zip(self.ways(node), self.pull(node, arrived), strict=False)):
            if g is None or way.node is None:
                continue
            g = self.fit(node, g, way)
            if way.node not in self.leading:
                elsewhere = elsewhere or bool(g.any())
                continue
            slots = totals[way.node]
            slots[way.nr] = g if way.nr not in slots else slots[way.nr] + g
            taken.append((i, way))
            kind = self.kind(g)
            sent.append(Sent(way.node, self.numbers(g), partial(self.probe, node, i, first)))

        def again(change):
            more = self.pull(node, {nr: self.changed(change, g) for nr, g in arrived.items()})
            return [self.numbers(self.fitting(more[i], way)) for i, way in taken if more[i] is not None]

        return Step(
            node, *self.named(node), self.numbers(first), sent, again,
            lambda: elsewhere or self.aside(node, first), self.factors(node), kind, hasattr(node, "needs_input_grad"),
        )  # fmt: skip

    def _bad(self):
        return None if finite(self.numbers(self.loss)) else self.first_bad(self.end)

    def first_bad(self, end: Any) -> Bad | None:
        """The op behind `end`, itself included, that made what is not finite, as far as it can be seen."""
        behind = self.behind(end)
        for node in self.order:
            if node in behind and self.variable(node) is not None and (self.seen(node) or [FINITE])[0] - {"large"}:
                kind = "itself" if node is self.target else "leaf"
                shape = list(np.shape(self.numbers(self.variable(node))))
                return Bad("a leaf of shape {shape}".format(shape=shape), None, kind)
        nodes = (node for node in self.order if node in behind)
        return first_bad(nodes, self.seen, self.named, self._grows)

    def _given(self, node):
        return (self.seen(node) or (FINITE, None))[1] or FINITE

    def _grows(self, node):
        probe = self.alone(node)
        return probe is not None and probe.grows

    # ---- what only one kind knows ----

    def stale(self) -> bool:
        """Whether the loss was walked, and weights were changed since: `flow` is of the new ones."""
        return False

    def unverified(self, op: str, place: Any) -> bool:
        """Whether an op of this name saved its result, which could not be computed again."""
        return False

    def kind(self, g: Any) -> str:
        """The name of a gradient's dtype, where NumPy has none of that name."""
        return ""

    def aside(self, node: Any, arrived: Any) -> bool:
        """Whether the constants among the arguments of an op would get something."""
        return False

    def alone(self, node: Any) -> Probe | None:
        """What an op is like as a function of one number, without what it has saved; None where it is none."""
        return None

    def dtype_at(self, node: Any) -> str:
        """The name of the dtype that an op gives, where that is known."""
        return ""
