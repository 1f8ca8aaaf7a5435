"""Random small programs: both dialects, the engine, autograd and finite differences agree on every derivative.

A program is drawn as data: inputs of random shapes that broadcast, then a list of ops, each applied to earlier values.
It runs in four ways from one table of ops; the reference is plain autograd in float64.
"""

import operator
from dataclasses import dataclass

import autograd
import autograd.numpy as np
import numpy as onp
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit import engine
from labkit.engine import getval
from labkit.mindspore import ops

# ---- the ops: in NumPy, in the MindSpore dialect, in the PyTorch dialect ----

alike = lambda f: (f, f, f)


def fits(*arguments):
    """Whether the shapes broadcast."""
    try:
        onp.broadcast_shapes(*(onp.shape(x) for x in arguments))
    except ValueError:
        return False
    return True


far = lambda *xs: all(onp.min(onp.abs(x)) > 0.1 for x in xs)  # far from a pole or a kink
apart = lambda x, y: fits(x, y) and far(x - y)
distinct = lambda x, axis: onp.min(onp.diff(onp.sort(x, axis), axis=axis), initial=1) > 0.1

UNARY = {
    "sin": ((np.sin, ops.sin, torch.sin), None),
    "cos": ((np.cos, ops.cos, torch.cos), None),
    "tanh": ((np.tanh, ops.tanh, torch.tanh), None),
    "exp": ((np.exp, ops.exp, torch.exp), None),
    "log": ((np.log, ops.log, torch.log), lambda x: onp.min(x) > 0.2),
    "sqrt": ((np.sqrt, ops.sqrt, torch.sqrt), lambda x: onp.min(x) > 0.2),
    "sigmoid": ((lambda x: 1 / (1 + np.exp(-x)), ops.sigmoid, torch.sigmoid), None),
    "relu": ((lambda x: np.maximum(x, 0.0), ops.relu, torch.relu), far),
    "abs": (alike(abs), far),
    "neg": (alike(operator.neg), None),
    "square": ((np.square, ops.square, torch.square), None),
    "cube": (alike(lambda x: x**3), None),
    "power": (alike(lambda x: x**1.5), lambda x: onp.min(x) > 0.2),
    "twice": (alike(lambda x: 2 * x), None),
    "shift": (alike(lambda x: x - 1.5), None),
    "from one": (alike(lambda x: 1 - x), None),
    "halve": (alike(lambda x: x / 2), None),
    "invert": (alike(lambda x: 1 / x), far),
    "flatten": (alike(lambda x: x.reshape((-1,))), None),
    "new axis": (
        # autograd itself cannot index a scalar whose gradient has another part
        (lambda x: np.expand_dims(x, 0), lambda x: x[None], lambda x: x[None]),
        lambda x: x.ndim < 4,
    ),
    "first": (alike(lambda x: x[0]), lambda x: x.ndim > 0),
    "last": (alike(lambda x: x[..., -1]), lambda x: x.ndim > 0),
    "rest": (alike(lambda x: x[1:]), lambda x: x.ndim > 0 and x.shape[0] > 1),
    "repeated": (alike(lambda x: x[[0, 0]]), lambda x: x.ndim > 0),
    "spread": (
        (
            lambda x: np.broadcast_to(x, (2, 3)),
            lambda x: ops.broadcast_to(x, (2, 3)),
            lambda x: torch.broadcast_to(x, (2, 3)),
        ),
        lambda x: x.ndim == 2 and all(n in (1, m) for n, m in zip(x.shape, (2, 3), strict=True)),
    ),
}
BINARY = {
    "add": (alike(operator.add), None),
    "sub": (alike(operator.sub), None),
    "mul": (alike(operator.mul), None),
    "div": (alike(operator.truediv), lambda x, y: fits(x, y) and far(y)),
    "maximum": ((np.maximum, ops.maximum, torch.maximum), apart),
    "minimum": ((np.minimum, ops.minimum, torch.minimum), apart),
    "where": (
        (
            lambda x, y: (getval(x) > 0) * x + (getval(x) <= 0) * y,
            lambda x, y: ops.where(x > 0, x, y),
            lambda x, y: torch.where(x > 0, x, y),
        ),
        lambda x, y: fits(x, y) and far(x),
    ),
    "matmul": (
        (np.matmul, ops.matmul, torch.matmul),
        lambda x, y: x.ndim > 1 and y.ndim > 1 and x.shape[-1] == y.shape[-2] and fits(x[..., 0, 0], y[..., 0, 0]),
    ),
    "gram": (
        (
            lambda x, y: np.matmul(x, np.swapaxes(y, -1, -2)),
            lambda x, y: ops.matmul(x, ops.swapaxes(y, -1, -2)),
            lambda x, y: torch.matmul(x, torch.swapaxes(y, -1, -2)),
        ),
        lambda x, y: x.ndim == y.ndim == 2 and x.shape[1] == y.shape[1],
    ),
    "concat": (
        (
            lambda x, y: np.concatenate([x, y], 0),
            lambda x, y: ops.concat([x, y], 0),
            lambda x, y: torch.cat([x, y], 0),
        ),
        lambda x, y: x.ndim > 0 and y.ndim == x.ndim and x.shape[1:] == y.shape[1:],
    ),
    "stack": (
        (
            lambda x, y: np.stack([x, y], 0),
            lambda x, y: ops.stack([x, y], 0),
            lambda x, y: torch.stack([x, y], 0),
        ),
        lambda x, y: x.shape == y.shape and x.ndim < 4,
    ),
}


