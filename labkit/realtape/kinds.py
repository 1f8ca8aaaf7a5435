"""Whether an object is one of the installed PyTorch. Nothing here imports PyTorch: its objects exist only if the user has."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from typing import Any


def installed() -> Any:
    """The installed PyTorch, if the program has imported it, else None; `labkit.torch` under its name is not it.

    >>> installed() is None or installed().__name__
    True
    """
    torch = sys.modules.get("torch")
    return torch if isinstance(getattr(torch, "Tensor", None), type) and hasattr(torch, "_C") else None


def is_real_tensor(value: Any) -> bool:
    """Whether `value` is a tensor of the installed PyTorch."""
    torch = installed()
    return torch is not None and issubclass(type(value), torch.Tensor)


def is_real_module(value: Any) -> bool:
    """Whether `value` is a module of the installed PyTorch."""
    torch = installed()
    return torch is not None and hasattr(torch, "nn") and issubclass(type(value), torch.nn.Module)


def is_leaf(node: Any) -> bool:
    """Whether a node is where the gradient of a leaf is accumulated."""
    return node.name().endswith("AccumulateGrad")


def tensors_in(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The tensors in a tensor, a tuple, list, mapping or dataclass, each with its place: "", "[0]", "['loss']" or ".logits"."""
    if is_real_tensor(value):
        yield name, value
    elif isinstance(value, Mapping):
        for key in value:
            yield from tensors_in(value[key], f"{name}[{key!r}]")
    elif isinstance(value, tuple | list):
        for i, inside in enumerate(value):
            yield from tensors_in(inside, f"{name}[{i}]")
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from tensors_in(getattr(value, field.name, None), f"{name}.{field.name}")


@contextmanager
def unseen() -> Iterator[None]:
    """What runs in here is not recorded on a tape, and is seen by no mode and no subclass of the user's."""
    torch = installed()
    dispatch = getattr(getattr(torch.utils, "_python_dispatch", None), "_disable_current_modes", None)
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode(False))  # its tensors have no version
        stack.enter_context(torch.no_grad())
        stack.enter_context(getattr(torch._C, "DisableTorchFunction", torch._C.DisableTorchFunctionSubclass)())
        if dispatch is not None:
            stack.enter_context(dispatch())
        yield
