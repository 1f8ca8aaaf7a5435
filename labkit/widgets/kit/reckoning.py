"""Numbers that a page computes itself while inputs are dragged: lines of scalar primitives, one after the other.

`page/reckoning.js` has the same table of primitives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

PRIMITIVES: dict[str, Callable] = {  # those that the page knows
    name: getattr(np, name)
    for name in (
        "add subtract multiply divide power negative absolute sign exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin "
        "arccos arctan sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc maximum minimum arctan2 hypot greater "
        "greater_equal less less_equal equal not_equal logical_and logical_or logical_not where"
    ).split()
}
_CALLED = {
    "true_divide": "divide", "abs": "absolute", "fabs": "absolute", "neg": "negative", "acos": "arccos", "asin": "arcsin",
    "atan": "arctan", "acosh": "arccosh", "asinh": "arcsinh", "atanh": "arctanh", "atan2": "arctan2", "select": "where",
}  # fmt: skip


@dataclass(frozen=True)
class Const:
    """A number of a line that is always the same."""

    value: float


def _sigmoid(p, x):
    z = p("exp", p("negative", p("absolute", x)))
    below = p("add", Const(1.0), z)
    return p("where", p("greater_equal", x, Const(0.0)), p("divide", Const(1.0), below), p("divide", z, below))


_MADE: dict[str, Callable] = {  # of primitives, in the order in which the op computes
    "square": lambda p, x: p("multiply", x, x),
    "reciprocal": lambda p, x: p("divide", Const(1.0), x),
    "rsqrt": lambda p, x: p("divide", Const(1.0), p("sqrt", x)),
    "relu": lambda p, x: p("maximum", x, Const(0.0)),
    "rsub": lambda p, x, c: p("subtract", c, x),
    "add_scaled": lambda p, x, y, c: p("add", x, p("multiply", c, y)),
    "subtract_scaled": lambda p, x, y, c: p("subtract", x, p("multiply", c, y)),
    "sigmoid": _sigmoid,
    "silu": lambda p, x: p("multiply", x, _sigmoid(p, x)),
    "softplus": lambda p, x: p(
        "add", p("maximum", x, Const(0.0)), p("log1p", p("exp", p("negative", p("absolute", x))))
    ),
    "tanh_backward": lambda p, g, y: p("multiply", g, p("subtract", Const(1.0), p("multiply", y, y))),
    "sigmoid_backward": lambda p, g, y: p("multiply", p("multiply", g, p("subtract", Const(1.0), y)), y),
    "threshold_backward": lambda p, g, y: p("where", p("greater", y, Const(0.0)), g, Const(0.0)),
}


class Program:
    """`inputs`: names of the numbers that may change; `lines`: `(primitive, arguments, single)`, an argument being the place of
    a quantity - the inputs come first, then the results of the lines - or a `Const`; `single`: rounded to four bytes.

    >>> program = Program(["x"])
    >>> program.line("multiply", 0, Const(3.0))
    1
    >>> program.values({"x": [0.5, 2.0]})[1].tolist()
    [1.5, 6.0]
    """

    def __init__(self, inputs: Sequence[str], single: Sequence[bool] = ()):
        self.inputs, self.single = list(inputs), list(single) or [False] * len(inputs)
        self.lines = list[tuple[str, tuple[Any, ...], bool]]()
        self._places = dict[Any, int]()

    def line(self, name: str, *args: "int | Const", single: bool = False) -> "int | Const":
        """The place of the result of a line, of an equal one where there is one; a `Const` of constants alone."""
        rounded = np.float32 if single else np.float64
        args = tuple(Const(float(rounded(a.value))) if isinstance(a, Const) else a for a in args)
        if all(isinstance(a, Const) for a in args):
            return Const(float(rounded(PRIMITIVES[name](*(rounded(a.value) for a in args)))))
        if name == "multiply" and Const(1.0) in args:
            return args[args[0] == Const(1.0)]
        key = name, args, single
        if key not in self._places:
            self.lines.append(key)
            self._places[key] = len(self.inputs) + len(self.lines) - 1
        return self._places[key]

    @classmethod
    def of(cls, lines: Iterable[Any], values: Mapping[str, Any], inputs: Sequence[str]) -> "Program":
        """The program of recorded lines (`labkit.program`), whose other inputs stay at `values`. Raises KeyError for an op that
        the page does not know, TypeError for what is no single number."""
        program = cls(inputs, [np.asarray(values[name]).dtype == np.float32 for name in inputs])
        known = dict[Any, int | Const]()

        def place(value):
            if hasattr(value, "node"):
                if value.fun is None and value not in known:
                    name = value.node.name
                    known[value] = inputs.index(name) if name in inputs else Const(_number(values[name]))
                return known[value]
            return Const(_number(value))

        with np.errstate(all="ignore"):
            for line in lines:
                known[line] = program._of_op(line, place)
        return program

    def _of_op(self, line, place):
        name = _CALLED.get(name := line.fun.__name__.strip("_"), name)
        dtype = np.asarray(line.value).dtype
        if np.shape(line.value) != () or dtype.name not in ("float64", "float32", "int64", "bool") or line.kwargs:
            raise TypeError(f"{name}: no single number")
        if name in ("ones_like", "zeros_like"):
            return Const(float(name == "ones_like"))
        given = line.args[1:] if name == "add" and len(line.args) == 3 else line.args  # the first is a space
        single = dtype == np.float32
        if name == "cast":
            return self.line("add", place(given[0]), Const(0.0), single=single) if dtype.kind == "f" else place(given[0])
        args = [place(a) for a in given]
        if name in _MADE:
            return _MADE[name](lambda called, *given: self.line(called, *given, single=single), *args)
        if name not in PRIMITIVES:
            raise KeyError(name)
        return self.line(name, *args, single=single)

    def values(self, inputs: Mapping[str, Sequence[float]]) -> list[np.ndarray]:
        """All quantities, one for each of the values of the inputs."""
        kinds = [np.float32 if single else np.float64 for single in self.single]
        found = [np.asarray(inputs[name], kind) for name, kind in zip(self.inputs, kinds, strict=True)]
        with np.errstate(all="ignore"):
            for name, args, single in self.lines:
                kind = np.float32 if single else np.float64
                given = [kind(a.value) if isinstance(a, Const) else found[a].astype(kind) for a in args]
                found.append(np.broadcast_to(PRIMITIVES[name](*given), found[0].shape).astype(kind))
        return [one.astype(float) for one in found]

    def written(self) -> dict[str, Any]:
        """As the page reads it: a constant stands in a list."""
        lines = [[name, [[a.value] if isinstance(a, Const) else a for a in args], *[1] * single] for name, args, single in self.lines]
        return {"inputs": self.inputs, "single": [int(one) for one in self.single], "lines": lines}


def _number(value):
    array = np.asarray(value)
    if array.shape != () or array.dtype.kind not in "fiub":
        raise TypeError("no single number")
    return float(array)
