"""The tape of the PyTorch dialect, read back to one tensor: nothing is accumulated, released or run that is the user's."""

from typing import Any

import numpy as np

from ..engine import dense, getval, match_dtype, vjp_of
from .flow import FINITE, Flow, marks
from .probe import Probe
from .reading import Reading, Unreadable
from .rules import function_alone, probe_of, sends_elsewhere, zero_factors


def is_taped(value: Any) -> bool:
    """Whether it is a tensor of the PyTorch dialect."""
    return hasattr(type(value), "__engine_notes__")


def array_of(tensor: Any) -> np.ndarray:
    """Its numbers."""
    return np.asarray(getval(tensor.__engine_value__()))


class TapeReading(Reading):
    """What the tape of the dialect says. `released`: whether `backward()` has walked it."""

    def __init__(self, loss: Any, w: Any) -> None:
        super().__init__(loss, w, [] if loss.grad_fn is None else loss.grad_fn.__engine_behind__())
        self.released = any(node.released and node.releases for node in self.order)
        self.values: dict[Any, Any] = {}

    def variable(self, node: Any) -> Any:
        return getattr(node, "variable", None)

    def ways(self, node: Any) -> list:
        return [edge for edge in node.edges if edge is not None]

    def behind(self, end: Any) -> set:
        return set(end.__engine_behind__())

    def named(self, node: Any) -> tuple[str, Any]:
        return node.op_name(), node.where

    # ---- values ----

    def _compute(self):
        """The values of all nodes, as far as they can be had: saved, or computed again of what is still there."""
        with np.errstate(all="ignore"):
            for node in self.order:
                self._value(node)

    def _value(self, node):
        if node not in self.values:
            self.values[node] = None
            try:
                self.values[node] = self._computed(node)
            except Exception:  # an op that cannot be repeated with what is known
                self.values[node] = None
        return self.values[node]

    def _computed(self, node):
        if hasattr(node, "variable"):
            return array_of(node.variable)
        if hasattr(node, "look"):
            return self._with_part(node)
        if not hasattr(node, "known"):
            return None
        args, value = self._arguments(node)
        if value is not None:
            return np.asarray(getval(value))
        return None if args is None else np.asarray(node.fun(*args, **node.kwargs))

    def _with_part(self, node):
        base = None if node.base is None else self._value(node.base.node)
        part = self._value(node.fn)
        if part is None or (base is None and node.base is not None):
            return None
        whole = np.zeros(node.like.shape, node.like.dtype) if base is None else np.array(base)
        node.look(whole)[...] = part
        return whole

    def _arguments(self, node):
        """Its arguments, those on the tape computed where they are not saved; None for the first if one is missing."""
        args, value = node.known()
        saved = () if node.args is None else [node.info.names.index(n) for n in node.plan.saved if n in node.info.names]
        for place, edge in zip(node.argnums, node.parents, strict=True):
            if place in saved or (node.plan.kept is None and node.args is not None):
                args[place] = getval(args[place])
                continue
            args[place] = self._value(edge.node)
        missing = any(
            a is None for i, a in enumerate(args) if i in node.argnums or i in node.apart or node.args is None
        )
        return (None if missing and not _told(args, node) else args), value

    # ---- the way back ----

    def flow(self) -> Flow:
        """The way back to `w`. Raises `Unreadable` where a value that it needs was changed or is not there any more."""
        for node in self.order:
            self._check(node)
        self._compute()
        place = self.loss.output_nr if self.end.outputs > 1 else 0
        with np.errstate(all="ignore"):
            return self.walk(
                np.ones_like(array_of(self.loss)), place, self.w.output_nr if self.target.outputs > 1 else 0
            )

    def _check(self, node):
        if node not in self.leading:
            return
        for inner in (node, getattr(node, "fn", node)):
            for _, counter, number in dict(getattr(inner, "versions", {})).values():
                if counter.number != number:
                    raise Unreadable("overwritten", counter.place, inner.op_name())

    def first(self, arrived: dict[int, Any]) -> np.ndarray:
        return np.asarray(arrived[min(arrived)])

    def fitting(self, g: Any, way: Any) -> np.ndarray:
        return np.asarray(getval(match_dtype(dense(g), way.dtype)))

    def changed(self, change: Any, g: Any) -> np.ndarray:
        return np.asarray(change(g), g.dtype)

    def numbers(self, value: Any) -> np.ndarray:
        return array_of(value) if is_taped(value) else np.asarray(getval(value))

    def pull(self, node: Any, arrived: dict[int, Any]) -> list:
        gradients, wanted = [arrived.get(nr) for nr in range(node.outputs)], [True] * len(self.ways(node))
        if hasattr(node, "known"):
            args, value = self._arguments(node)
            if args is not None:
                value = self._value(node) if value is None else value
                return list(vjp_of(node.fun)(node.argnums, value, args, node.kwargs)(gradients[0]))
        from ..torch import set_grad_enabled

        try:
            with set_grad_enabled(False):
                return node.pull(gradients, wanted, False)
        except RuntimeError as error:
            cause = "overwritten" if "modified by an inplace" in str(error) else "released"
            raise Unreadable(cause, node.where, str(error).partition(" Hint")[0]) from None

    def aside(self, node: Any, arrived: Any) -> bool:
        args = self._arguments(node)[0] if hasattr(node, "known") else None
        return args is not None and sends_elsewhere(
            node.fun, args, node.kwargs, node.argnums, self._value(node), arrived
        )

    def factors(self, node: Any) -> list[np.ndarray]:
        if not hasattr(node, "known"):
            return []
        args, value = self._arguments(node)[0], self._value(node)
        if args is None or value is None:
            return []
        leading = [i for i, e in zip(node.argnums, node.parents, strict=True) if e.node in self.leading]
        return zero_factors(node.fun, [getval(a) for a in args], node.kwargs, leading, value)

    def probe(self, node: Any, place: int, arrived: Any) -> Probe | None:
        if not hasattr(node, "known") or place >= len(node.argnums):
            return None
        args, _ = self._arguments(node)
        if args is None:
            return None
        return probe_of(node.fun, args, node.kwargs, node.argnums[place], arrived)

    def alone(self, node: Any) -> Probe | None:
        places: tuple = getattr(node, "argnums", ())
        if len(places) != 1 or not hasattr(node, "known"):
            return None
        place, args = places[0], node.known()[0]
        return function_alone(node.fun, [0.0 if i == place else a for i, a in enumerate(args)], node.kwargs, place)

    def seen(self, node: Any) -> Any:
        value = self.values.get(node)
        if value is None:
            return None
        if hasattr(node, "variable"):
            return marks([value]), FINITE
        args = self._arguments(node)[0] if hasattr(node, "known") else None
        return marks([value]), None if args is None else marks([*map(getval, args), *node.kwargs.values()])


def _told(args, node):
    """Whether None among the arguments is an option rather than something that is gone."""
    gone = [i for i, a in enumerate(args) if a is None and (i in node.argnums or i in node.apart)]
    return not gone and node.args is not None


def hooks_on_the_way(reading: TapeReading) -> Any:
    """A hook that changes gradients before they reach `w`, or None."""
    for node in reading.order:
        if node in reading.leading:
            tables = [*node.tensor_hooks.values(), node.hooks, node.prehooks]
            found = next((hook for table in tables if table for hook in table.values()), None)
            if found is not None:
                return found
    return None
