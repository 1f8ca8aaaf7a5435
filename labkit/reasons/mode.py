"""One run of a function of the installed PyTorch under a `TorchFunctionMode`, which sees each call before it is made."""

import os
import sys
from collections.abc import Callable
from typing import Any

from .answer import user_frame
from .real import RealReading, numbers
from .run import wants_one
from .sight import Sight

_BACKWARD = ("backward",)  # keeps the graph here, so that it can be walked again


class RealRun:
    """What `fun()`, or `fun(w)`, returned as `loss`, and the `sight` of the run. `reading` is that of its tape."""

    def __init__(self, fun: Callable, w: Any) -> None:
        torch: Any = sys.modules["torch"]
        self.torch, self.w = torch, w
        self.home = os.path.dirname(torch.__file__) + os.sep
        self.sight = Sight(w, lambda v: isinstance(v, torch.Tensor), lambda t: t.requires_grad, numbers)
        self.lines: dict[Any, Any] = {}
        self.changes: dict[int, Any] = {}  # where a tensor was written to last
        before = torch.from_numpy
        torch.from_numpy = self._from_numpy(before)  # the one way in that a mode does not see
        try:
            with self._mode():
                output = fun(w) if wants_one(fun) else fun()
        finally:
            torch.from_numpy = before
        self.outputs = list(output) if isinstance(output, (tuple, list)) else [output]
        self.loss = self.outputs[0] if self.outputs else None
        self.sight.refresh([self.loss])

    def reading(self) -> RealReading:
        """Of the tape behind the loss."""
        return RealReading(self.loss, self.w, self.lines.get)

    def _mode(self):
        look, torch = self._look, self.torch

        class Watching(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return look(func, args, kwargs or {})

        return Watching()

    def _from_numpy(self, function):
        def from_numpy(ndarray):
            made = function(ndarray)
            self.sight.saw("from_numpy", self._here(), [ndarray], [made])
            return made

        return from_numpy

    def _here(self):
        return user_frame(sys._getframe(1), (self.home, __file__))

    def _look(self, func, args, kwargs):
        name, recording = _name(func), self.torch.is_grad_enabled()
        if name in _BACKWARD and len(args) < 3:
            kwargs = {"retain_graph": True, **kwargs}
        given = _leaves([args, kwargs])
        result = func(*args, **kwargs)
        where = self._here()
        changed = kwargs.get("out")
        if changed is None and args and (name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))):
            changed = args[0]
        changed = args[0] if name.startswith("__i") and name not in ("__invert__", "__int__", "__index__") else changed
        results = _leaves([result])
        if isinstance(changed, self.torch.Tensor):
            self.changes[id(changed)] = where
        self.sight.saw(name, where, given, results, recording, changed if isinstance(changed, self.torch.Tensor) else None)
        for value in [*results, changed]:
            if isinstance(value, self.torch.Tensor) and value.grad_fn is not None:
                self.lines.setdefault(value.grad_fn, where)
        return result


def _name(func):
    """The name that the user's code knows it by: `data` for the getter of a property."""
    name = getattr(func, "__name__", "op")
    return getattr(func.__self__, "__name__", name) if name in ("__get__", "__set__") else name


def _leaves(tree):
    if isinstance(tree, (tuple, list)):
        return [leaf for branch in tree for leaf in _leaves(branch)] + ([tree] if isinstance(tree, list) else [])
    return [leaf for branch in tree.values() for leaf in _leaves(branch)] if isinstance(tree, dict) else [tree]
