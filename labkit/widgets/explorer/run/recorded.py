"""The story of a function's run, from the graph that the engine records; and the program that graph mode would run."""

import io
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from inspect import getclosurevars, isfunction
from math import isnan
from typing import Any

import numpy as np

from ....engine import LARGE, Graph, dense, getval, record, summarised, value_and_grad, vjp_of
from ....ops import namesake, node_name, sign_of, words_of
from ....program import Recording, TraceError
from ....tracing import plain_function
from ...kit.words import number
from .findings import notice
from .story import MOST_SEEDED, Node, Sent, Step, Story

MOST_WITH_PROGRAM = 2000  # ops
MOST_CHANGED = 256  # numbers of the inputs that may be changed
LONGEST_NODE = 26  # letters of the name of a node that PyTorch does not know
UPSTREAM = "upstream"  # what the upstream gradient of a result is called among the inputs
_CALLED = "labkit.show called your function with {given}; it raised this before there was a graph to show."


class Run:
    """A function of arrays that can be run again: `values`, arguments and then parameters, by their `names`; `upstream`: the
    upstream gradient of its result, None for ones."""

    def __init__(
        self, plain: Callable, values: Sequence[Any], names: Sequence[str], unmoved: Callable, upstream: Any = None
    ):
        self.plain, self.values, self.names, self.unmoved = plain, list(values), list(names), unmoved
        self.upstream, self.weights = upstream, list[str]()

    @classmethod
    def of(cls, fun: Callable, args: Sequence[Any]) -> "Run":
        """The run of `fun(*args)`: a function, Cell or Module of numbers, arrays or tensors. The parameters of networks that a
        function uses are inputs, too. Raises TypeError for what is not numeric."""
        used = parameters_of(fun)
        plain, values, names = plain_function(fun, args, {}, list(used.values()), "show(f, x)")
        return cls(
            plain, values, [*names[: len(names) - len(used)], *used], getattr(fun, "__engine_unmoved__", nullcontext)
        )

    def story(self, program: bool = True) -> Story:
        """What happens in a run. `program`: run it once more, to write the program that graph mode would run."""
        with self.unmoved(), np.errstate(all="ignore"):
            graph = self._graph()
        story = of_graph(graph) if self.upstream is None else _without_weights(of_graph(graph), self.upstream)
        self.weights = [] if UPSTREAM in self.names else _weights(story)
        if program and any(np.size(node.value) > LARGE for node in story.nodes):
            story.no_program = (
                f"there are arrays of more than {LARGE:,} numbers, and to write it would need a second run that keeps them all; "
                "labkit.compile_program writes it"
            )
        elif program and len(story.nodes) <= MOST_WITH_PROGRAM:
            with self.unmoved():
                add_program(story, self.plain, self.values, self.names)
        elif program:
            story.no_program = f"it would have more than {MOST_WITH_PROGRAM} lines"
        return story

    def _graph(self):
        """Its graph. Integer arrays that cannot be recorded, such as labels that are used as an index, are no inputs then."""
        if self.upstream is not None:
            return record(self._weighted, *self.values, names=self.names)
        try:
            return record(self.plain, *self.values, names=self.names)
        except (IndexError, TypeError):
            free = [i for i, v in enumerate(self.values) if not _is_index(v)]
            if len(free) == len(self.values):
                raise
            plain, values = self.plain, list(self.values)

            def of_free(*given):
                every = dict(zip(free, given, strict=True))
                return plain(*(every.get(i, value) for i, value in enumerate(values)))

            of_free.__name__ = plain.__name__
            self.plain, self.values, self.names = of_free, [values[i] for i in free], [self.names[i] for i in free]
            return record(self.plain, *self.values, names=self.names)

    def _weighted(self, *values):
        """The elements of the result, each times its upstream gradient: the gradient of their sum starts with that."""
        result = self.plain(*values)
        return result * np.asarray(self.upstream, np.asarray(getval(result)).dtype)

    @property
    def inputs(self) -> list[tuple[int, str, list[str]]]:
        """The place, the name, and the names of the numbers, `x` or `x[0, 1]`, of each input of floating point; [] of many."""
        floats = [(i, name, _array(v)) for i, (name, v) in enumerate(zip(self.names, self.values, strict=True))]
        floats = [one for one in floats if one[2].dtype.kind in "fV"]
        if sum(array.size for *_, array in floats) > MOST_CHANGED:
            return []
        return [(i, name, entries(name, array.shape)) for i, name, array in floats]

    def beside(self, inputs: Mapping[str, float]) -> "Run":
        """The same with other numbers. Raises KeyError for a name that there is not."""
        known = {entry: (i, k) for i, _, names in self.inputs for k, entry in enumerate(names)}
        values, upstream = list(self.values), None
        for entry, value in inputs.items():
            if entry in self.weights:
                upstream = np.ones(len(self.weights)) if upstream is None else upstream
                upstream[self.weights.index(entry)] = value
                continue
            if entry not in known:
                names = ", ".join([*known, *self.weights]) or "none"
                raise KeyError("inputs: expected some of {names}, but got {entry!r}".format(names=names, entry=entry))
            i, k = known[entry]
            array = np.array(_array(values[i]), order="C")
            array.reshape(-1)[k] = float(value)
            values[i] = array if hasattr(values[i], "dtype") else float(array)
        return Run(self.plain, values, self.names, self.unmoved, upstream)