def softmax(x, axis):
    z = np.exp(x - np.max(getval(x), axis=axis, keepdims=True))
    return z / np.sum(z, axis=axis, keepdims=True)


AXIS = {
    "sum": ((lambda x, a: np.sum(x, axis=a), lambda x, a: x.sum(a), lambda x, a: x.sum(a)), None),
    "mean": ((lambda x, a: np.mean(x, axis=a), lambda x, a: x.mean(a), lambda x, a: x.mean(a)), None),
    "sum kept": (
        (
            lambda x, a: np.sum(x, axis=a, keepdims=True),
            lambda x, a: ops.sum(x, a, keepdim=True),
            lambda x, a: torch.sum(x, a, keepdim=True),
        ),
        None,
    ),
    "max": (
        (lambda x, a: np.max(x, axis=a), lambda x, a: ops.amax(x, a), lambda x, a: torch.max(x, a).values),
        distinct,
    ),
    "softmax": ((softmax, lambda x, a: ops.softmax(x, axis=a), lambda x, a: torch.softmax(x, a)), None),
    "cumsum": (
        (lambda x, a: np.cumsum(x, axis=a), lambda x, a: ops.cumsum(x, a), lambda x, a: torch.cumsum(x, a)),
        None,
    ),
    "sum of all": (alike(lambda x, a: x.sum()), None),
    "mean of all": ((lambda x, a: np.mean(x), lambda x, a: x.mean(), lambda x, a: x.mean()), None),
}
NUMPY, MINDSPORE, TORCH = range(3)


# ---- programs ----


@dataclass
class Program:
    """`steps` are (name, the op's three versions, positions of its arguments, axis or nothing)."""

    inputs: list
    steps: list
    weights: list

    def run(self, dialect, values, constant):
        values = list(values)
        for _, versions, places, extra in self.steps:
            values.append(versions[dialect](*(values[p] for p in places), *extra))
        outputs = values[-len(self.weights) :]
        return [v * constant(w) for v, w in zip(outputs, self.weights, strict=True)]

    def __repr__(self):
        n = len(self.inputs)
        lines = [f"v{i} = input {a.dtype}{list(a.shape)} {a.tolist()}" for i, a in enumerate(self.inputs)]
        lines += [
            f"v{n + i} = {name}({', '.join(f'v{p}' for p in places)}{', axis=' + str(*extra) if extra else ''})"
            for i, (name, _, places, extra) in enumerate(self.steps)
        ]
        return "\n".join(["", *lines, f"return the last {len(self.weights)}, weighted"])


