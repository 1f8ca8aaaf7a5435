"""`torch.autograd.graph`: the nodes of the tape, and hooks on what they save."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from .._tape import grad_mode
from .._tape.node import Node
from .._tape.saved_values import refused

__all__ = ["Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "save_on_cpu",
    "saved_tensors_hooks"]  # fmt: skip


class saved_tensors_hooks(metaclass=Placed):
    """`with saved_tensors_hooks(pack, unpack):` what the nodes made inside save is `pack(tensor)`.

    When the backward pass comes to a node, `unpack` of that has to be the tensor again. The innermost pair is used, under
    `no_grad`. Raises RuntimeError where hooks are disabled, later where `pack` has changed its tensor in place; TypeError
    where `unpack` returns something else than a tensor.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda numbers: torch.tensor(numbers)):
    ...     y = x**2
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        state = grad_mode.state
        if state.refused is not None:
            raise RuntimeError(state.refused)
        state.saving_before = (*state.saving_before, state.saving)
        state.saving = self.pack_hook, self.unpack_hook

    def __exit__(self, *exc) -> None:
        *before, grad_mode.state.saving = grad_mode.state.saving_before or (None,)
        grad_mode.state.saving_before = tuple(before)


class save_on_cpu(saved_tensors_hooks):
    """`with save_on_cpu():` what is saved is kept on the CPU, where all is here anyway."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0]))


def disable_saved_tensors_hooks(error_message: str) -> AbstractContextManager[None]:
    """While open, `saved_tensors_hooks` raises RuntimeError with this message.

    >>> from labkit.torch.autograd import graph
    >>> with graph.disable_saved_tensors_hooks("not here"):
    ...     try:
    ...         graph.save_on_cpu().__enter__()
    ...     except RuntimeError as error:
    ...         print(error)
    not here
    """
    return refused(error_message)


def allow_mutation_on_saved_tensors() -> saved_tensors_hooks:
    """While open, tensors that are saved may be changed in place afterwards: nodes keep copies.

    >>> import labkit.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y**2).sum()
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor([2., 2.])
    """
    return saved_tensors_hooks(lambda tensor: tensor.detach().clone(), lambda copy: copy)


__getattr__ = attributes(__name__)
