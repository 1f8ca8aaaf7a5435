"""Every op of the dialect compiles to what it computes eagerly, on a second input too, and so do its derivatives.

The second input of the same shapes shows a value baked into the program. An op whose result's shape depends on values is refused.
"""

import inspect
from functools import cache
from itertools import accumulate

import numpy as np
import pytest
from recipes import recipes as drawn

import labkit.mindspore as ms
from labkit.mindspore import Tensor, nn, ops
from labkit.mindspore.ops import op_table as _op

FLOATS = (ms.float16, ms.float32, ms.float64)


@cache  # no op changes its arguments
def recipes(dtype, seed):
    """`{name: arguments}` of tensors of a dtype."""
    tensor = lambda a: Tensor(a.astype(dtype) if a.dtype.kind == "f" else a)
    return drawn(tensor, (ms.float16, ms.int32, ms.bool_), seed)


def subjects():
    """`{name: function of tensors}`: every op once, under its first name, every method of its own, every class and cell."""
    found, seen = {}, set()
    for name in _op.LATER:
        getattr(ops, name)
    for name, function in {**_op.OPS, **_op.METHODS}.items():
        if id(function) not in seen and name not in OTHERWISE and callable(function):
            seen.add(id(function))
            found[name if name in _op.OPS else f"Tensor.{name}"] = function
    for name in ("MatMul", "ReduceMean", "ReduceSum", "Sort"):
        primitive = getattr(ops, name)
        found[f"ops.{name}()"] = lambda *args, primitive=primitive: primitive()(*args)
    for name in ["getitem", "radd", "rsub", "rpow", "rtruediv", "invert", "matmul", "len"]:
        found[f"Tensor.__{name}__"] = getattr(Tensor, f"__{name}__")
    cells = {name: getattr(nn, name) for name in nn.__all__ if name not in OTHERWISE}
    found |= {f"nn.{name}()": cell() for name, cell in cells.items() if _is_simple(cell)}
    made = ["Dense(3, 2)", "Conv2d(3, 2, 2)", "MaxPool2d(2, 2)", "AvgPool2d(3, 1)", "BatchNorm2d(3)", "BatchNorm1d(3)"]
    found |= {f"nn.{call}": eval(f"nn.{call}", {"nn": nn}) for call in made}
    return found


def _is_simple(cell):
    """Whether it is a cell made without arguments."""
    parameters = inspect.signature(cell).parameters.values() if isinstance(cell, type) else ()
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return isinstance(cell, type) and issubclass(cell, nn.Cell) and not needed


OTHERWISE = {  # random, side effects, no ops: tested with graph mode itself
    "rand", "randn", "eye", "ones", "zeros", "arange", "full", "fill", "assign", "assign_add", "assign_sub", "Cell", "CellList",
    "GraphCell", "LossBase", "SequentialCell", "get_activation", "dropout", "dropout2d", "Dropout", "Dropout1d", "Dropout2d",
    "Dropout3d", "LearningRateSchedule", "unsorted_segment_sum", "allclose",
}  # fmt: skip
BY_PYTHON_FOR = {  # where a tensor stands for a number or shape, or a mask for an index
    "gather": {"mask"},
    "norm": {"and 2"},  # singular values: their derivative is not made of ops
}  # fmt: skip
APART = {
    ("clip_by_global_norm", "a list to shorten"), ("clip_by_global_norm", "a list"),  # a list stays one
    ("clip_by_norm", "depth"),  # integers not clipped stay integers eagerly
    ("clip_by_norm", "ddof"),  # asks for an error by value
}  # fmt: skip
WANT_NUMBERS = {"isclose", "flip", "roll", "clip_by_norm", "split"}  # after the first argument: known when recorded
AGAIN = 4  # recipes of an op whose second derivative is compiled
SUBJECTS = subjects()


def same(one, other):
    if isinstance(one, Tensor):
        a, b = one.asnumpy(), other.asnumpy()
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return one == other