def of_function(fun: Callable, args: Sequence[Any], program: bool = True) -> Story:
    """The story of `fun(*args)`; an exception in `fun` is passed on, with a note of the arguments.

    >>> story = of_function(lambda x, y: x * y, [3.0, 2.0])
    >>> [node.title for node in story.nodes], [float(sent.value) for sent in story.steps[0].sent]
    (['x', 'y', '×'], [2.0, 3.0])
    """
    return ran(fun, args, program)[1]


def ran(fun: Callable, args: Sequence[Any], program: bool = True) -> tuple[Run, Story]:
    """The run of `fun(*args)` and its story; as `of_function`."""
    try:
        run = Run.of(fun, args)
        return run, run.story(program)
    except Exception as error:
        given = ", ".join(_kind(a) for a in args) or "no arguments"
        error.add_note(_CALLED.format(given=given))
        raise


def parameters_of(fun: Any) -> dict[str, Any]:
    """The parameters, by name, of networks in the closure of a function and among the globals that it names."""
    found = dict[int, tuple[str, Any]]()
    used = getclosurevars(fun) if isfunction(fun) else None
    for name, value in {**used.globals, **used.nonlocals}.items() if used else ():
        if hasattr(type(value), "__engine_parameters__"):
            for inside, parameter in value.__engine_parameters__():
                found.setdefault(id(parameter), (f"{name}.{inside}", parameter))
        elif hasattr(type(value), "__engine_bind__"):
            found.setdefault(id(value), (name, value))
    return dict(found.values())


def entries(name: str, shape: Sequence[int]) -> list[str]:
    """What the numbers of an input are called.

    >>> entries("x", ()), entries("w", (2,)), entries("w", (1, 2))
    (['x'], ['w[0]', 'w[1]'], ['w[0, 0]', 'w[0, 1]'])
    """
    return [f"{name}[{', '.join(map(str, at))}]" if at else name for at in np.ndindex(*shape)]


def _is_index(value):
    raw = _array(value)
    return raw.ndim > 0 and raw.dtype.kind in "iub"


def _kind(value):
    if isinstance(value, (int, float)):
        return repr(value)
    return f"{type(value).__name__} of shape {list(np.shape(getval(value)))}"


def of_graph(graph: Graph) -> Story:
    """The story of a graph that `labkit.trace` recorded."""
    from .... import torch  # noqa: F401  (it declares the names of the tape's nodes)

    index = {node: i for i, node in enumerate(graph.forward)}
    outer = {node.value._node: i for node, i in index.items()}  # in the joint graph
    used = {step.node: [outer[p] for op in step.backward for p in op.parents if p in outer] for step in graph.steps}
    seeds = Counter(graph.outputs)
    nodes: list[Node] = []
    for node, i in index.items():
        story_node = Node(
            i, _title(node), node.op, _user_name(node),
            tuple(index[p] for p in node.parents), summarised(_array(node.value)), node.shape, str(node.dtype), _line(node),
            node.scope, saved=tuple(dict.fromkeys(used.get(node, ()))), derives=_derives(node),
        )  # fmt: skip
        if node in seeds:
            story_node.seed = summarised(np.ones(story_node.shape) * seeds[node])
        if node.fun is not None:
            story_node.grad_fn, story_node.slots = _on_the_tape(node, story_node)
            story_node.keeps = kept_in(story_node.slots)
        nodes.append(story_node)
    return notice(Story(graph.name, nodes, [_step(step, index) for step in graph.steps]))


