"""The tape of the installed PyTorch, read back to one tensor: node by node, so that no hook runs and no `.grad` changes."""

import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .flow import Flow, Sent, Step, finite
from .probe import GRID, Probe, on_grid
from .tape import Unreadable, is_taped

_LEAF = "AccumulateGrad"


def is_real(value: Any) -> bool:
    """Whether it is a tensor of the installed PyTorch; this is not imported to find out."""
    torch: Any = sys.modules.get("torch")
    return not is_taped(value) and isinstance(value, getattr(torch, "Tensor", ()))


def numbers(tensor: Any) -> np.ndarray:
    """Its numbers; those that NumPy has no type for, as float32, with their name as the `dtype` of the array."""
    plain = tensor.detach()
    plain = plain.to_dense() if plain.is_sparse else plain
    kind = str(plain.dtype).rpartition(".")[2]
    if plain.is_floating_point() and kind not in ("float16", "float32", "float64"):
        plain = plain.float()
    return plain.cpu().resolve_conj().resolve_neg().numpy()


def op_of(node: Any) -> str:
    """The op of a node's name: `log_softmax` of `LogSoftmaxBackward0`."""
    name = re.sub(r"Backwards?\d*$", "", node.name().rpartition("::")[2])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


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
        self.order = [] if self.end is None else _ordered(self.end)
        self.target = w.grad_fn if w.grad_fn is not None else self._leaf()
        self.leading = self._leading()
        self.reached = self.target is not None and self.target in self.leading
        self.places = self._spread()
        self.walked: Flow | None = None  # the way back as it was when somebody walked it

    def _leaf(self):
        return next((n for n in self.order if n.name().endswith(_LEAF) and n.variable is self.w), None)

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
        behind = set(_ordered(end))
        for node in reversed(self.order):
            if node in behind and self._made_bad(node):
                return op_of(node), self.places[node]
        return None

    def _made_bad(self, node):
        result = getattr(node, "_saved_result", None) if "_saved_result" in dir(node) else None
        users = [
            (n, [p for p, _ in n.next_functions].index(node))
            for n in self.order
            if any(p is node for p, _ in n.next_functions)
        ]
        values = [v for n, place in users if (v := self._argument(n, place)) is not None]
        return any(not finite(numbers(v)) for v in [*values, *([] if result is None else [result])])

    def _argument(self, node, place):
        """What a node has saved of its argument at this place."""
        name = ("_saved_self", "_saved_other")[place] if place < 2 else ""
        try:
            found = getattr(node, name, None)
        except RuntimeError:
            return None
        return found if isinstance(found, self.torch.Tensor) and found.is_floating_point() else None

    def _saved(self, node):
        try:
            found = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
        except RuntimeError:  # let go, or changed
            return []
        return [v for v in found if isinstance(v, self.torch.Tensor)]

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
        like = parent.variable if parent.name().endswith(_LEAF) else _metadata(parent, nr)
        if like is None:
            return g
        shape = tuple(like.shape)
        if tuple(g.shape) != shape and not g.is_sparse:
            g = g.sum_to_size(shape)
        return g if g.dtype == like.dtype else g.to(like.dtype)

    def _factors(self, node):
        return [numbers(v) for v in self._saved(node) if v.is_floating_point()] if op_of(node) in ("mul", "div") else []

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
        try:
            found = {n.removeprefix("_saved_"): getattr(node, n) for n in dir(node) if n.startswith("_saved_")}
        except RuntimeError:
            return {}
        return {n: v for n, v in found.items() if isinstance(v, (int, float)) and n != "result"}


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


def _ordered(end):
    """The nodes behind `end`, each before what it sends to."""
    order, seen, stack = [], set(), [(end, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(n, False) for n, _ in node.next_functions if n is not None and n not in seen]
    return order[::-1]


__all__ = ["GRID", "RealReading", "is_real", "numbers", "op_of"]
