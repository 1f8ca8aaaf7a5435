"""A function of the MindSpore dialect, or of arrays: run once, recorded and watched, and the backward pass through the record."""

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from ..engine import dense, getval, isbox, leaves, record, vjp_of
from .calls import watched
from .flow import Bad, Flow, Sent, Step, finite, first_bad, marks
from .rules import function_alone, probe_of, sends_elsewhere, zero_factors
from .sight import Sight


def is_functional(value: Any) -> bool:
    """Whether it is a tensor of a dialect without a tape."""
    return hasattr(type(value), "__engine_hold__")


# to the first argument
_WRITING = ("__setitem__", "setitem", "assign_value", "set_data", "assign", "assign_add", "assign_sub")


class Run:
    """One run of `fun` with `w` recorded: `flow`, the backward pass (None where no result depends on `w`), and `sight`.

    `fun` is called without arguments, or with `w` where it takes one. `output`: its result. `w`: a tensor or an array.
    """

    def __init__(self, fun: Callable, w: Any) -> None:
        self.w, self.level, self.plain = w, None, not is_functional(w)
        self.outputs: list = []
        self.value = np.asarray(getval(w.__engine_value__() if is_functional(w) else w))
        self.sight = Sight(w, self._is_tensor, self._alive, self._array)
        graph = record(lambda box: self._called(fun, box), self.value, names=["w"])
        self.graph = graph
        self.gradient = np.asarray(getval(graph.gradients[graph.inputs[0].label]))
        self.reached = bool(graph.steps) or graph.inputs[0] in graph.outputs

    def _called(self, fun, box):
        self.level = box._trace
        given = box if self.plain else self.w
        with ExitStack() as stack:
            if not self.plain:
                stack.enter_context(self.w.__engine_hold__(box))
            else:
                self.sight.begins(box)
            stack.enter_context(watched(self._saw))
            output = fun(given) if wants_one(fun, self.plain) else fun()
        output = output[0] if isinstance(output, tuple) and output else output  # other values may follow the loss
        self.outputs = leaves(output)
        return [_raw(leaf) for leaf in self.outputs]

    def _saw(self, op, where, given, result, owner):
        given = [*given, *(self.w for part in given if self._holds(part))]
        parts = leaves(result) if isinstance(result, (tuple, list, dict)) else [result]
        parts = [*parts, result] if isinstance(result, list) else parts
        target = owner if owner is not None else next(iter(given), None)
        changed = target if op in _WRITING and self._is_tensor(target) else None
        self.sight.saw(op, where, given, parts, True, changed)

    def _holds(self, part):
        """Whether a cell has `w` among its parameters."""
        if self._is_tensor(part) or not hasattr(type(part), "__engine_parameters__"):
            return False
        return any(parameter is self.w for _, parameter in part.__engine_parameters__())

    def _is_tensor(self, value):
        return hasattr(type(value), "__engine_value__") or (self.plain and (isbox(value) or isinstance(value, _ARRAYS)))

    def _alive(self, tensor):
        value = _raw(tensor)
        if isbox(value) and self._array(tensor).dtype.kind in "iub":
            return False
        while isbox(value):
            if value._trace == self.level:
                return True
            value = value._value
        return False

    def _array(self, tensor):
        return np.asarray(getval(_raw(tensor)))

    # ---- the backward pass ----

    @property
    def flow(self) -> Flow:
        """The steps of the record."""
        return Flow(
            [_step(step) for step in self.graph.steps],
            self.graph.inputs[0],
            self.gradient,
            self._bad(),
            first_bad=self._first_bad,
        )

    def _bad(self):
        if all(finite(getval(_raw(leaf))) for leaf in self.outputs):
            return None
        return self._first_bad(self.graph.forward[-1])

    def _first_bad(self, end):
        """The op up to `end`, itself included, that made what is not finite."""
        nodes = self.graph.forward[: self.graph.forward.index(end) + 1]
        if marks([self.value]) - {"large"}:
            return Bad("the input", None, "itself")
        return first_bad(nodes, _seen, lambda node: (_op(node), node.line), _grows)


_ARRAYS = (np.ndarray, np.floating, np.integer, np.bool_)


def _raw(leaf):
    return leaf.__engine_value__() if hasattr(type(leaf), "__engine_value__") else leaf


def wants_one(fun: Any, plain: bool = False) -> bool:
    """Whether it cannot be called without an argument. `plain`: whether it may be called with one, as a function of an array
    is, which reaches it in no other way."""
    body = getattr(fun, "construct", None) or getattr(fun, "forward", None) or fun
    try:
        kinds = inspect.signature(body).parameters.values()
    except (TypeError, ValueError):  # a function of NumPy's that tells nothing
        return plain
    places = [p for p in kinds if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    return bool(places) if plain else any(p.default is p.empty and p.kind != p.VAR_POSITIONAL for p in places)


def _seen(node):
    given = [] if node.fun is None else [*map(getval, node.args), *node.kwargs.values()]
    return marks([getval(node.value)]), marks(given)


def _grows(node):
    args = [getval(a) for a in node.args]
    probe = function_alone(node.fun, args, node.kwargs, node.argnums[0]) if len(node.argnums) == 1 else None
    return probe is not None and probe.grows


_WRITTEN = {
    "packed": "bprop",
    "through_hook": "hook",
}  # derivatives that the user wrote, not to be tried with other numbers


def _op(node):
    return _WRITTEN.get(node.op, node.op)


def _step(step):
    node = step.node
    args = [getval(a) for a in node.args]

    def again(change):
        with np.errstate(all="ignore"):
            scaled = np.asarray(change(step.gradient), step.gradient.dtype)
            found = vjp_of(node.fun)(node.argnums, getval(node.value), args, node.kwargs)(scaled)
        return [np.asarray(getval(dense(g)), p.dtype) for g, p in zip(found, node.parents, strict=True)]

    sent = [
        Sent(
            c.parent,
            c.value,
            (lambda: None)
            if node.op in _WRITTEN
            else partial(probe_of, node.fun, args, node.kwargs, c.argnum, step.gradient),
        )
        for c in step.contributions
    ]
    factors = zero_factors(node.fun, args, node.kwargs, node.argnums, getval(node.value))
    elsewhere = lambda: sends_elsewhere(node.fun, args, node.kwargs, node.argnums, getval(node.value), step.gradient)
    written = node.op in _WRITTEN
    return Step(node, _op(node), node.line, step.gradient, sent, again, elsewhere, factors, written=written)