def _weights(story: Story) -> list[str]:
    """The names of the numbers of the upstream gradient of a story's result, where that is a short vector."""
    seeds = [node.seed for node in story.outputs if not node.leaf and node.differentiable]
    short = (
        len(seeds) == len(story.outputs) == 1
        and seeds[0].ndim == 1
        and 1 < seeds[0].size <= MOST_SEEDED
        and np.all(seeds[0] == 1)
    )
    return entries(UPSTREAM, seeds[0].shape) if short else []


def _without_weights(story: Story, upstream: np.ndarray) -> Story:
    """Without the product that `Run._weighted` adds."""
    *nodes, product = story.nodes
    nodes[product.parents[0]].seed = upstream
    steps = [step for step in story.steps if step.node != product.index]
    return notice(Story(story.name, nodes, steps))


def _array(value):
    return np.asarray(getval(value))


def _user_name(node):
    """The user's name; a label that the graph made up (v1, v2 ...) is none."""
    return (node.label or "") if node.name and node.label.startswith(node.name) else ""


def _line(node):
    if not node.line:
        return ""
    file, _, line = node.line.rpartition(":")
    here = file.startswith("<") or "ipykernel" in file
    return f"line {line}" if here else f"{file.replace(chr(92), '/').rpartition('/')[2]}, line {line}"


def _title(node):
    if node.op == "getitem":
        (parent,) = node.parents
        return f"{parent.label if parent.fun is None else _user_name(parent)}[{_index(getval(node.args[1]))}]"
    return title_of(node.label, node.fun, node.op, node.args, node.argnums)


def _index(index):
    """An index as it is written.

    >>> _index((0, slice(1, None))), _index(np.array([2, 1]))
    ('0, 1:', '…')
    """
    if isinstance(index, tuple):
        return ", ".join(map(_index, index))
    if isinstance(index, slice):
        ends = ["" if one is None else str(one) for one in (index.start, index.stop, index.step)]
        return ":".join(ends if ends[2] else ends[:2])
    return "..." if index is ... else str(index) if np.ndim(index) == 0 else "…"


def _derives(node):
    """The op whose derivative an op is part of, where the recorded function itself takes derivatives."""
    return "" if node.derives is None else _title(node.derives)


def title_of(label: str, fun: Any, op: str, args: Sequence[Any], argnums: Sequence[int]) -> str:
    """An op as on a card: `tanh`, `× 2`, `1 −`; a leaf's own label, where `fun` is None."""
    if fun is None:
        return label
    sign = sign_of(op)
    if sign == op or len(args) < 2:
        return sign
    first, second = (number(getval(a)) if i not in argnums and _is_number(a) else "" for i, a in enumerate(args[:2]))
    return f"{first} {sign}" if first else f"{sign} {second}" if second else sign


def _is_number(value):
    raw = getval(value)
    return isinstance(raw, (int, float, np.generic, np.ndarray)) and not isinstance(raw, bool) and np.size(raw) == 1


def _on_the_tape(node, story_node):
    """The name of PyTorch's node for an op, and what that saves; of ops that the dialect does not know, what is used."""
    info = namesake(node.fun)
    name = node_name(node.fun, node.args, node.kwargs)
    if info is None:
        return name if len(name) <= LONGEST_NODE else "", tuple(("", i) for i in story_node.saved)
    return name, saved_on_tape(info, node.args, node.argnums, story_node.parents, story_node.index)