@st.composite
def programs(draw, dtypes=("float16", "float32", "float64")):
    """Programs whose values stay tame and away from poles and kinks, so that every derivative is well-conditioned."""
    dtype = draw(st.sampled_from(dtypes))
    rng = onp.random.default_rng(draw(st.integers(0, 2**16)))
    shapes = draw(st.lists(input_shapes(draw(st.sampled_from(SHAPES))), min_size=1, max_size=3))
    inputs = [onp.asarray(rng.integers(-16, 17, size=shape) / 8, dtype) for shape in shapes]  # exact in float16
    values, steps = [a.astype("float64") for a in inputs], []
    for _ in range(draw(st.integers(1, 8))):
        name, versions, places, extra = draw(instructions(values))
        value = onp.asarray(versions[NUMPY](*(values[p] for p in places), *extra))
        if 0 < value.size <= 48 and value.ndim <= 4 and onp.max(onp.abs(value)) < 8:
            values.append(value)
            steps.append((name, versions, places, extra))
    last = values[-draw(st.integers(1, min(2, len(values)))) :]
    weights = [onp.asarray(rng.integers(1, 9, size=v.shape) / 8, dtype) for v in last]
    return Program(inputs, steps, weights)


SHAPES = [(2, 3), (), (3,), (1,), (3, 1), (3, 2), (2, 2), (3, 3), (1, 2, 3), (2, 3, 2)]


@st.composite
def input_shapes(draw, shape):
    """Shapes that broadcast to `shape`: leading axes dropped, some axes of length 1."""
    kept = shape[draw(st.sampled_from([0, 0, 0, 1, 2])) :]
    return tuple(draw(st.sampled_from([n, n, n, 1])) for n in kept)


@st.composite
def instructions(draw, values):
    """One op that may be applied to some of `values`: `(name, versions, positions, axis or nothing)`."""
    kind, count = draw(st.sampled_from([(BINARY, 2), (UNARY, 1), (BINARY, 2), (AXIS, 1)]))
    places = [len(values) - 1 - draw(st.integers(0, len(values) - 1)) for _ in range(count)]  # often the latest
    rank, extra = values[places[0]].ndim, ()
    if kind is AXIS:
        kind, extra = (AXIS, (draw(st.integers(-rank, rank - 1)),)) if rank else (UNARY, ())
    given_values = [values[p] for p in places]
    names = [name for name, (_, allowed) in kind.items() if (allowed or fits)(*given_values, *extra)]
    name = draw(st.sampled_from(names or ["neg"]))
    return name, *((kind[name][0], places, extra) if names else (UNARY["neg"][0], places[:1], ()))


# ---- four ways to differentiate ----


def total(outputs):
    return sum(np.sum(v) for v in outputs)


def by_autograd(program):
    """Value and gradients in float64."""
    f = lambda values: total(program.run(NUMPY, values, lambda w: w.astype("float64")))
    inputs = [a.astype("float64") for a in program.inputs]
    return f, inputs, autograd.grad(f)(inputs)


def by_engine(program):
    places = tuple(range(len(program.inputs)))
    with onp.errstate(over="ignore"):  # such as the cosh of float16
        return engine.grad(lambda *values: program.run(NUMPY, values, lambda w: w), places)(*program.inputs)


def by_mindspore(program):
    function = lambda *tensors: tuple(program.run(MINDSPORE, tensors, ms.Tensor))
    return [g.asnumpy() for g in mindspore_grad(function, len(program.inputs))(*map(ms.Tensor, program.inputs))]


def mindspore_grad(function, count):
    """The gradients of all inputs, always as a tuple: `grad_position=(0,)` answers with a bare one."""
    gradient = ms.grad(function, tuple(range(count)))
    return (lambda *tensors: (gradient(*tensors),)) if count == 1 else gradient


def by_torch(program):
    tensors = [torch.tensor(a, requires_grad=True) for a in program.inputs]
    for output in torch_ends(program.run(TORCH, tensors, torch.tensor)):
        output.backward(retain_graph=True)
    return [
        onp.zeros_like(a) if t.grad is None else t.grad.numpy() for t, a in zip(tensors, program.inputs, strict=True)
    ]


def torch_ends(outputs):
    return [o.sum() for o in outputs if o.requires_grad]


