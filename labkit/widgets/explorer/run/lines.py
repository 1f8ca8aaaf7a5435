"""All numbers of a run - values, gradients, local slopes - as scalar lines, which the page runs while inputs are dragged."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from autograd import tracer

from ....engine import (
    Reverse,
    getval,
    inside,
    isbox,
    leaves,
    new_box,
    new_level,
    ones_like,
    reverse_pass,
    watch,
)
from ....program import Recording, recorded
from ...kit.reckoning import Const, Program
from .recorded import UPSTREAM, Run, entries, unnoticed
from .story import Story

MOST_INPUTS, MOST_LINES = 256, 6000
Places = Any  # an object array of the places of a program, or of constants, in the shape of a value
_METHODS = ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "arctan", "sinh", "cosh", "exp2", "expm1", "log1p")


def _softmax(by, x, axis):
    z = np.exp(x - by.top(x, axis))
    return z / np.sum(z, axis=axis, keepdims=True)


def _log_softmax(by, x, axis):
    shifted = x - by.top(x, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _untake(by, x, index, space):
    """What is 0 but at an index."""
    made = np.zeros(space.shape, object)
    np.add.at(made, index, x)
    return made


_ARRAYS: dict[str, Callable] = {  # ops whose kernels compare numbers, or give no array
    "untake": _untake, "sparse_add": lambda by, space, before, new: new if before is None else before + new,
    "clip": lambda by, x, low, high: np.frompyfunc(lambda c: by.of("minimum", by.of("maximum", c, low), high), 1, 1)(x),
    "leaky_relu": lambda by, x, slope: np.frompyfunc(
        lambda c: by.of("maximum", c, 0.0) + slope * by.of("minimum", c, 0.0), 1, 1)(x),
    "array_from_args": lambda by, args, kwargs, *parts: np.stack([np.asarray(part, object) for part in parts]),
    "softmax": _softmax, "log_softmax": _log_softmax,
    "logsumexp": lambda by, x, axis=None, keepdims=False: np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)),
}  # fmt: skip


class Lines:
    """`program`: its inputs are called `x`, or `w[0]`, `w[1]` ... of arrays; `numbers`: the places of each number of a story, by
    what it is: `("value", node)`, `("gradient", node)`, and `("sent", node, place)`, `("total", node, place)`,
    `("slope", node, place)` of a step; `start`: the inputs of the run."""

    def __init__(self, program: Program, numbers: dict[tuple, Places], start: list[float]):
        self.program, self.numbers, self.start = program, numbers, start

    def written(self) -> dict[str, Any]:
        """What the page is given."""
        return {"program": self.program.written(), "start": self.start}


def lines_of(run: Run, story: Story) -> Lines | None:
    """The lines for a run, whose story is known.

    None where there are none: it decides by its numbers, is large, or does what no line says.
    """
    given = {name: np.asarray(getval(v)) for name, v in zip(run.names, run.values, strict=True)}
    sizes = (np.size(node.value) for node in story.nodes)
    if sum(v.size for v in given.values()) > MOST_INPUTS or any(size > MOST_INPUTS for size in sizes):
        return None
    recording, found = Recording(), dict[tuple, Any]()
    try:
        with unnoticed(), run.unmoved():
            boxes = [recording.input(v, name) for v, name in zip(run.values, given, strict=True)]
            if run.weights:
                given[UPSTREAM] = np.ones(len(run.weights), story.outputs[0].dtype)
            weights = [recording.input(given[UPSTREAM], UPSTREAM)] if run.weights else []
            recording.run(_everything(run.plain, found, weights), *boxes)
        return _Lowered(given).lines(recording.log, found, story)
    except Exception:  # whatever it is, the first run went well
        return None


class _Kept(Reverse):
    """A node that knows of those before it."""

    __slots__ = ("log",)

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        super().__init__(value, fun, args, kwargs, argnums, parents)
        self.log = parents[0].log
        self.log.append(self)


tracer.notrace_primitives[_Kept] = tracer.notrace_primitives[Reverse]


def _everything(plain: Callable, found: dict[tuple, Any], weights: Sequence[Any]) -> Callable:
    """Runs `plain` and its backward pass, from `weights` or ones on, and asks each op of single numbers for its local slopes;
    `found` has the results."""

    def run(*boxes):
        level, log = new_level(), list[_Kept]()
        roots = [_Kept.new_root(box) for box in boxes]
        for root in roots:
            root.log = log
        log += roots
        with inside(level), watch.refusing():
            value = plain(*(new_box(box, level, root) for box, root in zip(boxes, roots, strict=True)))
        outputs = [leaf._node for leaf in leaves(value) if isbox(leaf) and leaf._trace == level]

        def observe(node, gradient, contributions):
            i = log.index(node)
            found["gradient", i] = gradient
            for place, (_, sent, total) in enumerate(contributions):
                found["sent", i, place], found["total", i, place] = sent, total
            if all(np.size(getval(one)) == 1 for one in (gradient, *(sent for _, sent, _ in contributions))):
                slopes = [slope for slope in node.vjp(ones_like(node.origin)) if slope is not None]
                found.update({("slope", i, place): slope for place, slope in enumerate(slopes)})

        reverse_pass(outputs, weights or [ones_like(node.origin) for node in outputs], observe)
        found.update({("value", i): node.origin for i, node in enumerate(log)})
        return value

    return run


class Cell:
    """A number of the program in an array of objects: NumPy's functions of such arrays use its operators and methods."""

    __slots__ = ("by", "place")

    def __init__(self, by: "_Lowered", place: int | Const):
        self.by, self.place = by, place

    def conjugate(self) -> "Cell":
        """Itself: it is real."""
        return self