def saved_on_tape(
    info: Any, args: Sequence[Any], argnums: Sequence[int], parents: Sequence[int], index: int
) -> tuple[tuple[str, int | str], ...]:
    """What a node of the tape saves, each with PyTorch's name for it ("" where that is not known): nodes of the story (`index`
    is its result), and constants by name, but for numbers.

    `info`: what the tape knows of the op; `parents`: nodes of the story for the arguments at `argnums`.
    """
    names, by_place = info.saved(argnums), dict(zip(argnums, parents, strict=False))
    if "everything" in names:
        return (*(("", i) for i in dict.fromkeys(parents)), ("result", index))
    found: list[tuple[str, int | str]] = []
    for name in names:
        place = info.names.index(name) if name in info.names else -1
        if name == "result":
            found.append((name, index))
        elif place in by_place:
            found.append((name, by_place[place]))
        elif 0 <= place < len(args) and _size(args[place]) > 1:
            found.append((name, name))
    return tuple(dict.fromkeys(found))


def _size(argument):
    """How many numbers there are in it, or in the arrays of a tuple, such as an index."""
    return sum(map(np.size, argument)) if isinstance(argument, tuple) else np.size(argument)


def kept_in(slots: Iterable[tuple[str, int | str]]) -> tuple[int | str, ...]:
    """What is kept there, each once."""
    return tuple(dict.fromkeys(kept for _, kept in slots))


# ---- the steps back ----


def _step(step, index):
    slopes = _slopes(step)
    sent = [
        Sent(index[c.parent], place, c.value, c.total, slope)
        for place, (c, slope) in enumerate(zip(step.contributions, slopes, strict=True))
    ]
    ops = tuple(op.op for op in step.backward)
    return Step(index[step.node], step.gradient, tuple(sent), words_of(step.node.op), ops)


def _slopes(step):
    """The local derivative along each edge, by the op's own rule, where node and parent are single numbers."""
    node, sent = step.node, [c.value for c in step.contributions]
    if step.gradient.dtype.kind == "c" or any(g.size != 1 for g in (step.gradient, *sent)):
        return [None] * len(sent)
    if step.gradient.ravel()[0] == 1:
        return [float(value.ravel()[0]) for value in sent]
    args = tuple(getval(a) for a in node.args)
    with np.errstate(all="ignore"):
        rule = vjp_of(node.fun)(node.argnums, getval(node.value), args, node.kwargs)
        pulled = [p for p in rule(np.ones_like(step.gradient)) if p is not None]
    return [checked_slope(step.gradient, dense(p), value) for p, value in zip(pulled, sent, strict=True)]


def checked_slope(gradient: np.ndarray, pulled: Any, sent: np.ndarray) -> float | None:
    """What a rule answers to 1, as the local slope; None where `gradient` times it is not what was sent: a rule of one's
    own need not be a product.

    >>> checked_slope(np.array(3.0), np.array(2.0), np.array(6.0)), checked_slope(np.array(3.0), 1.0, np.array(0.5))
    (2.0, None)
    """
    slope, value = float(np.ravel(np.asarray(getval(pulled)))[0]), float(sent.ravel()[0])
    with np.errstate(all="ignore"):
        product = float(np.asarray(gradient * slope).astype(sent.dtype).ravel()[0])
    near = abs(product - value) <= _ROUNDING.get(sent.dtype.itemsize, 0.3) * abs(value)
    return slope if near or product == value or (isnan(product) and isnan(value)) else None


_ROUNDING = {8: 1e-12, 4: 1e-5, 2: 0.02}  # by the bytes of a number


def add_program(story: Story, plain: Callable, values: Sequence[Any], names: Sequence[str]) -> None:
    """Write the program for value and gradients of `plain` at `values`.

    `plain` is run once more for it; what it prints is dropped, and NumPy's and Python's random numbers go on as if it had
    not run. Where there can be no program, `story.no_program` says why.
    """
    floating = tuple(i for i, v in enumerate(values) if "float" in str(np.asarray(getval(v)).dtype))
    recording = Recording()
    try:
        with unnoticed():
            boxes = [recording.input(np.asarray(v), name) for v, name in zip(values, names, strict=True)]
            story.program = recording.finish(recording.run(value_and_grad(plain, floating), *boxes)).source
    except TraceError as error:
        story.no_program = str(error)
    except Exception as error:  # the first run went well: this one must not spoil the picture
        story.no_program = f"{type(error).__name__}: {error}"


@contextmanager
def unnoticed() -> Iterator[None]:
    """While open, what is printed is dropped; afterwards random numbers go on from where they were."""
    numpy_state, python_state = np.random.get_state(), random.getstate()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)
