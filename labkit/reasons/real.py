"""The tape of the installed PyTorch, read back to one tensor: node by node, so that no hook runs and no `.grad` changes."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..realtape import (
    CHANGED,
    FREED,
    KEPT,
    array_of,
    dtype_of,
    fate_of,
    given_again,
    nodes_of,
    op_of,
    settings,
    slots,
    unseen,
)
from .flow import FINITE, Bad, Flow, finite, marks
from .probe import Probe, on_grid
from .reading import Reading, Unreadable, error_words

# what PyTorch has for products: each saves its factors
PRODUCTS = (
    "mul", "div", "mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "vdot", "addr", "addcmul", "convolution",
)  # fmt: skip


_COUNT = "{op}: it returned {count} gradients, where {expected} are expected"


class Way(NamedTuple):
    """Output `nr` of a node (None: nowhere)."""

    node: Any
    nr: int


class RealReading(Reading):
    """What the tape of two real tensors says; `places` has the line of nodes, where a run was watched."""

    def __init__(
        self,
        loss: Any,
        w: Any,
        place_of: Callable[[Any], Any] = lambda node: None,
        written: Callable[[], Any] = lambda: None,
        watched: Callable[[Any], Any] = lambda node: None,
    ) -> None:
        super().__init__(loss, w, [] if loss.grad_fn is None else nodes_of([loss]))
        self.torch: Any = sys.modules["torch"]
        self.lines = watched(self.end) is not None  # of a run that was watched
        self.place_of, self.written = place_of, written  # of a node; where what had been used was overwritten
        self.watched = watched  # the marks of a node, where a run was watched
        self.places = self._spread()
        self.let_go: Any = ()  # the nodes whose saved tensors a backward() in a run would have freed
        self.written_at: Callable[[Any], Any] = lambda tensor: None  # where the memory of a tensor was written to last
        self.slots = {node: list(slots(node)) for node in self.order}
        self._again: dict[Any, Any] = {}
        self._unverified: list = []
        self.released = self._all_freed()

    # ---- what backward() would refuse, and what it would not notice ----

    def _all_freed(self):
        """Whether what is saved next to the loss, whichever way one goes, was let go: it was walked, or what it shares."""
        front, stack, seen = [], [self.end] if self.order else [], set()
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                if self.slots[node]:
                    front.append(self.freed(node))
                else:
                    stack += [parent for parent, _ in node.next_functions if parent is not None]
        return bool(front) and all(front)

    def freed(self, node: Any) -> bool:
        return any(slot.state == FREED for slot in self.slots[node]) or (node in self.let_go and bool(self.slots[node]))

    def changed_in_place(self, node: Any) -> Any:
        changed = [slot.tensor for slot in self.slots[node] if slot.state == CHANGED]
        if not changed:
            return None
        of_leaf = changed[0] is not None and _memory(changed[0]) in self._leaf_memories
        return of_leaf, self.written() or self.places[node]

    @cached_property
    def _leaf_memories(self):
        return [_memory(node.variable) for node in self.order if op_of(node) == "leaf"]

    @cached_property
    def _saved_of(self):
        """What the nodes have saved, by the node and the output that made it."""
        found: dict[Any, list] = {}
        for node in self.order:
            for tensor in self._kept(node).values():
                if tensor.grad_fn is not None:
                    found.setdefault((tensor.grad_fn, tensor.output_nr), []).append(tensor)
        return found

    def stored(self, node: Any) -> list[np.ndarray]:
        return [] if op_of(node) == "leaf" else [array_of(tensor) for tensor in self._saved_of.get((node, 0), ())]

    def again(self, node: Any) -> np.ndarray | None:
        if (node, 0) not in self._again:
            self._again[node, 0] = None
            with unseen(), suppress(Exception):  # an op that cannot be repeated with what is known
                self._again[node, 0] = self._run_again(node)
        found = self._again[node, 0]
        return None if found is None else array_of(found)

    def _run_again(self, node):
        if op_of(node) == "leaf":
            return (
                node.variable.detach()
                if node.variable._version == 0 or _memory(node.variable) in self._current
                else None
            )
        found = given_again(op_of(node), node, self._kept(node), lambda *way: self._again.get(way))
        if found is None and "result" in self._kept(node):
            self._unverified.append(self.named(node))
        return found if found is not None else next((t.detach() for t in self._saved_of.get((node, 0), ())), None)

    @cached_property
    def _current(self):
        """The memory of leaves that a node has saved and that are as they were then."""
        return {_memory(tensor) for node in self.order for tensor in self._kept(node).values()}

    def unverified(self, op: str, place: Any) -> bool:
        return (op, place) in self._unverified and not self.lines

    def touched(self, node: Any) -> Any:
        """`(op, place)` of the write, in a run that was watched; or None."""
        tensors = [
            *self._saved_of.get((node, 0), ()),
            *(n.variable for n, _ in node.next_functions if hasattr(n, "variable")),
        ]
        place = next((place for t in tensors if (place := self.written_at(t)) is not None), None)
        return None if place is None else ("", place)

    # ---- the backward pass ----

    def variable(self, node: Any) -> Any:
        return node.variable if op_of(node) == "leaf" else None

    def ways(self, node: Any) -> list[Way]:
        return [Way(*way) for way in node.next_functions]

    def named(self, node: Any) -> tuple[str, Any]:
        return op_of(node), self.places[node]

    def _spread(self):
        """The line of each node; of those inside one call, that of what they are for."""
        found: dict[Any, Any] = {}
        for node in reversed(self.order):
            found[node] = self.place_of(node) or found.get(node)
            for parent, _ in node.next_functions:
                if parent is not None and found.get(parent) is None:
                    found[parent] = found[node]
        return found

    def flow(self) -> Flow:
        """The backward pass to `w`. Raises `Unreadable` if a value that it needs was freed."""
        if self.walked is not None:
            return self.walked
        with self.quiet():
            return self.walk(self.start(), self.root(), self.w.output_nr if self.w.grad_fn is not None else 0)

    def start(self) -> Any:
        return self.torch.ones_like(self.loss)

    def root(self) -> int:
        return self.loss.output_nr

    def quiet(self) -> Any:
        return self.torch.no_grad()

    def sent(self, node: Any, arrived: dict) -> list:
        return self.pull(node, arrived)

    def _bad(self):
        if finite(array_of(self.loss)):
            return None
        return self.first_bad(self.end) or Bad(*self.named(self.end), "unseen")

    def behind(self, end: Any) -> set:
        found, stack = {end}, [end]
        while stack:
            more = [n for n, _ in stack.pop().next_functions if n is not None and n not in found]
            found.update(more)
            stack += more
        return found

    def seen(self, node: Any) -> Any:
        """From a run; or what it has saved of its result and arguments, and what those that use it have."""
        if self.watched(node) is not None:
            return self.watched(node)
        if op_of(node) == "leaf":
            return marks([array_of(node.variable)]), FINITE
        kept = {n: array_of(v) for n, v in self._kept(node).items() if v.is_floating_point()}
        made = [kept.pop("result", None), *self.stored(node), self.again(node)]
        values = [value for value in made if value is not None]
        before = [self.again(parent) for parent, nr in node.next_functions if parent is not None and not nr]
        given = marks([*kept.values(), *before])
        whole = len(kept) >= len(node.next_functions) or not any(value is None for value in before)
        return (marks(values) if values else given & {"nan"}), (given if given or whole else None)

    def _kept(self, node):
        """The tensors that a node has saved, by name: not those that were let go or changed, or that a hook has packed."""
        return {slot.name: slot.tensor for slot in self.slots[node] if slot.state == KEPT}

    def first(self, arrived: dict[int, Any]) -> Any:
        return next(iter(arrived.values()))

    def changed(self, change: Callable, g: Any) -> Any:
        return change(g)

    def numbers(self, value: Any) -> np.ndarray:
        return array_of(value)

    def kind(self, g: Any) -> str:
        return dtype_of(g)

    def pull(self, node: Any, arrived: dict[int, Any]) -> list:
        made = getattr(node, "_input_metadata", ())
        given = [arrived.get(nr) for nr in range(max([len(made), *(nr + 1 for nr in arrived)]))]
        if hasattr(node, "_forward_cls") and getattr(node, "materialize_grads", True):
            given = [self._zeros(kind) if g is None else g for kind, g in zip(made, given, strict=True)]
        try:
            with self.torch.no_grad():
                found = node.apply(*given) if hasattr(node, "apply") and not callable(node) else node(*given)
        except Exception as error:  # a function of the user's may raise any
            if fate_of(error) == FREED:
                raise Unreadable("released", None, str(error)) from None
            raise Unreadable("refused", self.places[node], f"{op_of(node)}: {error_words(error)}") from None
        sent = list(found) if isinstance(found, (tuple, list)) else [found]
        if len(sent) < (wanted := len(node.next_functions)):
            words = _COUNT.format(op=op_of(node), count=len(sent), expected=wanted)
            raise Unreadable("refused", self.places[node], words)
        return sent

    def _zeros(self, kind):
        return self.torch.zeros(kind.shape, dtype=kind.dtype, device=kind.device)

    def fitting(self, g: Any, way: Way) -> Any:
        """As the walk of PyTorch makes it."""
        like = way.node.variable if op_of(way.node) == "leaf" else _metadata(*way)
        if like is None:
            return g
        shape = tuple(like.shape)
        if tuple(g.shape) != shape and not g.is_sparse:
            g = g.sum_to_size(shape)
        return g if g.dtype == like.dtype else g.to(like.dtype)

    def factors(self, node: Any) -> list[np.ndarray]:
        if op_of(node) not in PRODUCTS:
            return []
        return [array_of(v) for v in self._kept(node).values() if v.is_floating_point()]

    def dtype_at(self, node: Any) -> str:
        like = _metadata(node, 0)
        return "" if like is None else dtype_of(like)

    def alone(self, node: Any) -> Probe | None:
        torch, op = self.torch, op_of(node)
        function = getattr(torch, op, None) or getattr(torch.nn.functional, op, None)
        if function is None:
            return None
        return on_grid(lambda values: _on_grid(torch, function, self._options(node), values))

    def probe(self, node: Any, place: int, arrived: Any) -> Probe | None:
        torch, found = self.torch, None if place else self.alone(node)
        if found is None:
            return None
        with torch.no_grad():
            here = self.pull(node, {0: torch.ones_like(arrived)})[place]
        slopes = array_of(here).astype(float)
        given = array_of(arrived)
        return Probe(found.values, found.slopes, slopes[given != 0] if slopes.shape == given.shape else slopes.ravel())

    def _options(self, node):
        return {n: v for n, v in settings(node).items() if isinstance(v, (int, float))}


def _on_grid(torch: Any, function: Any, options: Any, values: np.ndarray) -> tuple[Any, Any]:
    """Values and slopes of a function of torch, which may not take its options by name."""
    with torch.enable_grad():
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        try:
            y = function(x, **options)
        except TypeError:
            y = function(x)
        if y.grad_fn is None:
            return y.numpy(), np.zeros_like(values)
        (slopes,) = torch.autograd.grad(y.sum(), x)
    return y.detach().numpy(), slopes.numpy()


def _memory(tensor):
    return tensor.untyped_storage().data_ptr()


def _metadata(node, nr):
    found = getattr(node, "_input_metadata", None)
    return found[nr] if found is not None and nr < len(found) else None
