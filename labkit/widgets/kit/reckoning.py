"""Numbers that a page computes itself while inputs are dragged: lines of scalar primitives, one after the other.

`module/primitives.js` has the same table of primitives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

PRIMITIVES: dict[str, Callable] = {  # those that the page knows, by NumPy's names
    fun.__name__: fun
    for fun in (
        np.add, np.subtract, np.multiply, np.divide, np.power, np.negative, np.absolute, np.sign, np.exp, np.exp2, np.expm1,
        np.log, np.log2, np.log10, np.log1p, np.sqrt, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh,
        np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.floor, np.ceil, np.trunc, np.maximum, np.minimum, np.arctan2, np.hypot,
        np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal, np.logical_and, np.logical_or,
        np.logical_not, np.where,
    )
} | {"divide": np.divide}  # fmt: skip  # NumPy 1 calls it true_divide
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
    "stop_gradient": lambda p, x: x,
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
    >>> program.values([{"x": 0.5}, {"x": 2.0}])[1].tolist()
    [1.5, 6.0]
    """

    def __init__(self, inputs: Sequence[str]):
        self.inputs = list(inputs)
        self.lines = list[tuple[str, tuple[Any, ...], bool]]()
        self.constants = dict[float, None]()
        self._places = dict[Any, int]()

    def place(self, name: str, *args: "int | Const") -> int:
        """As `line`, of what varies."""
        found = self.line(name, *args)
        assert isinstance(found, int)
        return found

    def line(self, name: str, *args: "int | Const", single: bool = False) -> "int | Const":
        """The place of the result of a line, of an equal one where there is one; a `Const` of constants alone."""
        rounded = np.float32 if single else np.float64
        args = tuple(Const(float(rounded(a.value))) if isinstance(a, Const) else a for a in args)
        constants = [rounded(a.value) for a in args if isinstance(a, Const)]
        if len(constants) == len(args):
            made = Const(float(rounded(PRIMITIVES[name](*constants))))
            self.constants[made.value] = None
            return made
        if name == "multiply" and Const(1.0) in args:
            return args[args[0] == Const(1.0)]
        if name == "logical_and" and Const(0.0) in args:
            return Const(0.0)
        if name == "where" and isinstance(args[0], Const):
            return args[1 if args[0].value else 2]
        key = name, args, single
        if key not in self._places:
            self.lines.append(key)
            self.constants |= dict.fromkeys(a.value for a in args if isinstance(a, Const))
            self._places[key] = len(self.inputs) + len(self.lines) - 1
        return self._places[key]

    @classmethod
    def of(
        cls, ops: Iterable[Any], given: Mapping[str, Any], inputs: Sequence[str]
    ) -> "tuple[Program, dict[Any, int | Const]]":
        """The program of recorded ops (`labkit.program`), and where their results stand; what is given of other inputs stays.

        Raises KeyError for an op that the page does not know, TypeError for what is not a single number.
        """
        program = cls(inputs)
        known = dict[Any, int | Const]()
        with np.errstate(all="ignore"):
            for op in ops:
                if op.fun is None:
                    place = inputs.index(op.name) if op.name in inputs else Const(_number(given[op.name]))
                    single = given[op.name].dtype == np.float32
                    known[op] = program.line("add", place, Const(0.0), single=True) if single else place
                else:
                    known[op] = program._of_op(op, known)
        return program, known

    @staticmethod
    def named(called: str) -> tuple[str | None, Callable | None, bool]:
        """Of the function of an op: its primitive, or None; how that is made of others; whether a space may come first."""
        name = _CALLED.get(name := called.strip("_"), name)
        return (name if name in PRIMITIVES or name in _MADE or name == "cast" else None), _MADE.get(name), name == "add"

    def _of_op(self, op, known):
        name = _CALLED.get(name := op.fun.__name__.strip("_"), name)
        dtype = np.asarray(op.value).dtype
        if np.shape(op.value) != () or dtype.name not in ("float64", "float32", "int64", "bool") or op.kwargs:
            raise TypeError("{name}: no single number".format(name=name))
        if name in ("ones_like", "zeros_like"):
            return Const(float(name == "ones_like"))
        parents = dict(zip(op.argnums, op.parents, strict=True))
        given = [
            i for i in range(len(op.args)) if not (name == "add" and i == 0 and len(op.args) == 3)
        ]  # that is a space
        single = dtype == np.float32
        if name == "cast":
            given = given[:1]
        args = [known[parents[i]] if i in parents else Const(_number(op.args[i])) for i in given]
        if name == "cast":
            return self.line("not_equal" if dtype.kind == "b" else "add", *args, Const(0.0), single=single)
        if name in _MADE:
            return _MADE[name](lambda called, *given: self.line(called, *given, single=single), *args)
        if name not in PRIMITIVES:
            raise KeyError(name)
        return self.line(name, *args, single=single)

    def values(self, rows: Sequence[Mapping[str, float]]) -> list[np.ndarray]:
        """All quantities, one for each row of inputs; what a row does not have is somewhere."""
        found = [np.array([row.get(name, 0.37) for row in rows]) for name in self.inputs]
        with np.errstate(all="ignore"):
            for name, args, single in self.lines:
                kind = np.float32 if single else np.float64
                given = [kind(a.value) if isinstance(a, Const) else found[a].astype(kind) for a in args]
                found.append(np.broadcast_to(PRIMITIVES[name](*given), found[0].shape).astype(kind))
        return [one.astype(float) for one in found]

    def written(self) -> dict[str, Any]:
        """As the page reads it: a constant stands in a list."""
        lines = [
            [name, [[a.value] if isinstance(a, Const) else a for a in args], *[1] * single]
            for name, args, single in self.lines
        ]
        return {"inputs": self.inputs, "lines": lines}


def _number(value):
    array = np.asarray(value)
    if array.shape != () or array.dtype.kind not in "fiub":
        raise TypeError("no single number")
    return float(array)
