"""What errors mean that many exercises share: the words of one dialect in the other, a call that was not understood."""

import dis
import re
from collections.abc import Callable
from types import CodeType, ModuleType

_NO_TENSOR = (
    r"'(numpy\.\w+|float|int|bool|list|tuple|str)' object has no attribute "
    r"'(backward|detach|grad|clone|numpy|asnumpy|cpu|requires_grad_?|grad_fn)'",
    "Only tensors have this attribute, and this value is not a tensor: it is a number, an array, or a tuple.",
)
_MINDSPORE = (
    (r"'grad_position' must be int or tuple", "Several positions are given as a tuple: (0, 1), with round brackets."),
    (r"'Tensor' object has no attribute 'grad'", "A MindSpore tensor has no .grad: ms.grad returns the gradient."),
    (r"no attribute '(backward|requires_grad|retain_grad)'", "Only PyTorch tensors have this attribute. In "
     "MindSpore you differentiate a function: ms.grad(function)(inputs)."),
    (r"no attribute '(detach|no_grad)'", "This is a PyTorch name. In MindSpore, use ops.stop_gradient."),
    (r"no attribute '(clone|item|numpy|cpu)'", "This is a PyTorch name. MindSpore's tensors have another method, such "
     "as .copy() or .asnumpy()."),
    (r"requires more than one outputs", "has_aux=True is for a function that returns several outputs: the first is "
     "differentiated, and the others are returned unchanged. This function returns one output."),
    (r"gradient_shape must be equal to variable_shape", "The optimizer received gradients that do not belong to its "
     "parameters. Compute the gradients with respect to the weights."),
    (r"takes .* positional argument|missing \d+ required positional", "A function was called with too few or too many "
     "arguments. The function that ms.grad returns takes the same arguments, and with sens_param=True also sens."),
)  # fmt: skip
_TORCH = (
    (r"does not require grad", "The tensor has no history: it was detached, computed under no_grad, or, for a second "
     "derivative, the first derivative was computed without create_graph=True."),
    (r"not have been used in the graph", "The graph has no path from the result to the tensor that you differentiate "
     "with respect to. For a second derivative, the first needs create_graph=True."),
    (r"backward through the graph a second time", "The first backward pass freed the graph. Run the forward pass "
     "again, or pass retain_graph=True to the first backward()."),
    (r"(grad can be implicitly created only for scalar|return a scalar Tensor)", "Without an upstream "
     "gradient, the output must be a scalar. Sum the elements, or pass gradient=... of the output's shape."),
    (r"no attribute '(asnumpy|stop_gradient|value_and_grad)'", "This is a MindSpore name, but this is a PyTorch tensor."),
    (r"leaf Variable that requires grad .* in-place", "A leaf that requires grad cannot be changed in place while "
     "PyTorch records: change it under torch.no_grad()."),
    (r"can't convert .* requires grad|Can't call numpy\(\)", "Detach it first: .detach().numpy()."),
)  # fmt: skip
_IMPORTS = {"torch": "from labkit import torch", "mindspore": "from labkit import mindspore as ms"}
_REAL = (
    "Your code uses the installed package {name}. The exercises use labkit's dialect: write `{line}` instead of `import "
    "{name}`."
)
_ALL = (
    (r"No module named 'torch", "The exercises use labkit's dialect: write `from labkit import torch`."),
    (r"No module named 'mindspore", "The exercises use labkit's dialect: write `from labkit import mindspore as ms`."),
    (r"not enough values to unpack|too many values to unpack", "The structure of the returned value differs from "
     "the names on the left. Print the value first: which tuples are inside which?"),
    (r"expected a tangent of shape", "A tangent has the shape of its input: pass one tangent for each input."),
    (r"can't multiply sequence|can only concatenate|unsupported operand .*'(tuple|list)'|bad operand .*'(tuple|list)'",
     "One operand is a tuple or a list, not a number or a tensor. Do you need one of its items?"),
    (r"'(function|builtin_function_or_method|method)' object|unsupported operand .*'function'", "Your code uses a "
     "function as if it were a value. Call the function."),
    (r"'NoneType' object|unsupported operand .*'NoneType'", "A value is None: a function has no return, or no backward "
     "pass has filled this gradient."),
    (r"missing \d+ required positional argument", "A function was called with too few arguments."),
    (r"takes \d+ positional arguments? but", "A function was called with too many arguments."),
    (r"object is not callable", "Your code calls a value that is not a function. Is there an extra pair of brackets?"),
    (r"is not defined", "Your code uses a name that has no value yet."),
    (r"cannot access (local|free) variable", "This variable has no value yet: its assignment comes later, or did not run."),
    (r"'(int|float)' object is not (sub|iter)|type '(int|float)' has no len|non-iterable (int|float)|over a 0-d",
     "Your code uses a number as if it were a list or a tuple."),
    (r"indices must be integers|valid indices|must be of integer|scalar index", "An index must be a whole number."),
    (r"KeyError", "The dict has no such key yet. Put it in first, or use .get(key, 0.0)."),
    (r"shapes? .*not aligned|mismatch in its core dimension|could not be broadcast|shapes cannot be mul", "Two shapes do "
     "not match. Does one need a transpose, or are the factors in the wrong order?"),
    (r"out of (range|bounds)", "An index is out of range: indices run from 0 to the length minus 1."),
    (r"for \^", "In Python, ^ is not a power. Write **."),
    (r"division by zero", "Your code divides by 0. Does this case need a branch of its own?"),
    (r"module '[\w.]+' has no attribute", "This module has no such name. Check the spelling, and that it is the right module."),
    (r"has no attribute", "A value of this type has no such attribute. Is it a tensor, an array, or a tuple of them?"),
    (r"does not support item assignment", "A tuple cannot be changed. Use a list, or make a new tuple."),
    (r"truth value of an array", "A condition on an array has one answer for each element. Use where, all or any."),
    (r"maximum recursion depth", "The function calls itself without end. Which case should stop it?"),
)  # fmt: skip


def meant(tensors: str | None, error: str) -> str:
    """What an error means, whatever the exercise; an empty text where nothing is sure. `error`: its type and words."""
    first, second = (_TORCH, _MINDSPORE) if tensors == "torch" else (_MINDSPORE, _TORCH)
    return next((meaning for words, meaning in (_NO_TENSOR, *first, *second, *_ALL) if re.search(words, error)), "")


def real_framework(function: Callable) -> str:
    """What to say about a function that uses the real PyTorch or MindSpore; an empty text where it does not."""
    for name, line in _IMPORTS.items():
        if any(used == name or used.startswith(f"{name}.") for used in _packages(function)):
            return _REAL.format(name=name, line=line)
    return ""


def _packages(function):
    """The modules that a function uses by a global name, or imports."""
    code, names = [getattr(function, "__code__", None)], getattr(function, "__globals__", {})
    while code:
        if not isinstance(one := code.pop(), CodeType):
            continue
        code += one.co_consts
        yield from (names[name].__name__ for name in one.co_names if isinstance(names.get(name), ModuleType))
        yield from (str(step.argval) for step in dis.get_instructions(one) if step.opname == "IMPORT_NAME")
