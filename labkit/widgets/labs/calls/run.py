"""Every call of `grad` and `value_and_grad` that the call builder can write, made for real in the MindSpore dialect."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ....engine import argument_names
from ...kit.words import brief, in_full
from .nested import Branch, Failure, Leaf, Tree

FUNCTIONS = ("grad", "value_and_grad")
WIDE = 18  # characters of a value that are written out


class Call(NamedTuple):
    """Positions of the dials: `function`, `position`, `weights`, `has_aux`."""

    function: int
    position: int
    weights: int
    has_aux: int


@dataclass(frozen=True)
class CallResult:
    """What a call gave: a result as a tree, or a failure; `gradients` is the part of the tree that holds gradients."""

    result: Tree | Failure
    gradients: Tree | None = None


class Setting:
    """A network of the MindSpore dialect with its inputs, and what can be asked of it.

    `positions`: `(code, grad_position)`; `weights`: `(label, code, weights)`; `outputs`: the names of its outputs.
    Raises TypeError for what is not a function and its inputs; an error of the network itself comes through.
    """

    def __init__(self, net: Callable, args: Sequence[Any], outputs: Sequence[str] = ()):
        if not callable(net) or not args:
            came = "no inputs" if callable(net) else type(net).__name__
            raise TypeError(f"CallBuilder: expected a Cell or function and its inputs, as tensors, but got {came}")
        self.net, self.args = net, tuple(args)
        trainable = getattr(net, "trainable_params", None)
        self.name = "net" if trainable else getattr(net, "__name__", "fn").replace("<lambda>", "fn")
        self.inputs = argument_names(getattr(net, "construct", net), len(args))
        self.output = net(*args)
        count = len(flat(self.output))
        self.outputs = tuple(outputs) or (("out",) if count == 1 else tuple(f"out{i}" for i in range(count)))
        if len(self.outputs) != count:
            raise ValueError(f"outputs: expected {count} names, one per output, but got {len(self.outputs)}")
        self.parameters = list(trainable()) if trainable else []
        self.short = short_names([p.name for p in self.parameters])
        self.positions = _positions(len(args))
        self.weights = _weights(self.parameters, self.name)

    def calls(self) -> list[Call]:
        """Every combination."""
        sizes = (len(FUNCTIONS), len(self.positions), len(self.weights), 2)
        return [Call(*places) for places in product(*map(range, sizes))]

    def asked(self, call: Call) -> list[int]:
        """The inputs that a call asks for."""
        position = self.positions[call.position][1]
        return [] if position is None else list(position) if isinstance(position, tuple) else [position]

    def code(self, call: Call) -> list[str]:
        """The call as code, a line per argument."""
        return [
            f"result = ms.{FUNCTIONS[call.function]}(",
            f"    {self.name},",
            f"    grad_position={self.positions[call.position][0]},",
            f"    weights={self.weights[call.weights][1]},",
            f"    has_aux={bool(call.has_aux)},",
            f")({', '.join(self.inputs)})",
        ]

    def run(self, call: Call) -> CallResult:
        """Make the call. What it raises is its outcome."""
        from .... import mindspore as ms

        transform = getattr(ms, FUNCTIONS[call.function])
        options = self.positions[call.position][1], self.weights[call.weights][2], bool(call.has_aux)
        when = "Raised at once, before any input is seen."
        try:
            function, named = transform(self.net, *options), transform(self.net, *options, return_ids=True)
            when = "Raised when the gradient function is called."
            result, ids = function(*self.args), named(*self.args)
        except Exception as error:
            return CallResult(Failure(type(error).__name__, " ".join(str(error).split()), when))
        return self._read(call, result, ids)

    def _read(self, call, result, ids):
        """The result as a tree, its leaves named by what the same call says with `return_ids`."""
        if FUNCTIONS[call.function] == "value_and_grad":
            gradients = self._gradients(result[1], ids[1])
            return CallResult(Branch("tuple", (self._values(result[0], self.outputs), gradients)), gradients)
        if call.has_aux:
            gradients = self._gradients(result[0], ids[0])
            rest = self._values(result[1], self.outputs[-len(flat(result[1])) :])
            return CallResult(Branch("tuple", (gradients, rest)), gradients)
        gradients = self._gradients(result, ids)
        return CallResult(gradients, gradients)

    def _gradients(self, tree, ids):
        if isinstance(tree, (tuple, list)):
            return Branch(type(tree).__name__, tuple(map(self._gradients, tree, ids)))
        name = self.inputs[ids[0]] if isinstance(ids[0], int) else ids[0]
        return leaf(f"d{self.short.get(name, name)}", f"gradient for {name}", tree, "back")

    def _values(self, tree, names):
        found = iter(names)

        def named(branch):
            if isinstance(branch, (tuple, list)):
                return Branch(type(branch).__name__, tuple(map(named, branch)))
            return leaf(next(found), "output", branch, "op")

        return named(tree)


def leaf(name: str, what: str, value: Any, role: str) -> Leaf:
    """A value of either dialect as a leaf of a tree."""
    if not hasattr(value, "dtype"):
        return Leaf(name, what, str(value), "" if value is None else type(value).__name__, role)
    array = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value.detach().numpy())
    shown = in_full(array)
    shape, dtype = ", ".join(map(str, array.shape)), str(value.dtype).removeprefix("torch.")
    if len(shown) > WIDE or (array.ndim and not shown.startswith("[")):
        return Leaf(name, what, brief(array), dtype, role)
    return Leaf(name, what, shown, f"shape [{shape}], {dtype}", role)


def _positions(count):
    """`(code, grad_position)`: none, each, a tuple of one, a tuple of all, and one that is not there."""
    chosen = [*range(min(count, 3)), (0,), *([tuple(range(count))] if count > 1 else []), None, count]
    return [(repr(position), position) for position in chosen]


def _weights(parameters, name):
    """`(label, code, weights)`: none, one parameter, and all of them in each container."""
    from .... import mindspore as ms

    found: list[tuple[str, str, Any]] = [("None", "None", None)]
    if parameters:
        every, path = f"{name}.trainable_params()", parameters[0].name.split(".")
        one = f"{name}.{'.'.join(path)}" if all(map(str.isidentifier, path)) else f"{every}[0]"
        found += [
            (one, one, parameters[0]),
            ("a list", every, parameters),
            ("a tuple", f"tuple({every})", tuple(parameters)),
            ("a ParameterTuple", f"ms.ParameterTuple({every})", ms.ParameterTuple(parameters)),
        ]
    return found


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Every name without what comes before its last dot, where that is enough to tell them apart.

    >>> short_names(["fc.weight", "fc.bias"])["fc.weight"]
    'weight'
    """
    last = [name.split(".")[-1] for name in names]
    return dict(zip(names, last if len(set(last)) == len(last) else names, strict=True))


def flat(tree: Any) -> list[Any]:
    """The values in nested tuples and lists."""
    return [leaf for branch in tree for leaf in flat(branch)] if isinstance(tree, (tuple, list)) else [tree]
