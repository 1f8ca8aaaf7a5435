"""One run of a function of the installed PyTorch under a `TorchFunctionMode`, which sees each call before it is made."""

import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from .answer import user_frame
from .real import RealReading, numbers
from .run import wants_one
from .sight import Sight


class RealRun:
    """What `fun()`, or `fun(w)`, returned as `loss`, and the `sight` of the run. `reading` is that of its tape."""

    def __init__(self, fun: Callable, w: Any) -> None:
        torch: Any = sys.modules["torch"]
        self.torch, self.w = torch, w
        self.home = os.path.dirname(torch.__file__) + os.sep
        self.sight = Sight(w, lambda v: isinstance(v, torch.Tensor), lambda t: t is w or t.grad_fn is not None, numbers)
        self.lines: dict[Any, Any] = {}
        self.changes: dict[int, Any] = {}  # where a tensor was written to last
        self.writes: dict[int, Any] = {}  # the same, by its memory
        self.versions: dict[int, tuple[Any, int]] = {}  # of the tensors that were used, at their first use
        self.gradients: dict[Any, Any] = {}  # what stood in `.grad` before a backward() inside
        self.hooks: list = []
        self.kept: list = []
        with self._ways_in(), self._mode():
            output = fun(w) if wants_one(fun) else fun()
        self.outputs = list(output) if isinstance(output, (tuple, list)) else [output]
        self.loss = self.outputs[0] if self.outputs else None
        self.sight.refresh([self.loss])

    def reading(self) -> RealReading:
        """Of the tape behind the loss."""
        return RealReading(self.loss, self.w, self.lines.get, self.overwritten)

    def overwritten(self) -> Any:
        """Where a tensor was written to that had been used before, the last such place; or None."""
        found = [t for t, number in self.versions.values() if t._version != number]
        places = [self.writes.get(t.untyped_storage().data_ptr()) for t in found]
        return next((place for place in reversed(places) if place is not None), None)

    def put_back(self) -> None:
        """`.grad` is again what it was before a backward() in the function."""
        for leaf, gradient in self.gradients.items():
            leaf.grad = gradient

    def _keep_gradients(self, loss):
        for node in RealReading(loss, self.w).order if loss.grad_fn is not None else ():
            leaf = getattr(node, "variable", None)
            if leaf is not None and leaf not in self.gradients:
                self.gradients[leaf] = None if leaf.grad is None else leaf.grad.detach().clone()

    def _remember(self, values):
        for value in values:
            if isinstance(value, self.torch.Tensor) and value.requires_grad and id(value) not in self.versions:
                self.versions[id(value)] = value, value._version

    def _mode(self):
        look, torch = self._look, self.torch

        class Watching(torch.overrides.TorchFunctionMode):  # type: ignore[name-defined] # of the installed one
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return look(func, args, kwargs or {})

        return Watching()

    @contextmanager
    def _ways_in(self):
        """While open, the two ways to make a tensor that a mode does not see are seen, too: of an array, and a Parameter."""
        torch = self.torch
        of_array, subclass = torch.from_numpy, torch.Tensor._make_subclass

        def from_numpy(ndarray):
            made = of_array(ndarray)
            self.sight.saw("from_numpy", self._here(), [ndarray], [made])
            return made

        def make_subclass(kind, data, *options, **more):
            made = subclass(kind, data, *options, **more)
            self.sight.saw(kind.__name__, self._here(), [data], [made], torch.is_grad_enabled())
            return made

        torch.from_numpy, torch.Tensor._make_subclass = from_numpy, staticmethod(make_subclass)
        try:
            yield
        finally:
            torch.from_numpy = of_array
            del torch.Tensor._make_subclass

    def _here(self):
        return user_frame(sys._getframe(1), (self.home, __file__))

    def _look(self, func, args, kwargs):
        name, recording = _name(func), self.torch.is_grad_enabled()
        if name == "backward" and args:
            kwargs = kwargs if len(args) > 2 else {**kwargs, "retain_graph": True}  # to be walked again
            self._keep_gradients(args[0])
        if name == "register_hook" and self.sight.note_of(args[0]) is not None:
            self.hooks.append(args[1])
        given = _leaves([args, kwargs])
        result = func(*args, **kwargs)
        where = self._here()
        self._remember(given)
        changed = kwargs.get("out")
        if changed is None and args and (name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))):
            changed = args[0]
        changed = args[0] if name.startswith("__i") and name not in ("__invert__", "__int__", "__index__") else changed
        results = _leaves([result])
        self._remember(results)
        for value in _leaves([changed]):
            if isinstance(value, self.torch.Tensor):
                self.changes[id(value)] = self.writes[value.untyped_storage().data_ptr()] = where
                self.kept.append(value)
        self.sight.saw(
            name, where, given, results, recording, changed if isinstance(changed, self.torch.Tensor) else None
        )
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