def tensors_in(tree):
    if isinstance(tree, (tuple, list)):
        return [leaf for branch in tree for leaf in tensors_in(branch)]
    return [tree] if isinstance(tree, Tensor) and tree.dtype in FLOATS else []


def square_sum(tree):
    return sum(((x * x).sum() for x in tensors_in(tree)), Tensor(0.0))


def eager(function, args):
    """What it gives for these arguments, in a list that is empty where it is not made for them."""
    try:
        return [function(*args)]
    except Exception:
        return []


def accepted(name, recipe, function, one, other):
    """Whether the op is compiled for these arguments; where it goes on by numbers, Python runs it, for each input anew."""
    short = name.removeprefix("Tensor.")
    by_python = recipe in BY_PYTHON_FOR.get(short, ())
    if by_python:
        compiled = ms.jit(lambda *args: function(*args))
        assert all(same(compiled(*args), found) for args in (one, other) for found in eager(function, args))
        assert not compiled.cache_info().size
    numbers = not (short in WANT_NUMBERS and any(isinstance(a, Tensor) for a in one[1:]))
    return not by_python and numbers and (short, recipe) not in APART and bool(eager(function, other))


class Together:
    """Calls of one function as one call, so that a single program is made for all of them: the results in a tuple."""

    def __init__(self, function, calls):
        sizes = [len(args) for args in calls]
        self.function, self.parts = function, list(zip(sizes, accumulate(sizes), strict=True))

    def __call__(self, *args):
        return tuple([self.function(*args[end - size : end]) for size, end in self.parts])


def compiled_as_eager(name, dtypes, twice):
    """Compare the op, for all recipes that it takes, and its derivatives where `twice` has their orders for a dtype."""
    function, tried = SUBJECTS[name], []
    for dtype in dtypes:
        first, second = recipes(dtype, 1), recipes(dtype, 2)
        given = {recipe: found for recipe, one in first.items() if (found := eager(function, one))}
        tried += given
        taken = [r for r in given if accepted(name, r, function, first[r], second[r])]
        compare(function, [(first[r], given[r], second[r]) for r in taken])
        calls = [(first[r], second[r]) for r in taken if tensors_in(list(first[r])) and tensors_in(given[r])]
        derived = function
        for order in range(twice.get(dtype, 0)):
            derived = derivative(derived)
            if order:  # of what the first one has shown for all recipes, some
                calls = calls[:: -(-len(calls) // AGAIN) or 1]
            found = [(one, eager(derived, one), other) for one, other in calls]
            calls = [(one, other) for one, outputs, other in found if outputs]
            compare(derived, [row for row in found if row[1]])
    assert tried


def compare(function, calls):
    """Compiled once for all these calls, it gives for each of both inputs what it gives eagerly."""
    if not calls:
        return
    ones, outputs, others = zip(*calls, strict=True)
    together = Together(function, ones)
    compiled, one, other = ms.jit(together), sum(ones, ()), sum(others, ())
    assert same(tuple(output for (output,) in outputs), compiled(*one)), compiled.program(*one).source
    assert same(together(*other), compiled(*other)), compiled.program(*other).source
    masked = (
        any(a.dtype == ms.bool_ for a in one if isinstance(a, Tensor)) and "holds_for" in compiled.program(*one).source
    )
    assert compiled.cache_info().misses <= 1 + masked  # how many are true is known of one program


def derivative(function):
    """The gradient of the sum of squares of what `function` returns, in each argument that has one."""

    def gradient(*args):
        places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor) and a.dtype in FLOATS)
        return ms.grad(lambda *args: square_sum(function(*args)), places)(*args)

    return gradient


@pytest.mark.parametrize("name", SUBJECTS)
def test_compiled_equals_eager(name):
    compiled_as_eager(name, ("float32", "float64"), {"float64": 2})  # of smaller ones: test_half_precision_stays_half


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    "name", ["sum", "mean", "softmax", "exp", "tanh", "sigmoid", "matmul", "square", "norm", "std", "pow"]
)
def test_half_precision_stays_half(name, dtype):
    compiled_as_eager(name, (dtype,), {dtype: 1})
