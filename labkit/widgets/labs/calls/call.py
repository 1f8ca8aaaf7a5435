"""Every call of `grad` and `value_and_grad` that the call builder can write, made for real in the MindSpore dialect.

The results are nested: tuples and lists around tensors, as plain data too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ....engine import argument_names
from ...kit.words import brief, in_full

MANY = 6  # parts of one tuple that are written out


@dataclass(frozen=True)
class Leaf:
    """A value in a result: its short name, what it is, the value and its kind in words; `role`: its look; `source`: what it is
    made of, where that is told."""

    name: str
    what: str
    value: str
    kind: str
    role: str
    source: str = ""


@dataclass(frozen=True)
class Branch:
    """A tuple or list (its `kind`) of `parts`, or `parts` under another heading, which is then their `kind`."""

    kind: str
    parts: tuple["Tree", ...]


@dataclass(frozen=True)
class Failure:
    """An exception instead of a result, its `kind` and `message`, and `when` it came."""

    kind: str
    message: str
    when: str


Tree = Leaf | Branch


def skeleton(tree: Tree) -> str:
    """The structure in Python's notation; of many parts only the first two and the last.

    >>> leaf = Leaf("dx", "gradient for x", "6", "shape [], Float32", "back")
    >>> skeleton(Branch("tuple", (leaf, Branch("tuple", (leaf,)))))
    '(dx, (dx,))'
    """
    if isinstance(tree, Leaf):
        return tree.name
    parts = [skeleton(part) for part in tree.parts]
    inner = ", ".join(parts if len(parts) <= MANY else [*parts[:2], "…", parts[-1]])
    if tree.kind == "list":
        return f"[{inner}]"
    return f"({inner},)" if len(tree.parts) == 1 else f"({inner})"


def leaves_of(tree: Tree) -> tuple[Leaf, ...]:
    """The leaves, in order."""
    return (tree,) if isinstance(tree, Leaf) else tuple(leaf for part in tree.parts for leaf in leaves_of(part))


def plain(tree: "Tree | Failure") -> Any:
    """A result as the page reads it: a leaf is a list, a branch or a failure a dict."""
    if isinstance(tree, Failure):
        return {"error": tree.kind, "message": tree.message, "when": tree.when}
    if isinstance(tree, Leaf):
        return [tree.name, tree.value, tree.kind, tree.source, tree.role]
    return {"kind": tree.kind, "parts": [plain(part) for part in tree.parts]}


FUNCTIONS = ("grad", "value_and_grad")
NO_NET = "CallBuilder: expected a Cell or function and its inputs, as tensors, but got {came}"
NAMES = "outputs: expected {count} names, one per output, but got {got}"
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
            raise TypeError(NO_NET.format(came=came))
        self.net, self.args = net, tuple(args)
        trainable = getattr(net, "trainable_params", None)
        self.name = "net" if trainable else getattr(net, "__name__", "fn").replace("<lambda>", "fn")
        self.inputs = argument_names(getattr(net, "construct", net), len(args))
        self.output = net(*args)
        count = len(flat(self.output))
        self.outputs = tuple(outputs) or (("out",) if count == 1 else tuple(f"out{i}" for i in range(count)))
        if len(self.outputs) != count:
            raise ValueError(NAMES.format(count=count, got=len(self.outputs)))
        self.parameters = list(trainable()) if trainable else []
        self.short = short_names([p.name for p in self.parameters])
        self.positions = _positions(len(args))
        self.weights = _weights(self.parameters, self.name)
        self.shares = self._shares()

    def calls(self) -> list[Call]:
        """Every combination."""
        sizes = (len(FUNCTIONS), len(self.positions), len(self.weights), 2)
        return [Call(*places) for places in product(*map(range, sizes))]

    def asked(self, call: Call) -> list[int]:
        """The inputs that a call asks for."""
        position = self.positions[call.position][1]
        return [] if position is None else list(position) if isinstance(position, tuple) else [position]

    def codes(self, dial: str) -> list[str]:
        """The values that a dial gives its argument, as code."""
        found = {
            "function": [f"ms.{name}" for name in FUNCTIONS],
            "position": [code for code, _ in self.positions],
            "weights": [code for _, code, _ in self.weights],
            "has_aux": ["False", "True"],
        }
        return found[dial]

    def given(self) -> list[str]:
        """What goes in and what the network itself gives, in words."""
        given = [*zip(self.inputs, self.args, strict=True), *((p.name, p) for p in self.parameters[:4])]
        values = ", ".join(f"{name} = {leaf(name, '', value, '').value}" for name, value in given)
        shown = ", ".join(leaf("", "", value, "").value for value in flat(self.output))
        more = [f"and {len(self.parameters) - 4} more parameters"] if len(self.parameters) > 4 else []
        return [values, *more, f"{self.name}({', '.join(self.inputs)}) returns {', '.join(self.outputs)} = {shown}"]

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
            gradients = self._gradients(result[1], ids[1], call.has_aux)
            return CallResult(Branch("tuple", (self._values(result[0], self.outputs), gradients)), gradients)
        if call.has_aux:
            gradients = self._gradients(result[0], ids[0], call.has_aux)
            rest = self._values(result[1], self.outputs[-len(flat(result[1])) :])
            return CallResult(Branch("tuple", (gradients, rest)), gradients)
        gradients = self._gradients(result, ids, call.has_aux)
        return CallResult(gradients, gradients)

    def _gradients(self, tree, ids, alone):
        if isinstance(tree, (tuple, list)):
            return Branch(
                type(tree).__name__, tuple(self._gradients(*pair, alone) for pair in zip(tree, ids, strict=True))
            )
        name = self.inputs[ids[0]] if isinstance(ids[0], int) else ids[0]
        found = leaf(f"d{self.short.get(name, name)}", f"gradient for {name}", tree, "back")
        return replace(found, source=self._source(name, np.asarray(tree.asnumpy()), alone))

    def _shares(self) -> dict[str, list[Any]]:
        """The gradient of each output alone for every input and parameter, by name; nothing where one has none."""
        from .... import mindspore as ms

        shares: dict[str, list[Any]] = {}
        names, places = [*self.inputs, *(p.name for p in self.parameters)], tuple(range(len(self.args)))
        for i in range(len(self.outputs) if len(self.outputs) > 1 else 0):
            try:
                found = ms.grad(lambda *args, i=i: flat(self.net(*args))[i], places, self.parameters or None)(
                    *self.args
                )
            except Exception:  # an input may be none that has a gradient: then the calls themselves say so
                return {}
            for name, share in zip(names, flat(found), strict=True):
                shares.setdefault(name, []).append(share)
        return shares

    def _source(self, name, gradient, alone) -> str:
        """From which outputs a gradient comes, and how much from each: the first `alone`, or all."""
        shares = self.shares.get(name, [])[: 1 if alone else None]
        if not shares or not np.allclose(sum(share.asnumpy() for share in shares), gradient):
            return ""
        said = [f"{leaf('', '', share, '').value} of {output}" for share, output in zip(shares, self.outputs)]
        return f"of {self.outputs[0]} alone" if alone else f"= {' + '.join(said)}"

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
        path = parameters[0].name.split(".")
        one = f"{name}.{'.'.join(path)}" if all(map(str.isidentifier, path)) else "params[0]"
        found += [
            (one, one, parameters[0]),
            ("a list", "params", parameters),
            ("a tuple", "tuple(params)", tuple(parameters)),
            ("a ParameterTuple", "ms.ParameterTuple(params)", ms.ParameterTuple(parameters)),
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
