"""What errors mean that many exercises share: the words of one dialect in the other, a call that was not understood."""

import dis
import re
from collections.abc import Callable
from types import CodeType, ModuleType

_NO_TENSOR = (
    r"'(numpy\.\w+|float|int|bool|list|tuple|str)' object has no attribute "
    r"'(backward|detach|grad|clone|numpy|asnumpy|cpu|requires_grad_?|grad_fn)'",
    "This is a word of tensors, and the value is none: a number, an array, or several in a tuple.",
)
_MINDSPORE = (
    (r"'grad_position' must be int or tuple", "Several positions are given as a tuple: (0, 1), with round brackets."),
    (r"'Tensor' object has no attribute 'grad'", "A MindSpore tensor has no .grad: what ms.grad returns is the gradient."),
    (r"no attribute '(backward|requires_grad|retain_grad)'", "This is PyTorch's word. In MindSpore a function is "
     "differentiated: ms.grad(function)(inputs)."),
    (r"no attribute '(detach|no_grad)'", "This is PyTorch's word. MindSpore's is ops.stop_gradient."),
    (r"no attribute '(clone|item|numpy|cpu)'", "This is PyTorch's word: MindSpore's tensors have another one, such as "
     ".copy() or .asnumpy()."),
    (r"requires more than one outputs", "has_aux=True is for a function that returns several outputs: the first one is "
     "differentiated, the others come along. This one returns one output."),
    (r"gradient_shape must be equal to variable_shape", "The optimizer got the gradient of something else than its "
     "parameters: ask for the gradients of the weights."),
    (r"takes .* positional argument|missing \d+ required positional", "A function was called with too few or too many "
     "arguments. What ms.grad returns takes all that the function takes, and with sens_param=True one more, the seed."),
)  # fmt: skip
_TORCH = (
    (r"does not require grad", "What is to be differentiated has no record: it was detached, made under no_grad, or, for "
     "a second derivative, the first one was taken without create_graph=True."),
    (r"not have been used in the graph", "The result does not depend on what you differentiate for, as far as the record "
     "goes. For a second derivative, the first one needs create_graph=True."),
    (r"backward through the graph a second time", "The record is gone after one backward. It is kept with "
     "retain_graph=True, or run the forward pass again."),
    (r"(grad can be implicitly created only for scalar|return a scalar Tensor)", "Only one number can be differentiated "
     "like that. Sum the elements, or give a seed of the output's shape."),
    (r"no attribute '(asnumpy|stop_gradient|value_and_grad)'", "This is MindSpore's word, and these are PyTorch tensors."),
    (r"leaf Variable that requires grad .* in-place", "A leaf that requires grad may not be changed in place while it is "
     "recorded: use torch.no_grad()."),
    (r"can't convert .* requires grad|Can't call numpy\(\)", "Detach it first: .detach().numpy()."),
)  # fmt: skip
_IMPORTS = {"torch": "from labkit import torch", "mindspore": "from labkit import mindspore as ms"}
_REAL = (
    "Your code uses the installed package {name}. The exercises use labkit's dialect: write `{line}` in place of "
    "`import {name}`."
)
_ALL = (
    (r"No module named 'torch", "The exercises use labkit's dialect: write `from labkit import torch`."),
    (r"No module named 'mindspore", "The exercises use labkit's dialect: write `from labkit import mindspore as ms`."),
    (r"not enough values to unpack|too many values to unpack", "What came back is grouped in another way than you take it "
     "apart. Look at its structure first: which tuples are inside of which?"),
    (r"expected a tangent of shape", "A tangent has the shape of the input that it moves: one push for each input."),
    (r"can't multiply sequence|can only concatenate|unsupported operand .*'(tuple|list)'|bad operand .*'(tuple|list)'",
     "One of the two is a tuple or a list, and not a number or a tensor. Is something still to be taken out of it?"),
    (r"'(function|builtin_function_or_method|method)' object|unsupported operand .*'function'", "A function is used as if "
     "it were a value: it still has to be called."),
    (r"'NoneType' object|unsupported operand .*'NoneType'", "Something is None that should be a value: a function without "
     "return, or a gradient that nothing has filled."),
    (r"missing \d+ required positional argument", "A function was called with too few arguments."),
    (r"takes \d+ positional arguments? but", "A function was called with too many arguments."),
    (r"object is not callable", "Something is called that is no function: look for a pair of brackets too many."),
    (r"is not defined", "A name is used that has no value yet."),
    (r"shapes? .*not aligned|mismatch in its core dimension|could not be broadcast", "Two shapes do not fit together: is "
     "one of them to be transposed, or are the factors in the wrong order?"),
    (r"out of (range|bounds)", "A place is asked for that is not there: counting begins at 0, and ends one before the "
     "length."),
    (r"division by zero", "Something was divided by 0: is there a case that has to be told apart?"),
    (r"module '[\w.]+' has no attribute", "This module has no such name. Is it spelled right, and is it the right module?"),
    (r"has no attribute", "This kind of value does not have that word. Is it a tensor, an array, or a tuple of them?"),
    (r"does not support item assignment", "A tuple cannot be changed: make a list, or a new tuple."),
    (r"truth value of an array", "A condition has as many answers as elements: use where, or all and any."),
    (r"maximum recursion depth", "It calls itself without an end: which case is to stop it?"),
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
