"""What running the user's code may change, and how it is restored: buffers, modes, attributes, gradients, random numbers,
and the state of an optimizer."""

import gc
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from .holding import INNER, LONG, containers
from .kinds import installed, is_real_tensor, unseen
from .values import readable

_ACCELERATORS = ("cuda", "xpu", "mps")
_GENERATORS = (
    ("Generator", "get_state", "set_state"),
    ("Random", "getstate", "setstate"),
    ("RandomState", "get_state", "set_state"),
)


@contextmanager
def unchanged(
    modules: Iterable[Any], tensors: Iterable[Any], results: Iterable[Any] = (), held: Iterable[Any] = ()
) -> Iterator[None]:
    """While this is in force modules may run; afterwards, an error or not, all is bit for bit as it was.

    That is: of `modules` and of every other module in the program the buffers, the mode, the attributes and what is in the lists,
    dicts and objects among these; the numbers of `tensors` and of the parameters of `modules`, and the `.grad` of both and of
    `results`; the containers `held`; an optimizer that makes a step, with its parameters; the random numbers of PyTorch, NumPy
    and Python, and generators among the attributes. What is put back keeps its object, its memory and its version, so that no
    tape takes it for changed.
    """
    modules = list(modules)
    every = list({id(m): m for m in (*modules, *alive(installed().nn.Module))}.values())
    modes = [mode for mode in alive(_mode()) if not type(mode).__module__.startswith(INNER)]
    parameters = [p for m in every for p in _own(m, "parameters")]
    watched = _distinct([*tensors, *(p for m in modules for p in m.parameters())])
    with ExitStack() as stack:
        with unseen():
            back = [_random_numbers(), *_held([*map(vars, every), *map(vars, modes), *held])]
            back += map(_numbers, _distinct([*watched, *(b for m in every for b in _own(m, "buffers"))]))
            back += map(_gradient, _distinct([*watched, *parameters, *results]))
        for put_back in back:
            stack.callback(_unseen(put_back))
        _watch_optimizers(stack)
        yield


def retaining(nodes: Iterable[Any]) -> list[Any]:
    """The tensors that these nodes made and that keep their `.grad`, if they are still referenced."""
    known = set(nodes)
    with unseen():
        return [t for t in alive(installed().Tensor) if t.retains_grad and t.grad_fn in known]


def _watch_optimizers(stack: ExitStack) -> None:
    """Until `stack` is closed: whatever optimizer makes a step is put back as it was before its first one."""
    known = set()

    def before_a_step(optimizer, *_):
        if id(optimizer) not in known:
            known.add(id(optimizer))
            parameters = [p for group in optimizer.param_groups for p in group["params"]]
            with unseen():
                back = [*_held([vars(optimizer)]), *map(_numbers, parameters)]
            for put_back in back:
                stack.callback(_unseen(put_back))

    module = sys.modules.get("torch.optim.optimizer")
    watch = getattr(module, "register_optimizer_step_pre_hook", None)  # not in the first 2.0
    if watch is not None:
        stack.callback(watch(before_a_step).remove)


def _unseen(put_back):
    def quietly():
        with unseen():
            put_back()

    return quietly


def alive(kind: type) -> list[Any]:
    """All objects of a kind that there are: a checkpoint runs again what it has kept in a closure."""
    return [value for value in gc.get_objects() if issubclass(type(value), kind)]


def _mode() -> type:
    """What counts the calls of a selective checkpoint is one of these."""
    return installed().utils._python_dispatch.TorchDispatchMode


def _distinct(tensors):
    return list({id(t): t for t in tensors}.values())


def _own(module, kind):
    """Its own "parameters" or "buffers", without those of modules in it."""
    table = vars(module).get(f"_{kind}")
    found = table.values() if isinstance(table, dict) else getattr(module, kind)(recurse=False)
    return [tensor for tensor in found if is_real_tensor(tensor)]


def _held(roots: Iterable[Any]) -> Iterator[Callable[[], None]]:
    """For what is in `roots` and in containers in them: which objects these are, the numbers of tensors without a history, and
    the state of generators."""
    seen: dict[int, Any] = {}
    for table in list(containers(roots)):
        was = table.copy()
        yield partial(refill, table, was)
        for value in was.values() if isinstance(was, dict) else was if len(was) <= LONG else ():
            if id(value) not in seen and (put_back := _kept_by(value)) is not None:
                seen[id(value)] = value
                yield put_back


def _kept_by(value: Any) -> Callable[[], None] | None:
    if is_real_tensor(value):
        table = not (value.is_leaf and value.requires_grad) and value.grad_fn is None
        return _numbers(value) if table else None
    if isinstance(value, np.random.Generator):
        bits = value.bit_generator
        return partial(setattr, bits, "state", bits.state)
    for kind, get, put in _GENERATORS:
        if type(value).__name__ == kind and hasattr(value, put):
            return partial(getattr(value, put), getattr(value, get)())
    return None


def refill(table: Any, was: Any) -> None:
    """Put back what was in a container, where it is not the same any more."""
    if isinstance(table, dict):
        if table.keys() != was.keys() or any(table[name] is not value for name, value in was.items()):
            table.clear()
            table.update(was)
    elif len(table) != len(was) or any(a is not b for a, b in zip(table, was, strict=True)):
        table.clear()
        (table.update if isinstance(table, set) else table.extend)(was)


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
    """`.grad` of a tensor: which tensor it is, and its numbers."""
    if not (leaf.is_leaf or leaf.retains_grad):
        return lambda: None
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
