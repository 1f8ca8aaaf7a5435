"""What running somebody's code may change, and putting it back: buffers, modes, attributes, gradients, random numbers."""

import gc
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import numpy as np

from .kinds import installed, is_real_tensor, unseen
from .values import readable

_ACCELERATORS = ("cuda", "xpu", "mps")


@contextmanager
def unchanged(modules: Iterable[Any], tensors: Iterable[Any]) -> Iterator[None]:
    """While this is in force modules may run; afterwards, an error or not, all is bit for bit as it was.

    That is: of `modules` and of every other module in the program the buffers, the mode and the attributes; the numbers of
    `tensors` and of the parameters of `modules`, and the `.grad` of both; the random numbers of PyTorch, NumPy and Python.
    What is put back keeps its object, its memory and its version, so that no tape takes it for changed.
    """
    modules = list(modules)
    every = {id(m): m for m in (*modules, *_alive())}.values()
    watched = _distinct([*tensors, *(p for m in modules for p in m.parameters())])
    with unseen():
        back = [_random_numbers(), *map(_attributes, every)]
        back += map(_numbers, _distinct([*watched, *(b for m in every for b in _buffers(m))]))
        back += [_gradient(leaf) for leaf in watched if leaf.is_leaf]
    with ExitStack() as stack:
        for put_back in back:
            stack.callback(_unseen(put_back))
        yield


def _unseen(put_back):
    def quietly():
        with unseen():
            put_back()

    return quietly


def _alive():
    """All modules there are: a checkpoint runs again what it has kept in a closure."""
    kind = installed().nn.Module
    return [value for value in gc.get_objects() if issubclass(type(value), kind)]


def _distinct(tensors):
    return list({id(t): t for t in tensors}.values())


def _buffers(module):
    buffers = vars(module).get("_buffers")
    found = buffers.values() if isinstance(buffers, dict) else [b for _, b in module.named_buffers(recurse=False)]
    return [b for b in found if is_real_tensor(b)]


def _attributes(module) -> Callable[[], None]:
    """The mode and all other attributes of a module, and which tensors and modules are registered in it."""
    own = vars(module)
    tables = [own] + [own[name] for name in ("_parameters", "_buffers", "_modules") if isinstance(own.get(name), dict)]
    before = [(table, dict(table)) for table in tables]

    def put_back():
        for table, was in before:
            if table.keys() != was.keys() or any(table[name] is not value for name, value in was.items()):
                table.clear()
                table.update(was)

    return put_back


def _numbers(tensor) -> Callable[[], None]:
    """The numbers of a tensor, written back into its own memory, and its version."""
    torch = installed()
    if torch.nn.parameter.is_lazy(tensor) or not readable(tensor) or tensor.is_inference():
        return lambda: None
    data, numbers, version = tensor.data, tensor.detach().clone(), tensor._version

    def put_back():
        if tensor.data_ptr() != data.data_ptr() or tensor.shape != data.shape:
            tensor.data = data
        if not torch.equal(data, numbers):
            data.copy_(numbers)  # which `tensor` shares, but for the version
        if tensor._version != version:
            _set_version(torch._C._autograd._unsafe_set_version_counter, tensor, version)

    return put_back


def _set_version(put, tensor, version):
    try:
        put((tensor,), (version,))
    except TypeError:  # before PyTorch 2.6
        put(tensor, version)


def _gradient(leaf) -> Callable[[], None]:
    """`.grad` of a leaf: which tensor it is, and its numbers."""
    grad = leaf.grad
    numbers = _numbers(grad) if grad is not None else lambda: None

    def put_back():
        numbers()
        if leaf.grad is not grad:
            leaf.grad = grad

    return put_back


def _random_numbers() -> Callable[[], None]:
    torch = installed()
    python, with_numpy, with_torch = random.getstate(), np.random.get_state(), torch.get_rng_state()
    others = []
    for device in (getattr(torch, name, None) for name in _ACCELERATORS):
        with suppress(AttributeError, RuntimeError):  # not built in
            if device is not None and device.is_available() and getattr(device, "is_initialized", lambda: True)():
                several = hasattr(device, "get_rng_state_all")
                state = device.get_rng_state_all() if several else device.get_rng_state()
                others.append((device.set_rng_state_all if several else device.set_rng_state, state))

    def put_back():
        random.setstate(python)
        np.random.set_state(with_numpy)
        torch.set_rng_state(with_torch)
        for put, state in others:
            put(state)

    return put_back
