"""The tape of the installed PyTorch, read back to one tensor: node by node, so that no hook runs and no `.grad` changes."""

import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..realtape import CHANGED, FREED, KEPT, array_of, dtype_of, fate_of, nodes_of, op_of, settings, slots
from .flow import FINITE, Bad, Flow, finite, marks
from .probe import Probe, on_grid
from .reading import Reading, Unreadable

# what PyTorch has for products: each saves its factors
PRODUCTS = (
    "mul",
    "div",
    "mm",
    "addmm",
    "bmm",
    "baddbmm",
    "mv",
    "addmv",
    "dot",
    "vdot",
    "addr",
    "addcmul",
    "convolution",
)


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
        self.place_of, self.written = place_of, written  # of a node; where what had been used was overwritten
        self.watched = watched  # the marks of a node, where a run was watched
        self.places = self._spread()
        self.walked: Flow | None = None  # the way back as it was when somebody walked it

    def variable(self, node: Any) -> Any:
        return node.variable if op_of(node) == "leaf" else None

    def ways(self, node: Any) -> list[Way]:
        return [Way(*way) for way in node.next_functions]

    def named(self, node: Any) -> tuple[str, Any]:
        return op_of(node), self.places[node]

    def _spread(self):
        """The line of each node; of those inside of one call, that of what they are for."""
        found: dict[Any, Any] = {}
        for node in reversed(self.order):
            found[node] = self.place_of(node) or found.get(node)
            for parent, _ in node.next_functions:
                if parent is not None and found.get(parent) is None:
                    found[parent] = found[node]
        return found

    def flow(self) -> Flow:
        """The way back to `w`. Raises `Unreadable` where a value that it needs was changed or let go."""
        if self.walked is not None:
            return self.walked
        with self.torch.no_grad():
            at = self.w.output_nr if self.w.grad_fn is not None else 0
            return self.walk(self.torch.ones_like(self.loss), self.loss.output_nr, at)

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
        kept = {n: v for n, v in self._kept(node).items() if v.is_floating_point()}
        result = kept.pop("result", None)
        given = marks(map(array_of, kept.values()))
        values = [result, *(self._argument(n, place) for n, place in self._users.get(node, ()))]
        values = [value for value in values if value is not None] or self._once_more(node, kept)
        whole = len(kept) >= len(node.next_functions)
        return (marks(map(array_of, values)) if values else given & {"nan"}), (given if given or whole else None)

    def _once_more(self, node, kept):
        """The result of a function of one or two tensors, of which it has kept these; in a list, empty where it cannot."""
        function = getattr(self.torch, op_of(node), None)
        if function is None or tuple(kept) not in (("self",), ("self", "other"), ("other", "self")):
            return []
        if len(kept) != len(node.next_functions):
            return []
        given = [kept[name] for name in ("self", "other") if name in kept]
        try:
            with self.torch.no_grad():
                return [function(*given, **self._options(node))]
        except (TypeError, RuntimeError):
            return []

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

    def first(self, arrived: dict[int, Any]) -> Any:
        return next(iter(arrived.values()))

    def changed(self, change: Callable, g: Any) -> Any:
        return change(g)

    def numbers(self, value: Any) -> np.ndarray:
        return array_of(value)

    def kind(self, g: Any) -> str:
        return dtype_of(g)

    def pull(self, node: Any, arrived: dict[int, Any]) -> list:
        count = max([len(getattr(node, "_input_metadata", ())), *(nr + 1 for nr in arrived)])
        given = [arrived.get(nr) for nr in range(count)]
        try:
            with self.torch.no_grad():
                found = node.apply(*given) if hasattr(node, "apply") and not callable(node) else node(*given)
        except RuntimeError as error:
            fate = fate_of(error)
            if fate == FREED:
                raise Unreadable("released", None, str(error)) from None
            if fate == CHANGED:
                raise Unreadable("overwritten", self.written() or self.places[node], op_of(node)) from None
            raise Unreadable("refused", self.places[node], f"{op_of(node)}: {error}") from None
        return list(found) if isinstance(found, (tuple, list)) else [found]

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


def _metadata(node, nr):
    found = getattr(node, "_input_metadata", None)
    return found[nr] if found is not None and nr < len(found) else None