for _name in _METHODS:
    setattr(Cell, _name, lambda self, _name=_name: self.by.of(_name, self))
for _sign, _name in {"neg": "negative", "abs": "absolute"}.items():
    setattr(Cell, f"__{_sign}__", lambda self, _name=_name: self.by.of(_name, self))
for _sign, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power"}.items():
    setattr(Cell, f"__{_sign}__", lambda self, other, _name=_name: self.by.of(_name, self, other))
    setattr(Cell, f"__r{_sign}__", lambda self, other, _name=_name: self.by.of(_name, other, self))


class _Lowered:
    """Recorded ops of arrays, each as lines of single numbers."""

    def __init__(self, given: dict[str, np.ndarray]):
        self.given, self.known, self.single = given, dict[Any, Places](), False
        names = [name for array, at in given.items() for name in entries(array, at.shape)]
        self.program, self.places = Program(names), {name: i for i, name in enumerate(names)}

    def of(self, name: str, *args: Any) -> Cell:
        """A cell of a line."""
        places = [arg.place if isinstance(arg, Cell) else Const(_constant(arg)) for arg in args]
        return Cell(self, self.program.line(name, *places, single=self.single))

    def lines(self, log: Iterable[Any], found: dict[tuple, Any], story: Story) -> Lines | None:
        with np.errstate(all="ignore"):
            for op in log:
                self.single = np.asarray(getval(op.value)).dtype == np.float32
                self.known[op] = self._input(op) if op.fun is None else self._result(op)
                if len(self.program.lines) > MOST_LINES:
                    return None
            numbers = {what: self._places(box) for what, box in found.items()}
        lines = Lines(self.program, numbers, [float(v) for at in self.given.values() for v in at.ravel()])
        return lines if self._bears_out(lines, story) else None

    def _input(self, op):
        cells = [Cell(self, self.places[name]) for name in entries(op.name, self.given[op.name].shape)]
        cells = [self.of("add", cell, 0.0) for cell in cells] if self.single else cells
        return _array(cells, self.given[op.name].shape)

    def _result(self, op):
        value = getval(op.value)
        parents = dict(zip(op.argnums, op.parents, strict=True))
        args = [self.known[parents[i]] if i in parents else arg for i, arg in enumerate(op.args)]
        if op.fun.__name__ in ("ones_like", "zeros_like"):
            return np.ones(np.shape(value), object) * float(op.fun.__name__ == "ones_like")
        made = self._elementwise(op, args)
        if made is None and (lowered := _ARRAYS.get(op.fun.__name__.strip("_"))):
            made = lowered(self, *args)
        elif made is None:
            made = op.fun(*args, **op.kwargs)
        made = np.asarray(made, object)
        if made.shape != (op.args[2].shape if op.fun.__name__ == "untake" else np.shape(value)):
            raise TypeError(op.fun.__name__)
        return made

    def _elementwise(self, op, args):
        """The result of an op that computes each number by itself; None of another one."""
        name, made, drop = Program.named(op.fun.__name__)
        if name is None or op.kwargs:
            return None
        args = args[:1] if name == "cast" else args[1:] if drop and len(args) == 3 else args
        if any(not isinstance(arg, (int, float, np.ndarray, np.generic)) for arg in args):
            return None
        if name == "cast":
            return np.frompyfunc(lambda cell: self.of("add", cell, 0.0), 1, 1)(np.asarray(args[0], object))
        if made is not None:
            act = lambda *cells: Cell(self, made(self._line, *map(self._place, cells)))
        else:
            act = lambda *cells: self.of(name, *cells)
        return np.frompyfunc(act, len(args), 1)(*(np.asarray(arg, object) for arg in args))

    def top(self, x: Any, axis: Any = None, keepdims: bool = True) -> Any:
        """The largest numbers along some axes."""
        found, axes = x, range(x.ndim) if axis is None else np.ravel(axis)
        for i in axes:
            found = np.frompyfunc(lambda a, b: self.of("maximum", a, b), 2, 1).reduce(found, axis=int(i), keepdims=True)
        return found if keepdims else np.squeeze(found, None if axis is None else axis)

    def _line(self, name, *places):
        return self.program.line(name, *places, single=self.single)

    def _place(self, one):
        return one.place if isinstance(one, Cell) else Const(_constant(one))

    def _places(self, box):
        op = recorded(box)
        values = np.asarray(getval(box), float) if op is None else self.known[op]
        return np.frompyfunc(self._place, 1, 1)(np.asarray(values, object))

    def _bears_out(self, lines: Lines, story: Story) -> bool:
        """Whether the lines give the numbers of the story."""
        every = self.program.values([dict(zip(self.program.inputs, lines.start, strict=True))])
        known = numbers_of(story)
        if not lines.numbers.keys() <= known.keys():
            return False
        for what, places in lines.numbers.items():
            values = [one.value if isinstance(one, Const) else float(every[one][0]) for one in np.ravel(places)]
            other = values if known[what] is None else np.ravel(known[what])
            if not np.allclose(values, other, rtol=2e-3, atol=1e-6, equal_nan=True):
                return False
        return True


def numbers_of(story: Story) -> dict[tuple, Any]:
    """All numbers of a story, by what they are: see `Lines`."""
    found: dict[tuple, Any] = {("value", node.index): node.value for node in story.nodes}
    for i, step in ((step.node, step) for step in story.steps):
        for k, sent in enumerate(step.sent):
            found |= {("sent", i, k): sent.value, ("total", i, k): sent.total, ("slope", i, k): sent.slope}
        found["gradient", i] = step.gradient
    return found


def _array(cells: Sequence[Any], shape: Sequence[int]) -> np.ndarray:
    made = np.empty(len(cells), object)
    made[:] = cells
    return made.reshape(shape)


def _constant(value: Any) -> float:
    array = np.asarray(getval(value))
    if array.size != 1 or array.dtype.kind not in "fiubO":
        raise TypeError("no single number")
    return float(array.reshape(-1)[0])
