"""`torch.utils.checkpoint`: keep a function's inputs, and run it again when the backward pass needs what it computed.

Without `use_reentrant`, hooks on all that is saved keep nothing but a place; the first that is asked for runs the function
again, up to the last value that is needed. With it, the function is one node whose derivative is a walk of its own.
"""

import warnings
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ...dialects.argument_types import as_tuple
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from .._error_texts import error, said
from .._tape import grad_mode
from .._tape.saved_values import maker_of, modified
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from ..autograd import Function, backward
from ..autograd.graph import saved_tensors_hooks
from ..random import fork_rng, get_rng_state, set_rng_state

__all__ = ["CheckpointError", "checkpoint"]


class CheckpointError(RuntimeError, metaclass=Placed):
    """A checkpointed function computed something else when it ran again."""


def noop_context_fn() -> tuple:
    """The contexts of the first run and of the second: none."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default", debug=False,
    early_stop=True, **kwargs,
) -> Any:  # fmt: skip
    """`function(*args, **kwargs)`, of which the tape keeps `args` alone: it runs again when the backward pass comes to it.

    `preserve_rng_state` (True): it draws the same random numbers again. `context_fn()`: two contexts, for the first run and
    the second. `use_reentrant=True` takes no keyword arguments, works with `backward()` alone, and needs an argument that
    requires a gradient. `debug` changes nothing here.

    Raises CheckpointError where the second run saves other tensors than the first (in number, and, unless
    `determinism_check="none"`, in shape and dtype), ValueError for options that do not go together.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> def squares(x):
    ...     print("run")
    ...     return (x**2).sum()
    >>> y = torch.utils.checkpoint.checkpoint(squares, x, use_reentrant=False)
    run
    >>> y.backward()
    run
    """
    if use_reentrant is None:
        warnings.warn(said("use_reentrant"), UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, second = context_fn()
    if not grad_mode.is_grad_enabled():
        return function(*args, **kwargs)
    run = _Again(lambda *again: function(*again, **kwargs), preserve, second)
    segment = _Segment(run, args, early_stop, determinism_check == "default")
    with saved_tensors_hooks(segment.pack, segment.unpack), first:
        output = function(*args, **kwargs)
    segment.complete = True
    return output


class _Again:
    """Runs a function as it was run first: with the random numbers and under the autocast of then."""

    def __init__(self, function, preserve, context):
        self.function, self.context, self.preserve = function, context, preserve
        self.state = get_rng_state() if preserve else None
        self.cast = is_autocast_enabled("cpu"), get_autocast_dtype("cpu")

    def __call__(self, *args):
        enabled, dtype = self.cast
        with (
            fork_rng(enabled=self.preserve),
            grad_mode.enable_grad(),
            autocast("cpu", dtype=dtype, enabled=enabled),
            self.context,
        ):
            if self.preserve:
                set_rng_state(self.state)
            return self.function(*args)


# ---- by hooks on what is saved ----


class _Place:
    """What the tape keeps for a value that will be computed again; `value` is there from then until it is used."""

    value: Any = None

    def __init__(self, segment):
        self.segment = segment  # alive as long as a place of it is


class _Enough(Exception):
    """The second run has computed all that is needed."""


class _Segment:
    """One call of a function that will run again, in each walk that comes to it."""

    complete, excused, walk = False, False, None

    def __init__(self, run, args, early_stop, compare):
        self.run, self.args, self.early_stop, self.compare = run, [_kept(a) for a in args], early_stop, compare
        self.places: list[Any] = []
        self.kinds: list[str] = []

    def pack(self, tensor):
        place = _Place(self)
        self.places.append(weakref.ref(place))
        self.kinds.append(_kind(tensor))
        return place

    def unpack(self, place):
        if self.walk is None or self.walk() is not grad_mode.state.walk or grad_mode.state.walk is None:
            self._run_again()
        if place.value is None:
            raise CheckpointError(said("unpacked_twice"))
        found, place.value = place.value, None
        return found

    def _run_again(self):
        self.count, self.differ = 0, list[str]()
        try:
            with saved_tensors_hooks(self._store, lambda tensor: tensor):
                self.run(*(arg() for arg in self.args))
        except _Enough:
            pass
        walk = grad_mode.state.walk
        self.walk = None if walk is None else weakref.ref(walk)
        if not self.excused and self.count != len(self.places):
            raise CheckpointError(said("saved_count", before=len(self.places), again=self.count))
        if self.differ and self.compare:
            raise CheckpointError(said("saved_kinds", differ="\n".join(self.differ)))

    def _store(self, tensor):
        tensor, number = tensor.detach(), self.count
        self.count += 1
        if number >= len(self.places):
            if self.complete:
                raise CheckpointError(said("saved_more"))
            self.excused = True
            return tensor
        place = self.places[number]()
        if place is not None:
            place.value = tensor
            if _kind(tensor) != self.kinds[number]:
                self.differ.append(
                    f"tensor at position {number}:\nsaved metadata: {self.kinds[number]}\nrecomputed metadata: "
                    f"{_kind(tensor)}"
                )
        if self.early_stop and self.count == len(self.places):
            raise _Enough
        return tensor


def _kind(tensor):
    return str({"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device})


def _kept(arg):
    """A function that gives an argument again: a tensor at the same place on the tape, and with the content of now."""
    if not isinstance(arg, Tensor):
        return lambda: arg
    edge, version, made, arg_now = arg._gradient_edge(), arg._version_counter.number, arg.detach(), weakref.ref(arg)

    def again():
        if made._version_counter.number != version:
            tensor = made if arg_now() is None else arg_now()
            raise RuntimeError(modified(tensor, maker_of(tensor), made._version_counter, version))
        return made.detach()._placed_at(edge)

    return again


# ---- by a walk inside the walk ----


class CheckpointFunction(Function):
    """The node of a function that is run again, with a backward pass of its own (`use_reentrant=True`)."""

    @staticmethod
    def forward(ctx, function, preserve, *args) -> Any:
        if not any(a.requires_grad for a in args if isinstance(a, Tensor)):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None", UserWarning, stacklevel=2
            )
        ctx.run = _Again(function, preserve, nullcontext())
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        return function(*args)

    @staticmethod
    def backward(ctx, *grads) -> tuple:
        if grad_mode.state.walk.needed is not None:
            raise error("reentrant_with_inputs")
        inputs = list(ctx.others)
        for i, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[i] = saved.detach().requires_grad_(saved.requires_grad)
        outputs = as_tuple(ctx.run(*inputs))
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward(*zip(*pairs, strict=True))
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in inputs))


__getattr__ = attributes(__name__)