def assert_agree(program, found, expected, factor):
    """Equal up to `factor` roundings of values of the largest size about; each in its input's dtype and shape."""
    scale = max(1.0, *(onp.max(onp.abs(g)) for g in expected))
    for g, want, a in zip(found, expected, program.inputs, strict=True):
        assert (g.dtype, g.shape) == (a.dtype, a.shape)
        onp.testing.assert_allclose(onp.float64(g), want, rtol=0, atol=factor * float(onp.finfo(a.dtype).eps) * scale)


def by_mindspore_graph_mode(program):
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        return by_mindspore(program)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def by_mindspore_trace(program):
    function = lambda *tensors: tuple(program.run(MINDSPORE, tensors, ms.Tensor))
    return list(labkit.trace(function)(*map(ms.Tensor, program.inputs)).gradients.values())


def by_torch_trace(program):
    function = lambda *tensors: tuple(program.run(TORCH, tensors, torch.tensor))
    return list(labkit.trace(function)(*map(torch.tensor, program.inputs)).gradients.values())


WAYS = {
    "engine": by_engine,
    "mindspore": by_mindspore,
    "mindspore in graph mode": by_mindspore_graph_mode,
    "mindspore traced": by_mindspore_trace,
    "torch": by_torch,
    "torch traced": by_torch_trace,
}


@pytest.mark.parametrize("way", WAYS)
@given(program=programs())
def test_gradients_agree_with_autograd_in_every_precision(program, way):
    note(repr(program))
    assert_agree(program, WAYS[way](program), by_autograd(program)[2], 60)


@given(program=programs(dtypes=("float64",)))
def test_autograd_agrees_with_finite_differences(program):
    f, inputs, gradients = by_autograd(program)
    rng = onp.random.default_rng(0)
    along = [rng.normal(size=a.shape) for a in inputs]
    h = 1e-5
    ahead, behind = (f([a + s * h * d for a, d in zip(inputs, along, strict=True)]) for s in (1, -1))
    slope = sum(onp.sum(g * d) for g, d in zip(gradients, along, strict=True))
    scale = 1 + sum(onp.sum(onp.abs(g)) for g in gradients)
    assert abs((ahead - behind) / (2 * h) - slope) < 1e-6 * scale**2


# ---- twice ----


def second_by_autograd(program):
    f, inputs, _ = by_autograd(program)
    first = lambda values: total(g * g for g in autograd.grad(f)(values))
    return autograd.grad(first)(inputs)


def second_by_engine(program):
    places = tuple(range(len(program.inputs)))
    first = engine.grad(lambda *values: program.run(NUMPY, values, lambda w: w), places)
    return engine.grad(lambda *values: [g * g for g in first(*values)], places)(*program.inputs)


def second_by_mindspore(program):
    count = len(program.inputs)
    first = mindspore_grad(lambda *tensors: tuple(program.run(MINDSPORE, tensors, ms.Tensor)), count)
    squares = lambda *tensors: tuple(g * g for g in first(*tensors))
    return [g.asnumpy() for g in mindspore_grad(squares, count)(*map(ms.Tensor, program.inputs))]


def second_by_torch(program):
    tensors = [torch.tensor(a, requires_grad=True) for a in program.inputs]
    zeros = [onp.zeros_like(a) for a in program.inputs]
    ends = torch_ends(program.run(TORCH, tensors, torch.tensor))
    if not ends:
        return zeros
    first = torch.autograd.grad(ends, tensors, create_graph=True, allow_unused=True)
    squares = [(g * g).sum() for g in first if g is not None and g.requires_grad]
    if not squares:
        return zeros
    second = torch.autograd.grad(squares, tensors, allow_unused=True)
    return [z if g is None else g.numpy() for g, z in zip(second, zeros, strict=True)]


TWICE = {"engine": second_by_engine, "mindspore": second_by_mindspore, "torch": second_by_torch}


@pytest.mark.filterwarnings("ignore:Output seems independent")
@pytest.mark.parametrize("way", TWICE)
@given(program=programs(dtypes=("float32", "float64")))
def test_second_derivatives_agree(program, way):
    """The gradient of the sum of the squared gradients."""
    note(repr(program))
    assert_agree(program, TWICE[way](program), second_by_autograd(program), 500)
