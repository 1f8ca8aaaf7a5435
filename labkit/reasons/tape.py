"""The tape of the PyTorch dialect, read back to one tensor without accumulating, freeing or running anything."""

from functools import cached_property
from typing import Any

import numpy as np

from ..engine import dense, getval, match_dtype, vjp_of
from .flow import FINITE, Flow, differ, marks
from .probe import Probe
from .reading import Reading, Unreadable, error_words
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
        self.released = self.end is not None and getattr(self.end, "fn", self.end).released
        self.values: dict[Any, Any] = {}
        self.sure: set[Any] = set()  # those whose values depend on no leaf that may have been changed since

    def variable(self, node: Any) -> Any:
        return getattr(node, "variable", None)

    def ways(self, node: Any) -> list:
        return [edge for edge in node.edges if edge is not None]

    def behind(self, end: Any) -> set:
        return set(end.__engine_behind__())

    def named(self, node: Any) -> tuple[str, Any]:
        return node.op_name(), node.where

    # ---- values ----

    def _arguments(self, node):
        """Its arguments, those on the tape computed where they are not saved; None for the first if one is missing."""
        args, value = node.known()
        saved = () if node.args is None else [node.info.names.index(n) for n in node.plan.saved if n in node.info.names]
        for place, edge in zip(node.argnums, node.parents, strict=True):
            if place in saved or (node.plan.kept is None and node.args is not None):
                args[place] = getval(args[place])
                continue
            args[place] = self.values.get(edge.node)
        missing = any(
            a is None for i, a in enumerate(args) if i in node.argnums or i in node.apart or node.args is None
        )
        return (None if missing and not _told(args, node) else args), value

    # ---- what backward() would refuse, and what it would not notice ----

    def freed(self, node: Any) -> bool:
        inner = getattr(node, "fn", node)
        return inner.released and inner.releases

    def changed_in_place(self, node: Any) -> Any:
        inner = getattr(node, "fn", node)
        for _, counter, number in dict(getattr(inner, "versions", {})).values():
            if counter.number != number:
                return counter in self._leaf_counters, counter.place
        tensors = getattr(inner, "_saved", ())  # of a function of the user's
        for tensor, number in zip(tensors, getattr(inner, "_versions", ()), strict=False):
            if tensor is not None and tensor._version != number:
                return tensor.is_leaf and tensor.requires_grad, tensor.__engine_notes__().changed
        return None

    @cached_property
    def _counters(self):
        """Of the memory of what is saved, which has not been changed in place since."""
        return [kept[1] for node in self.order for kept in dict(getattr(node, "versions", {})).values()]

    @cached_property
    def _leaf_counters(self):
        return [node.variable._version_counter for node in self.order if hasattr(node, "variable")]

    @cached_property
    def _saved_of(self):
        """What the nodes have saved of their arguments, by the node that made it."""
        found: dict[Any, list] = {}
        for node in self.order:
            if hasattr(node, "known") and node.args is not None and not node.packed:
                saved = {node.info.names.index(name) for name in node.plan.saved if name in node.info.names}
                for place, edge in zip(node.argnums, node.parents, strict=True):
                    if place in saved:
                        found.setdefault(edge.node, []).append(np.asarray(getval(node.args[place])))
        return found

    def stored(self, node: Any) -> list[np.ndarray]:
        if hasattr(node, "variable"):
            return []
        own = node.known()[1] if hasattr(node, "known") and not node.packed else None
        return [*([] if own is None else [np.asarray(getval(own))]), *self._saved_of.get(node, ())]

    def again(self, node: Any) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            try:
                self.values[node] = self._run_again(node)
            except Exception:  # an op that cannot be repeated with what is known
                self.values[node] = None
        stored = self.stored(node)
        if hasattr(node, "variable"):
            counter = node.variable._version_counter
            known = counter.number == 0 or counter in self._counters
        else:
            known = self.values[node] is not None and all(way.node in self.sure for way in self.ways(node))
        if stored and not known:
            self.values[node], known = stored[0], True
        if known:
            self.sure.add(node)
        return self.values[node] if known else None

    def _run_again(self, node):
        if hasattr(node, "variable"):
            return array_of(node.variable)
        if hasattr(node, "look"):
            return self._with_part(node)
        args = node.known()[0]
        for place, edge in zip(node.argnums, node.parents, strict=True):
            args[place] = self.values.get(edge.node)
        missing = node.packed or any(a is None for i, a in enumerate(args) if i in node.argnums or i in node.apart)
        return None if missing else np.asarray(node.fun(*args, **node.kwargs))

    def _with_part(self, node):
        """A tensor after an op changed, in place, the part of it that the node looks at."""
        part, base = self._run_again(node.fn), None if node.base is None else self.values.get(node.base.node)
        if part is None or (base is None and node.base is not None):
            return None
        whole = np.zeros(node.like.shape, node.like.dtype) if base is None else np.array(base)
        node.look(whole)[...] = part
        return whole

    def touched(self, node: Any) -> Any:
        """`(op, place)` where the memory of what a node made, or of what it was made of, left the tape last: by `.data`,
        `.numpy()` or `.detach()`; or None."""
        mine, notes = [n.trail for n in (node, *(edge.node for edge in self.ways(node)))], self.w.__engine_notes__()
        left: list[Any] = [note for note in notes.off_tape if _is_of(note.before, mine)]
        left += [one for one in notes.left if _is_of([one.trail, *one.trail.before], mine)]
        last = max((one for one in left if one.op in _WAYS_OUT), key=lambda one: one.number, default=None)
        return None if last is None else (last.op, last.place)

    # ---- the backward pass ----

    def flow(self) -> Flow:
        """The backward pass to `w`. Raises `Unreadable` if a value that it needs is gone."""
        with np.errstate(all="ignore"):
            return self.walk(self.start(), self.root(), self.w.output_nr if self.target.outputs > 1 else 0)

    def start(self) -> np.ndarray:
        return np.ones_like(array_of(self.loss))

    def root(self) -> int:
        return self.loss.output_nr if self.end.outputs > 1 else 0

    def quiet(self) -> Any:
        return np.errstate(all="ignore")

    def stale(self) -> bool:
        value = self.values.get(self.end)
        return self.released and value is not None and differ(array_of(self.loss), value)

    def first(self, arrived: dict[int, Any]) -> np.ndarray:
        return np.asarray(arrived[min(arrived)])

    def fitting(self, g: Any, way: Any) -> np.ndarray:
        return np.asarray(getval(match_dtype(dense(g), way.dtype)))

    def changed(self, change: Any, g: Any) -> np.ndarray:
        return np.asarray(change(g), g.dtype)

    def numbers(self, value: Any) -> np.ndarray:
        return array_of(value) if is_taped(value) else np.asarray(getval(value))

    def pull(self, node: Any, arrived: dict[int, Any]) -> list:
        if hasattr(node, "known") and not node.packed:
            args, value = self._arguments(node)
            if args is not None:
                value = self.values.get(node) if value is None else value
                return list(vjp_of(node.fun)(node.argnums, value, args, node.kwargs)(arrived.get(0)))
        return self.sent(node, arrived)

    def sent(self, node: Any, arrived: dict[int, Any]) -> list:
        gradients, wanted = [arrived.get(nr) for nr in range(node.outputs)], [True] * len(self.ways(node))
        from ..torch import set_grad_enabled

        try:
            with set_grad_enabled(False):
                return node.pull(gradients, wanted, False)
        except Exception as error:  # a function of the user's may raise any
            if "a second time" in str(error):
                raise Unreadable("released", node.where, str(error)) from None
            raise Unreadable("refused", node.where, f"{node.op_name()}: {error_words(error)}") from None

    def aside(self, node: Any, arrived: Any) -> bool:
        args = self._arguments(node)[0] if hasattr(node, "known") else None
        return args is not None and sends_elsewhere(
            node.fun, args, node.kwargs, node.argnums, self.values.get(node), arrived
        )

    def factors(self, node: Any) -> list[np.ndarray]:
        if not hasattr(node, "known"):
            return []
        args, value = self._arguments(node)[0], self.values.get(node)
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


_WAYS_OUT = ("data", "numpy", "detach", "__array__", "asarray", "array")


def _is_of(before, trails):
    return any(note is trail for note in before for trail in trails if trail is not None)


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
