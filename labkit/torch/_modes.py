"""Grad modes: what is recorded in this thread right now. Context managers and decorators, nested at will."""

import functools
import inspect
import threading
from contextlib import contextmanager

from ..engine.guest import new_level
from ..layout import Placed

_state = threading.local()


def grad_enabled():
    return getattr(_state, "grad", True)


def is_grad_enabled():
    """Whether operations are recorded for differentiation in this thread."""
    return grad_enabled()


def is_inference_mode_enabled():
    """Whether `inference_mode` is on in this thread."""
    return getattr(_state, "inference", False)


def frozen_level():
    """Traces of `torch.func` opened before the current `no_grad` began (up to this level) are not recorded on."""
    return getattr(_state, "frozen", -1)


def birth():
    """What a new tensor remembers: `(whether in inference mode, the transform it is made in)`, None outside of both."""
    return getattr(_state, "birth", None)


def transform_level():
    """The level of the innermost transform of `torch.func` that runs in this thread; 0 outside of them."""
    return _transforms()[-1]


def _transforms():
    return getattr(_state, "transforms", (0,))


@contextmanager
def inside_transform(level):
    """The function of a transform of this level runs, and records whatever the mode outside."""
    saved = grad_enabled(), frozen_level(), _transforms(), _floor()
    _state.grad, _state.floor, _state.transforms = True, frozen_level(), (*_transforms(), level)
    _note_birth()
    try:
        yield
    finally:
        _state.grad, _state.frozen, _state.transforms, _state.floor = saved
        _note_birth()


@contextmanager
def outside_transform(level):
    """For what the function of the transform of this level does to its caller's tensors."""
    inner = _transforms()
    _state.transforms = tuple(k for k in inner if k < level) or (0,)
    try:
        yield
    finally:
        _state.transforms = inner


def _floor():
    """What `enable_grad` cannot thaw: the traces that were frozen when the innermost transform began."""
    return getattr(_state, "floor", -1)


def _note_birth():
    inference, level = is_inference_mode_enabled(), transform_level()
    _state.birth = (inference, level) if inference or level else None


def _set(grad, inference=None):
    _state.grad = grad and not (is_inference_mode_enabled() if inference is None else inference)
    if inference is not None:
        _state.inference = inference
        _note_birth()
    _state.frozen = _floor() if _state.grad else new_level()


class _Mode(metaclass=Placed):
    """A grad mode as a context manager and as a decorator of functions and generators."""

    def _enter(self):
        raise NotImplementedError

    def __enter__(self):
        saved = getattr(self, "_saved", None)
        self._saved = (grad_enabled(), is_inference_mode_enabled(), frozen_level(), saved)
        self._enter()
        return None

    def __exit__(self, *exc):
        _state.grad, _state.inference, _state.frozen, self._saved = self._saved
        _note_birth()

    def clone(self):
        return type(self)()

    def __call__(self, fun):
        if inspect.isgeneratorfunction(fun):
            return self._generator(fun)

        @functools.wraps(fun)
        def wrapped(*args, **kwargs):
            with self.clone():
                return fun(*args, **kwargs)

        return wrapped

    def _generator(self, fun):
        @functools.wraps(fun)
        def wrapped(*args, **kwargs):
            steps = fun(*args, **kwargs)
            while True:
                try:
                    with self.clone():
                        item = next(steps)
                except StopIteration as stop:
                    return stop.value
                yield item

        return wrapped


class _PlainMode(_Mode):
    def __new__(cls, fun=None):
        mode = super().__new__(cls)
        return mode if fun is None else mode(fun)


class no_grad(_PlainMode):
    """Nothing inside is recorded: results have `requires_grad=False`.

    A context manager (`with torch.no_grad():`) and a decorator, with or without parentheses.
    """

    def _enter(self):
        _set(False)


class enable_grad(_PlainMode):
    """Record again inside a `no_grad` block."""

    def _enter(self):
        _set(True)


class set_grad_enabled(_Mode):
    """Switch recording on or off, at once when called as a function, and until the end of the block under `with`."""

    def __init__(self, mode):
        self.mode = bool(mode)
        self._before = (grad_enabled(), is_inference_mode_enabled(), frozen_level(), None)
        _set(self.mode)

    def __enter__(self):
        self._saved = self._before
        _set(self.mode)

    def __call__(self, fun):
        _state.grad, _state.inference, _state.frozen, _ = self._before
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
        _set(not self.mode, self.mode)

    def clone(self):
        return type(self)(self.mode)


_anomaly = threading.local()


def anomaly_enabled():
    return getattr(_anomaly, "on", False)


def anomaly_checks_nan():
    return anomaly_enabled() and getattr(_anomaly, "check_nan", True)


class set_detect_anomaly(metaclass=Placed):
    """Make `backward` stop at the first op whose derivative gives nan (`check_nan`)."""

    def __init__(self, mode, check_nan=True):
        self._before = (anomaly_enabled(), getattr(_anomaly, "check_nan", True))
        _anomaly.on, _anomaly.check_nan = mode, check_nan

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        _anomaly.on, _anomaly.check_nan = self._before


class detect_anomaly(set_detect_anomaly):
    """`with detect_anomaly():` checks every derivative inside for nan."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        super().__init__(True, self.check_nan)
