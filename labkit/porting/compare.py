"""`compare`: checks a port."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dialects.argument_types import as_tuple
from ..engine import map_leaves
from .comparing import Comparing
from .mindspore_side import MindSporeSide
from .result import Comparison
from .torch_side import TorchSide
from .trees import Numbers

_ARRAY = "an array of {dtype}"


def compare(
    torch_model: Any,
    ms_model: Any,
    inputs: Any,
    *,
    loss: tuple[Callable, Callable] | None = None,
    train: bool | None = None,
    match: dict[str, str] | None = None,
) -> Comparison:
    """Is the port right? Both models run with the same weights and inputs, compared layer by layer, forward and backward.

    `torch_model`: a Module of PyTorch or of `labkit.torch`; `ms_model`: a Cell of MindSpore or of `labkit.mindspore`. The first
    one's weights are carried over to the second for as long as it takes; afterwards both models are as they were.
    `inputs`: an array, number or tensor, a tuple of the arguments, or a dictionary of arguments by name; a floating NumPy
    array takes the dtype of the parameters. `loss`: for each model a function of its output that returns one number; without
    it, the sum of all outputs is differentiated, each number weighted by a fixed one between 0.5 and 1.5 (after a softmax the
    plain sum has no gradient). `train`: only in training mode (True), only in evaluation mode (False), or in both.
    `match`: `{path in the first: path in the second}` of modules with parameters, where it is not clear which belong together.

    Modules are matched by their names, the order of their calls and registration, and the shapes of their parameters;
    UnclearMatch (a ValueError), with both trees side by side, is raised where these do not decide. Numbers differ if
    they are further apart than rounding explains (`labkit.porting.rounding` has the rule). Raises TypeError for other
    models or inputs, RuntimeError where a model raises and nothing differs before.

    >>> import labkit.mindspore as ms
    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> original = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    >>> port = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.Tanh(), ms.nn.Dense(4, 2))
    >>> found = compare(original, port, np.arange(6.0).reshape(2, 3))
    >>> found.ok, found.first.torch, found.first.part
    (False, '1', 'output')
    >>> print(found.first.reason)
    PyTorch's is relu of the layer's input, MindSpore's tanh of the layer's input
    """
    sides = _side(torch_model, TorchSide, "Module"), _side(ms_model, MindSporeSide, "Cell")
    if loss is not None and not (isinstance(loss, (tuple, list)) and len(loss) == 2 and all(map(callable, loss))):
        raise TypeError(_NO_LOSSES.format(kind=_kind(loss)))
    with sides[0].visited(), sides[1].visited():
        return Comparing(sides, _inputs(inputs, sides), loss or (None, None), dict(match or {})).result(train)


def _kind(value):
    return type(value).__name__


_NO_LOSSES = "compare: expected loss=(torch_fn, ms_fn), two functions of an output, but got {kind}"
_NO_MODEL = "compare(torch_model, ms_model, inputs): expected a {word} of {framework}, but got {kind} of {module}"
_NO_INPUT = (
    "compare: expected numbers, arrays or tensors, in a tuple or by name in a dictionary, as inputs, but got {kind}"
)
_HOMES = {TorchSide: ("torch", "labkit.torch"), MindSporeSide: ("mindspore", "labkit.mindspore")}


def _side(model, kind, word):
    """The model as its side; its framework is loaded if the model is one of it."""
    for name in _HOMES[kind]:
        room = sys.modules.get(name)
        base = getattr(getattr(room, "nn", None), word, None)
        if isinstance(base, type) and isinstance(model, base):
            return kind(model, room)
    came = {"kind": _kind(model), "module": type(model).__module__}
    raise TypeError(_NO_MODEL.format(word=word, framework=kind.framework, **came))


def _inputs(inputs, sides):
    """`(args, kwargs)`, with `Numbers` in place of arrays and tensors."""
    dtypes = [
        np.asarray(side.array(h.tensor)).dtype
        for side in sides
        for p in side.parts.values()
        for h in p.held
        if h.trained
    ]
    wanted = next((d for d in dtypes if d.kind == "f"), np.dtype("float32"))

    def numbers(value):
        if isinstance(value, (bool, int)) or value is None:
            return value
        for side in sides:
            if isinstance(value, side.tensor_type):
                return Numbers(side.array(value))
        array = np.asarray(value) if isinstance(value, (np.ndarray, np.generic, float)) else None
        if array is None or array.dtype.kind not in "fiub":
            raise TypeError(_NO_INPUT.format(kind=_kind(value) if array is None else _ARRAY.format(dtype=array.dtype)))
        return Numbers(array.astype(wanted) if array.dtype.kind == "f" else array)

    if isinstance(inputs, dict):
        return (), {name: map_leaves(numbers, value) for name, value in inputs.items()}
    return tuple(map_leaves(numbers, value) for value in as_tuple(inputs)), {}
