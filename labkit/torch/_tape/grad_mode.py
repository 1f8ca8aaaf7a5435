"""Grad modes: whether this thread records. Context managers and decorators, which can be nested."""

import functools
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from ...dialects.class_paths import Placed
from ...dialects.provenance import place
from ...dialects.user_warnings import warn_user
from ...engine import PerThread, new_level
from .._error_texts import error


class _State(PerThread):
    """This thread's modes, which the functions below report; `floor` is what `enable_grad` cannot thaw: the traces that were
    frozen when the innermost transform began. Ops ask `state.frozen` itself: below 0, they are recorded."""

    grad, inference, frozen, floor = True, False, -1, -1
    birth: tuple[bool, int] | None = None
    transforms: tuple[int, ...] = (0,)
    anomaly, check_nan, walks = False, True, 0
    walk: Any = None  # the backward pass that runs
    saving: tuple[Callable, Callable] | None = (
        None  # what is done to a tensor when it is saved, and when it is used again
    )
    saving_before: tuple = ()  # the pairs of the blocks around
    drawing: Any = None  # how the entries of a batch share random numbers
    off: Any = None  # where recording was switched off
    dual: Any = None  # the level of `forward_ad` that is open
    refused: str | None = None  # why there may be no such thing right now


state = _State()


def grad_enabled():
    return state.grad


def is_grad_enabled():
    """Whether operations are recorded for differentiation in this thread."""
    return grad_enabled()


def is_inference_mode_enabled():
    """Whether `inference_mode` is on in this thread."""
    return state.inference


def frozen_level():
    """Traces of `torch.func` opened before the current `no_grad` began (up to this level) are not recorded on."""
    return state.frozen


def transform_level():
    """The level of the innermost transform of `torch.func` that runs in this thread; 0 outside them."""
    return state.transforms[-1]


def refuse_in_transform(call, name):
    """Raise RuntimeError where a function of `torch.func` runs: there the method `name` would change what it computes."""
    if transform_level() or state.drawing is not None:
        raise error("in_transform", call=call, op=name)


@contextmanager
def inside_transform(level):
    """The function of a transform of this level runs, and records whatever the mode outside."""
    saved = grad_enabled(), frozen_level(), state.transforms, state.floor
    state.grad, state.floor, state.transforms = True, frozen_level(), (*state.transforms, level)
    _note_birth()
    try:
        yield
    finally:
        state.grad, state.frozen, state.transforms, state.floor = saved
        _note_birth()


@contextmanager
def outside_transform(level):
    """For what the function of the transform of this level does to its caller's tensors."""
    inner = state.transforms
    state.transforms = tuple(k for k in inner if k < level) or (0,)
    try:
        yield
    finally:
        state.transforms = inner


def _note_birth():
    inference, level = is_inference_mode_enabled(), transform_level()
    state.birth = (inference, level) if inference or level else None


def switch(grad, inference=None):
    """Record from here on, or do not."""
    if state.grad and not (grad and not inference):
        state.off = place()
    state.grad = grad and not (is_inference_mode_enabled() if inference is None else inference)
    if inference is not None:
        state.inference = inference
        _note_birth()
    state.frozen = state.floor if state.grad else new_level()


class _Mode(metaclass=Placed):
    """A grad mode as a context manager and as a decorator of functions."""

    def _enter(self):
        raise NotImplementedError

    def __enter__(self):
        before = getattr(self, "_saved", ())
        self._saved: tuple = (grad_enabled(), is_inference_mode_enabled(), frozen_level(), before)
        self._enter()
        return None

    def __exit__(self, *exc):
        state.grad, state.inference, state.frozen, self._saved = self._saved
        _note_birth()

    def clone(self):
        return type(self)()

    def __call__(self, fun):
        @functools.wraps(fun)
        def wrapped(*args, **kwargs):
            with self.clone():
                return fun(*args, **kwargs)

        return wrapped


class _PlainMode(_Mode):
    def __new__(cls, fun=None):
        mode = super().__new__(cls)
        return mode if fun is None else mode(fun)


class no_grad(_PlainMode):
    """Nothing inside is recorded: results have `requires_grad=False`.

    A context manager (`with torch.no_grad():`) and a decorator, with or without parentheses.

    >>> import labkit.torch as torch
    >>> w = torch.tensor(2.0, requires_grad=True)
    >>> with torch.no_grad():
    ...     print((w * 3).requires_grad)
    False
    """

    def _enter(self):
        switch(False)


class enable_grad(_PlainMode):
    """Record again inside a `no_grad` block.

    A context manager and a decorator, as `no_grad`.

    >>> import labkit.torch as torch
    >>> w = torch.tensor(2.0, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     print((w * 3).requires_grad)
    True
    """

    def _enter(self):
        switch(True)


class set_grad_enabled(_Mode):
    """Switch recording on or off, at once when called as a function, and until the end of the block under `with`.

    `mode`: True or False.

    >>> import labkit.torch as torch
    >>> w = torch.tensor(2.0, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     print((w * 3).requires_grad)
    False
    >>> torch.is_grad_enabled()
    True
    """

    def __init__(self, mode):
        self.mode = bool(mode)
        self._before = (grad_enabled(), is_inference_mode_enabled(), frozen_level(), None)
        switch(self.mode)

    def __enter__(self):
        self._saved = self._before
        switch(self.mode)

    def __call__(self, fun):
        state.grad, state.inference, state.frozen, _ = self._before
        return super().__call__(fun)

    def clone(self):
        return type(self)(self.mode)

    def __repr__(self):
        return f"set_grad_enabled(mode={self.mode})"


class inference_mode(_Mode):
    """Like `no_grad`, and for good: tensors made inside can never take part in recorded computation."""

    def __new__(cls, mode=True):
        made = super().__new__(cls)
        if callable(mode):
            made.mode = True
            return made(mode)
        return made

    def __init__(self, mode=True):
        self.mode = mode

    def _enter(self):
        switch(not self.mode, self.mode)

    def clone(self):
        return type(self)(self.mode)


class set_detect_anomaly(metaclass=Placed):
    """Make `backward` stop at the first op whose derivative gives nan (`check_nan`)."""

    def __init__(self, mode, check_nan=True):
        self._before = (state.anomaly, state.check_nan)
        state.anomaly, state.check_nan = mode, check_nan

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        state.anomaly, state.check_nan = self._before


class detect_anomaly(set_detect_anomaly):
    """`with detect_anomaly():` checks every derivative inside for nan.

    The backward pass raises RuntimeError at the first nan and names the op; a warning has the line of the forward pass.
    `check_nan=False` checks nothing.

    >>> import warnings, labkit.torch as torch
    >>> y = torch.sqrt(torch.tensor(0.0, requires_grad=True)) * 0
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with torch.autograd.detect_anomaly():
    ...         try:
    ...             y.backward()
    ...         except RuntimeError as error:
    ...             print(error)
    Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        warn_user(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
        )
        super().__init__(True, self.check_nan)
