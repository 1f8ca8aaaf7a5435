"""All numbers of a run - values, gradients, local slopes - as scalar lines, which the page runs while inputs are dragged."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from autograd import tracer

from ....engine import Reverse, getval, inside, isbox, leaves, new_box, new_level, ones_like, reverse_pass, watch
from ....program import Recording, recorded
from ....tracing import plain_function
from ...kit.reckoning import Const, Program
from .program import unnoticed
from .story import Story

MOST_INPUTS, MOST_LINES = 256, 6000
Places = Any  # an object array of the places of a program, or of constants, in the shape of a value
_METHODS = ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "arctan", "sinh", "cosh", "exp2", "expm1", "log1p")


class Lines:
    """`program`: its inputs are called `x`, or `w[0]`, `w[1]` ... of arrays; `numbers`: the places of each number of a story, by
    what it is: `("value", node)`, `("gradient", node)`, and `("sent", node, place)`, `("total", node, place)`,
    `("slope", node, place)` of a step; `start`: the inputs of the run."""

    def __init__(self, program: Program, numbers: dict[tuple, Places], start: dict[str, float]):
        self.program, self.numbers, self.start = program, numbers, start


def lines_of(fun: Callable, args: Sequence[Any], story: Story) -> Lines | None:
    """The lines for `fun(*args)`, whose story is known.

    None where there are none: it decides by its numbers, is large, or does what no line says.
    """
    unmoved = getattr(fun, "__engine_unmoved__", nullcontext)
    try:
        plain, values, called = plain_function(fun, args, {}, None, "show(f, x)")
        given = {name: np.asarray(getval(v)) for name, v in zip(called, values, strict=True)}
        if sum(v.size for v in given.values()) > MOST_INPUTS or any(
            np.size(n.value) > MOST_INPUTS for n in story.nodes
        ):
            return None
        recording, found = Recording(), dict[tuple, Any]()
        with unnoticed(), unmoved():
            recording.run(_everything(plain, found), *(recording.input(v, name) for name, v in given.items()))
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


def _everything(plain: Callable, found: dict[tuple, Any]) -> Callable:
    """Runs `plain` and its backward pass, and asks each op of single numbers for its local slopes; `found` has the results."""

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

        reverse_pass(outputs, [ones_like(node.origin) for node in outputs], observe)
        found.update({("value", i): node.origin for i, node in enumerate(log)})
        return value

    return run


class Cell:
    """A number of the program in an array of objects: NumPy's functions of such arrays use its operators and methods."""

    __slots__ = ("by", "place")

    def __init__(self, by: "_Lowered", place: int | Const):
        self.by, self.place = by, place

    def __add__(self, other):
        return self.by.of("add", self, other)

    def __radd__(self, other):
        return self.by.of("add", other, self)

    def __sub__(self, other):
        return self.by.of("subtract", self, other)

    def __rsub__(self, other):
        return self.by.of("subtract", other, self)

    def __mul__(self, other):
        return self.by.of("multiply", self, other)

    def __rmul__(self, other):
        return self.by.of("multiply", other, self)

    def __truediv__(self, other):
        return self.by.of("divide", self, other)

    def __rtruediv__(self, other):
        return self.by.of("divide", other, self)

    def __neg__(self):
        return self.by.of("negative", self)

    def __pow__(self, other):
        return self.by.of("power", self, other)

    def conjugate(self) -> "Cell":
        """Itself: it is real."""
        return self


for _name in _METHODS:
    setattr(Cell, _name, lambda self, _name=_name: self.by.of(_name, self))


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
        start = {
            name: float(v)
            for array, at in self.given.items()
            for name, v in zip(entries(array, at.shape), at.ravel(), strict=True)
        }
        lines = Lines(self.program, numbers, start)
        return lines if self._bears_out(lines, story) else None

    def _input(self, op):
        cells = [Cell(self, self.places[name]) for name in entries(op.name, self.given[op.name].shape)]
        cells = [self.of("add", cell, 0.0) for cell in cells] if self.single else cells
        return _array(cells, self.given[op.name].shape)

    def _result(self, op):
        value = np.asarray(getval(op.value))
        parents = dict(zip(op.argnums, op.parents, strict=True))
        args = [self.known[parents[i]] if i in parents else arg for i, arg in enumerate(op.args)]
        if op.fun.__name__ in ("ones_like", "zeros_like"):
            return np.ones(value.shape, object) * float(op.fun.__name__ == "ones_like")
        made = self._elementwise(op, args)
        if made is None:
            made = op.fun(*args, **op.kwargs)
        made = np.asarray(made, object)
        if made.shape != value.shape:
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
        every = self.program.values([lines.start])
        for what, places in lines.numbers.items():
            if not (known := _known(story, what)):
                return False
            values = [one.value if isinstance(one, Const) else float(every[one][0]) for one in np.ravel(places)]
            if known[0] is not None and not np.allclose(
                values, np.ravel(known[0]), rtol=2e-3, atol=1e-6, equal_nan=True
            ):
                return False
        return True


def _known(story: Story, what: tuple) -> tuple[Any] | None:
    """A number of the story, in a tuple; None where there is no such."""
    kind, i, *place = what
    if i >= len(story.nodes):
        return None
    if kind == "value":
        return (story.nodes[i].value,)
    step = story.step_of.get(i)
    if step is None or (place and place[0] >= len(step.sent)):
        return None
    if kind == "gradient":
        return (step.gradient,)
    return (
        {"sent": step.sent[place[0]].value, "total": step.sent[place[0]].total, "slope": step.sent[place[0]].slope}[
            kind
        ],
    )


def entries(name: str, shape: Sequence[int]) -> list[str]:
    """What the numbers of an input are called.

    >>> entries("x", ()), entries("w", (2,)), entries("w", (1, 2))
    (['x'], ['w[0]', 'w[1]'], ['w[0, 0]', 'w[0, 1]'])
    """
    return [f"{name}[{', '.join(map(str, at))}]" if at else name for at in np.ndindex(*shape)]


def _array(cells: Sequence[Any], shape: Sequence[int]) -> np.ndarray:
    made = np.empty(len(cells), object)
    made[:] = cells
    return made.reshape(shape)


def _constant(value: Any) -> float:
    array = np.asarray(getval(value))
    if array.size != 1 or array.dtype.kind not in "fiubO":
        raise TypeError("no single number")
    return float(array.reshape(-1)[0])
