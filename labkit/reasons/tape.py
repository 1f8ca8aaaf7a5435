"""The tape of the PyTorch dialect, read back to one tensor: nothing is accumulated, released or run that is the user's."""

from functools import partial
from typing import Any

import numpy as np

from ..engine import dense, getval, match_dtype, vjp_of
from .flow import Flow, Sent, Step, finite
from .rules import is_floating, probe_of, sends_elsewhere


class Unreadable(Exception):
    """The way back cannot be computed: `cause`, `place`, and the words of the framework."""

    def __init__(self, cause: str, place: Any = None, words: str = "") -> None:
        super().__init__(words)
        self.cause, self.place, self.words = cause, place, words


def is_taped(value: Any) -> bool:
    """Whether it is a tensor of the PyTorch dialect."""
    return hasattr(type(value), "__engine_notes__")


def array_of(tensor: Any) -> np.ndarray:
    """Its numbers."""
    return np.asarray(getval(tensor.__engine_value__()))


class TapeReading:
    """What the tape behind `loss` says of `w`, two tensors.

    `reached`: whether the gradient gets there. `released`: whether `backward()` has walked this tape.
    """

    def __init__(self, loss: Any, w: Any) -> None:
        self.loss, self.w, self.end = loss, w, loss.grad_fn
        self.order = [] if self.end is None else self.end.__engine_behind__()
        self.target = self._node_of(w)
        self.leading = self._leading()
        self.reached = self.target is not None and (self.target in self.leading)
        self.released = any(node.released and node.releases for node in self.order)
        self.values: dict[Any, Any] = {}

    def _node_of(self, w):
        if w.grad_fn is not None:
            return w.grad_fn
        return next((node for node in self.order if getattr(node, "variable", None) is w), None)

    def _leading(self):
        found = set()
        for node in self.order:  # leaves first
            if node is self.target or any(e is not None and e.node in found for e in node.edges):
                found.add(node)
        return found

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
        steps: list[Step] = []
        totals: dict[Any, list] = {node: [None] * node.outputs for node in self.order}
        totals[self.end][self.loss.output_nr if self.end.outputs > 1 else 0] = np.ones_like(array_of(self.loss))
        with np.errstate(all="ignore"):
            for node in reversed([n for n in self.order if n.edges and n in self.leading]):
                if node is not self.target and any(g is not None for g in totals[node]):
                    steps.append(self._step(node, totals))
        arrived = totals[self.target]
        place = self.w.output_nr if self.target.outputs > 1 else 0
        gradient = arrived[place] if arrived[place] is not None else np.zeros_like(array_of(self.w))
        return Flow(steps, self.target, np.asarray(getval(gradient)), self._bad(), self._first_bad)

    def _check(self, node):
        if node not in self.leading:
            return
        for inner in (node, getattr(node, "fn", node)):
            for _, counter, number in dict(getattr(inner, "versions", {})).values():
                if counter.number != number:
                    raise Unreadable("overwritten", counter.place, _name(inner))

    def _step(self, node, totals):
        gradients = totals[node]
        arrived = np.asarray(next(g for g in gradients if g is not None))
        sent, elsewhere = [], False
        edges = [e for e in node.edges if e is not None]
        pulled = self._pull(node, gradients)
        for i, (edge, g) in enumerate(zip(edges, pulled, strict=True)):
            if g is None:
                continue
            g = np.asarray(getval(match_dtype(dense(g), edge.dtype)))
            if edge.node not in self.leading:
                elsewhere = elsewhere or bool(np.any(g))
                continue
            slots = totals[edge.node]
            slots[edge.nr] = g if slots[edge.nr] is None else slots[edge.nr] + g
            sent.append(Sent(edge.node, g, partial(self._probe, node, i, arrived)))

        def again(change):
            scaled = [None if g is None else np.asarray(change(g), g.dtype) for g in gradients]
            found = zip(edges, self._pull(node, scaled), strict=True)
            return [np.asarray(getval(dense(g)), e.dtype) for e, g in found if g is not None and e.node in self.leading]

        return Step(
            node,
            _name(node),
            node.where,
            arrived,
            sent,
            again,
            lambda: elsewhere or self._aside(node, arrived),
            self._factors(node),
        )

    def _pull(self, node, gradients):
        wanted = [True] * sum(e is not None for e in node.edges)
        if hasattr(node, "known"):
            args, value = self._arguments(node)
            if args is not None:
                value = self._value(node) if value is None else value
                return list(vjp_of(node.fun)(node.argnums, value, args, node.kwargs)(gradients[0]))
        from ..torch import set_grad_enabled

        try:
            with set_grad_enabled(False):
                return node.pull(list(gradients), wanted, False)
        except RuntimeError as error:
            cause = "overwritten" if "modified by an inplace" in str(error) else "released"
            raise Unreadable(cause, node.where, str(error).partition(" Hint")[0]) from None

    def _aside(self, node, arrived):
        """Whether the constants among the arguments would get something."""
        args = self._arguments(node)[0] if hasattr(node, "known") else None
        return args is not None and sends_elsewhere(
            node.fun, args, node.kwargs, node.argnums, self._value(node), arrived
        )

    def _factors(self, node):
        if not hasattr(node, "known"):
            return []
        args, _ = self._arguments(node)
        kinds = [] if args is None else [a for i, a in enumerate(args) if is_floating(a)]
        leading = {i for i, e in zip(node.argnums, node.parents, strict=True) if e.node in self.leading}
        return [np.asarray(a) for i, a in enumerate(args or ()) if is_floating(a) and i not in leading] if kinds else []

    def _probe(self, node, place, arrived):
        if not hasattr(node, "known") or place >= len(node.argnums):
            return None
        args, _ = self._arguments(node)
        if args is None:
            return None
        return probe_of(node.fun, args, node.kwargs, node.argnums[place], arrived)

    def _bad(self):
        return None if finite(array_of(self.loss)) else self._first_bad(self.end)

    def _first_bad(self, end):
        """The first op behind `end`, itself included, whose value is not finite."""
        behind = set(end.__engine_behind__())
        for node in self.order:
            if node not in behind:
                continue
            value = self.values.get(node)
            if value is not None and np.asarray(value).dtype.kind in "fV" and not finite(value):
                return _name(node), node.where
        return None


def _told(args, node):
    """Whether None among the arguments is an option rather than something that is gone."""
    gone = [i for i, a in enumerate(args) if a is None and (i in node.argnums or i in node.apart)]
    return not gone and node.args is not None


def _name(node):
    return node.op_name()


def hooks_on_the_way(reading: TapeReading) -> Any:
    """A hook that changes gradients before they reach `w`, or None."""
    for node in reading.order:
        if node in reading.leading:
            tables = [*node.tensor_hooks.values(), node.hooks, node.prehooks]
            found = next((hook for table in tables if table for hook in table.values()), None)
            if found is not None:
                return found
    return None
