"""`torch.autograd.forward_ad`: tensors that carry a tangent along, for derivatives in one direction without a backward pass.

A dual tensor is a value of the engine's forward mode, at a level that is open from `dual_level` to its end; then tensors
made meanwhile are what they were without their tangents.
"""

import weakref
from typing import Any, NamedTuple

from ...dialects.unsupported import attributes
from ...engine import TAPE, Forward, inside, isbox, new_box, new_level
from .._error_texts import error
from .._tape import grad_mode
from .._tape.grad_mode import _Mode
from .._tensor.tensor import Tensor
from .._transforms.function_call import check_tangent

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns: `primal`, and `tangent`, which is None where there is none."""

    primal: Tensor
    tangent: Tensor | None


class _Level:
    """A level that is open, and the tensors that may have a tangent there."""

    def __init__(self):
        self.number = new_level()
        self.inside, self.held = inside(self.number), []
        self.inside.__enter__()

    def holding(self, tensor):
        """`tensor`, which is one of this level; where it is on the tape, it knows its place there."""
        if self.has(tensor):
            self.held.append(weakref.ref(tensor))
            below = tensor._data._value
            tensor._node_edge = below._node if isbox(below) and below._trace == TAPE else None
        return tensor

    def has(self, tensor):
        return isbox(tensor._data) and tensor._data._trace == self.number

    def taken_apart(self, tensor):
        """The primal and the tangent."""
        given = vars(tensor).get("_tangent")
        box = tensor._data
        return Tensor._wrap(box._value), Tensor._wrap(box._node.g) if given is None else given

    def close(self):
        self.inside.__exit__()
        for tensor in (ref() for ref in self.held):
            if tensor is not None and self.has(tensor):
                vars(tensor).pop("_tangent", None)
                below = tensor._data._value
                tensor._data = below._value if isbox(below) and below._trace == TAPE else below


def enter_dual_level() -> int:
    """Open a level, number 0. Raises RuntimeError while one is open."""
    if grad_mode.state.dual is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    grad_mode.state.dual = _Level()
    return 0


def exit_dual_level(*, level=None) -> None:
    """Close the level: the tensors made meanwhile lose their tangents."""
    open_now = grad_mode.state.dual
    if open_now is None:
        raise RuntimeError("Dual level must be a positive number.")
    grad_mode.state.dual = None
    open_now.close()


class dual_level(_Mode):
    """`with dual_level():` tensors made by `make_dual` carry their tangents through all that is done with them.

    A decorator, too. Tangents are differentiable by the tape; gradients that are taken inside, of dual tensors, are not
    offered: `torch.func.jvp` of `torch.func.grad` gives their tangents.

    >>> import labkit.torch as torch
    >>> from labkit.torch.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    ...     print(forward_ad.unpack_dual(x**2).tangent)
    tensor([2., 0.])
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exc):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None) -> Tensor:
    """`tensor` with a tangent: the same memory, and the same place on the tape.

    `tangent`: of the same shape. Raises RuntimeError for another shape, for a tensor that has a tangent, and where no level
    is open, ValueError for integers.
    """
    open_now = grad_mode.state.dual
    if open_now is None:
        raise error("no_dual_level")
    for name, t in (("primal", tensor), ("tangent", tangent)):
        if not t.is_floating_point():
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {t.dtype}")
    check_tangent(tensor, tangent)
    if open_now.has(tensor):
        raise error("dual_twice")
    if open_now.has(tangent):
        raise error("dual_tangent")
    made = Tensor._wrap(new_box(tensor._value, open_now.number, Forward.new_root(tangent._value)))
    made._tangent = tangent  # type: ignore[attr-defined]
    return made


def unpack_dual(tensor, *, level=None) -> UnpackedDualTensor:
    """`(primal, tangent)` of a tensor; its tangent is None where it has none, as outside a level.

    >>> import labkit.torch as torch
    >>> torch.autograd.forward_ad.unpack_dual(torch.ones(1)).tangent is None
    True
    """
    open_now: Any = grad_mode.state.dual
    if open_now is None or not open_now.has(tensor):
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*open_now.taken_apart(tensor))


__getattr__ = attributes(__name__)
