"""The tape of the installed PyTorch, read back to one tensor: node by node, so that no hook runs and no `.grad` changes."""

import sys
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..realtape import KEPT, nodes_of, op_of, settings, slots
from .flow import Flow, Sent, Step, finite
from .probe import GRID, Probe, on_grid
from .tape import Unreadable


def numbers(tensor: Any) -> np.ndarray:
    """Its numbers; those that NumPy has no type for, as float32, with their name as the `dtype` of the array."""
    plain = tensor.detach()
    plain = plain.to_dense() if plain.is_sparse else plain
    kind = str(plain.dtype).rpartition(".")[2]
    if plain.is_floating_point() and kind not in ("float16", "float32", "float64"):
        plain = plain.float()
    return plain.cpu().resolve_conj().resolve_neg().numpy()


class RealReading:
    """What the tape behind `loss` says of `w`, two real tensors; `places` has the line of nodes, where a run was watched.

    `reached`: whether the gradient gets there.
    """

    def __init__(
        self,
        loss: Any,
        w: Any,
        place_of: Callable[[Any], Any] = lambda node: None,
        written: Callable[[], Any] = lambda: None,
    ) -> None:
        self.torch: Any = sys.modules["torch"]
        self.written = written  # where what had been used was overwritten
        self.loss, self.w, self.end, self.place_of = loss, w, loss.grad_fn, place_of
        self.order = [] if self.end is None else nodes_of([loss])[::-1]
        self.target = w.grad_fn if w.grad_fn is not None else self._leaf()
        self.leading = self._leading()
        self.reached = self.target is not None and self.target in self.leading
        self.places = self._spread()
        self.walked: Flow | None = None  # the way back as it was when somebody walked it

    def _leaf(self):
        return next((n for n in self.order if op_of(n) == "leaf" and n.variable is self.w), None)

    def _leading(self):
        found = set()
        for node in reversed(self.order):  # leaves first
            if node is self.target or any(n in found for n, _ in node.next_functions):
                found.add(node)
        return found

    def _spread(self):
        """The line of each node; of those inside of one call, that of what they are for."""
        found: dict[Any, Any] = {}
        for node in self.order:
            found[node] = self.place_of(node) or found.get(node)
            for parent, _ in node.next_functions:
                if parent is not None and found.get(parent) is None:
                    found[parent] = found[node]
        return found

    def flow(self) -> Flow:
        """The way back to `w`. Raises `Unreadable` where a value that it needs was changed or let go."""
        if self.walked is not None:
            return self.walked
        torch = self.torch
        totals: dict[Any, dict[int, Any]] = {node: {} for node in self.order}
        totals[self.end][self.loss.output_nr] = torch.ones_like(self.loss)
        steps: list[Step] = []
        with torch.no_grad():
            for node in self.order:
                if node in self.leading and node is not self.target and totals[node]:
                    steps.append(self._step(node, totals))
            arrived = totals[self.target].get(self.w.output_nr if self.w.grad_fn is not None else 0)
            gradient = torch.zeros_like(self.w) if arrived is None else arrived
        return Flow(steps, self.target, numbers(gradient), self._bad(), self._first_bad)

    def _bad(self):
        if finite(numbers(self.loss)):
            return None
        return self._first_bad(self.end) or (op_of(self.end), self.places[self.end])

    def _first_bad(self, end):
        """The first op behind `end` of which it can be seen that it made something not finite, from what it has saved, or what
        those that use its result have."""
        behind, stack = {end}, [end]
        while stack:
            found = [n for n, _ in stack.pop().next_functions if n is not None and n not in behind]
            behind.update(found)
            stack += found
        return next(
            ((op_of(n), self.places[n]) for n in reversed(self.order) if n in behind and self._made_bad(n)), None
        )

    def _made_bad(self, node):
        values = [self._kept(node).get("result"), *(self._argument(n, place) for n, place in self._users.get(node, ()))]
        return any(v is not None and not finite(numbers(v)) for v in values)

    @cached_property
    def _users(self):
        """What uses the result of each node, and as which argument."""
        found: dict[Any, list] = {}
        for node in self.order:
            for place, (parent, _) in enumerate(node.next_functions):
                found.setdefault(parent, []).append((node, place))
        return found

    def _argument(self, node, place):
        """What a node has saved of its argument at this place, where that is floating."""
        found = self._kept(node).get(("self", "other")[place]) if place < 2 else None
        return found if found is not None and found.is_floating_point() else None

    def _kept(self, node):
        """The tensors that a node has saved, by name: not those that were let go or changed, or that a hook has packed."""
        return {slot.name: slot.tensor for slot in slots(node) if slot.state == KEPT}

    def _step(self, node, totals):
        arrived = totals[node]
        first = next(iter(arrived.values()))
        pulled = self._pull(node, arrived)
        sent: list[Sent] = []
        kinds: list[str] = []
        elsewhere, values = False, []
        for i, ((parent, nr), g) in enumerate(zip(node.next_functions, pulled, strict=False)):
            if g is None or parent is None:
                continue
            g = self._fitting(g, parent, nr)
            if parent not in self.leading:
                elsewhere = elsewhere or bool(g.any())
                continue
            slots = totals[parent]
            slots[nr] = g if nr not in slots else slots[nr] + g
            values.append((i, parent, nr))
            kinds.append(str(g.dtype).rpartition(".")[2])
            sent.append(Sent(parent, numbers(g), partial(self._probe, node, i, first)))

        def again(change):
            more = self._pull(node, {nr: change(g) for nr, g in arrived.items()})
            return [numbers(self._fitting(more[i], parent, nr)) for i, parent, nr in values if more[i] is not None]

        step = Step(
            node, op_of(node), self.places[node], numbers(first), sent, again, lambda: elsewhere, self._factors(node)
        )
        step.kind = kinds[-1] if kinds else ""
        return step

    def _pull(self, node, arrived):
        count = max([len(getattr(node, "_input_metadata", ())), *(nr + 1 for nr in arrived)])
        given = [arrived.get(nr) for nr in range(count)]
        try:
            with self.torch.no_grad():
                found = node.apply(*given) if hasattr(node, "apply") and not callable(node) else node(*given)
        except RuntimeError as error:
            words = str(error)
            if "second time" in words or "freed" in words:
                raise Unreadable("released", None, words) from None
            if "modified by an inplace" in words:
                raise Unreadable("overwritten", self.written() or self.places[node], op_of(node)) from None
            raise Unreadable("refused", self.places[node], f"{op_of(node)}: {words}") from None
        return list(found) if isinstance(found, (tuple, list)) else [found]

    def _fitting(self, g, parent, nr):
        """A gradient in the shape and dtype of what it is of, as the walk of PyTorch makes it."""
        like = parent.variable if op_of(parent) == "leaf" else _metadata(parent, nr)
        if like is None:
            return g
        shape = tuple(like.shape)
        if tuple(g.shape) != shape and not g.is_sparse:
            g = g.sum_to_size(shape)
        return g if g.dtype == like.dtype else g.to(like.dtype)

    def _factors(self, node):
        return (
            [numbers(v) for v in self._kept(node).values() if v.is_floating_point()]
            if op_of(node) in ("mul", "div")
            else []
        )

    def _probe(self, node, place, arrived):
        torch, op = self.torch, op_of(node)
        function = getattr(torch, op, None) or getattr(torch.nn.functional, op, None)
        if function is None or place:
            return None
        found = on_grid(lambda values: _on_grid(torch, function, self._options(node), values))
        if found is None:
            return None
        with torch.no_grad():
            here = self._pull(node, {0: torch.ones_like(arrived)})[place]
        slopes = numbers(here).astype(float)
        given = numbers(arrived)
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


def _metadata(node, nr):
    found = getattr(node, "_input_metadata", None)
    return found[nr] if found is not None and nr < len(found) else None


__all__ = ["GRID", "RealReading", "numbers"]
