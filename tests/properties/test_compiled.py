"""Random programs compile to what they compute eagerly, bit for bit, and so do their derivatives of every kind.

The programs are those of `test_programs`; each is compiled once and called on two inputs.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, note

import labkit.mindspore as ms
from labkit.mindspore import Tensor


def _beside(name):
    """A test module of this directory: pytest's import mode puts none of them on the path."""
    spec = importlib.util.spec_from_file_location(f"compiled_{name}", Path(__file__).parent / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


drawn = _beside("test_programs")


def function_of(program):
    """The program as a function of tensors, with a tuple of outputs."""
    return lambda *tensors: tuple(program.run(drawn.MINDSPORE, tensors, Tensor))


def scalar_of(program):
    return lambda *tensors: sum((o.sum() for o in function_of(program)(*tensors)), Tensor(0.0, tensors[0].dtype))


def all_places(program):
    return tuple(range(len(program.inputs)))


def second(program):
    first = ms.grad(scalar_of(program), all_places(program))

    def squares(*tensors):
        gradients = first(*tensors)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        return sum(((g * g).sum() for g in gradients), Tensor(0.0, tensors[0].dtype))

    return ms.grad(squares, all_places(program))


def pulled(program):
    def run(*tensors):
        output, pull = ms.vjp(function_of(program), *tensors)
        return output, pull(*output)

    return run


def along_itself(program):
    return lambda *tensors: ms.jvp(function_of(program), tensors, tensors)


WAYS = {
    "itself": function_of,
    "value_and_grad": lambda program: ms.value_and_grad(function_of(program), all_places(program)),
    "grad of grad": second,
    "jvp": along_itself,
    "vjp": pulled,
    "jacrev": lambda program: ms.jacrev(lambda *tensors: function_of(program)(*tensors)[-1]),
}


def bits(tree):
    """Everything that can be compared: structure, types, shapes and bytes; but for the sign of zero and of nan.

    (The sum over an axis of length 1 turns -0.0 into 0.0; a program leaves it out.)
    """
    if isinstance(tree, (tuple, list)):
        return [bits(branch) for branch in tree]
    array = tree.asnumpy()
    return str(array.dtype), array.shape, np.where(np.isnan(array), np.nan, array + array.dtype.type(0)).tobytes()


@pytest.mark.parametrize("way", WAYS)
@given(program=drawn.programs())
def test_compiled_equals_eager_bit_for_bit(program, way):
    note(repr(program))
    eager = WAYS[way](program)
    compiled = ms.jit(lambda *tensors: eager(*tensors))
    for inputs in (program.inputs, [a[::-1] / 2 + 1 if a.ndim else a / 2 + 1 for a in program.inputs]):
        tensors = [Tensor(np.asarray(a, program.inputs[0].dtype)) for a in inputs]
        assert bits(compiled(*tensors)) == bits(eager(*tensors)), compiled.program(*tensors).source
    assert compiled.cache_info() == (1, 1, 1)
