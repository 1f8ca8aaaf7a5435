"""One run of a function of the installed PyTorch under a `TorchFunctionMode`, which sees each call before it is made."""

import os
import sys
from collections.abc import Callable
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from ..realtape import array_of, nodes_of
from .answer import user_frame
from .flow import marks
from .reading import Unreadable
from .real import RealReading
from .run import wants_one
from .sight import Sight


class RealRun:
    """What `fun()`, or `fun(w)`, returned as `loss`, and the `sight` of the run. `reading` is that of its tape."""

    def __init__(self, fun: Callable, w: Any) -> None:
        torch: Any = sys.modules["torch"]
        self.torch, self.w = torch, w
        self.home = os.path.dirname(torch.__file__) + os.sep
        self.sight = Sight(
            w, lambda v: isinstance(v, torch.Tensor), lambda t: t is w or t.grad_fn is not None, array_of, _memory
        )
        self.lines: dict[Any, Any] = {}
        self.marks: dict[Any, tuple] = {}  # of the result of a node, and of what went into the call
        self.changes: dict[int, Any] = {}  # where a tensor was written to last
        self.writes: dict[int, Any] = {}  # the same, by its memory
        self.versions: dict[int, tuple[Any, int]] = {}  # of the tensors that were used, at their first use
        self.forgotten: Any = None  # where `.grad` of `w` was set to None, after a backward() inside
        self.gradients: dict[Any, Any] = {}  # what stood in `.grad` before a backward() inside
        self.walks: dict[int, Any] = {}  # the graph of a loss, at a backward() inside
        self.freed: set = set()  # the nodes of the graphs that were walked without retain_graph
        self.hooks: list = []
        self.kept: list = []
        self._keep(w)
        with self._ways_in(), self._as_written(), self._mode():
            output = fun(w) if wants_one(fun) else fun()
        self.outputs = list(output) if isinstance(output, (tuple, list)) else [output]
        self.loss = self.outputs[0] if self.outputs else None
        self.sight.refresh([self.loss])

    def reading(self) -> RealReading:
        """Of the tape behind the loss."""
        found = RealReading(self.loss, self.w, self.lines.get, self.overwritten, self.marks.get)
        found.walked = self.walks.get(id(self.loss))
        found.let_go = set() if found.walked is not None else self.freed
        found.written_at = lambda tensor: self.writes.get(tensor.untyped_storage().data_ptr())
        return found

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
            if hasattr(node, "variable"):
                self._keep(node.variable)

    def _keep(self, leaf):
        if leaf.is_leaf and leaf not in self.gradients:
            self.gradients[leaf] = None if leaf.grad is None else leaf.grad.detach().clone()

    def _walk_now(self, loss):
        """The graph as it is at backward(): an optimizer may write to the weights afterwards."""
        reading = RealReading(loss, self.w, self.lines.get, watched=self.marks.get)
        with suppress(Unreadable):
            self.walks[id(loss)] = reading.flow() if reading.reached else None

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

    def _as_written(self):
        """While open, what was compiled runs as it was written: else nothing is seen of it."""
        stance = getattr(getattr(self.torch, "compiler", None), "set_stance", None)
        return nullcontext() if stance is None else stance("force_eager")

    @contextmanager
    def _ways_in(self):
        """While open, the two ways to make a tensor that a mode does not see are seen, too: of an array, and a Parameter."""
        torch = self.torch
        of_array, parameter = torch.from_numpy, vars(torch.nn.Parameter)["__new__"]

        def from_numpy(ndarray):
            made = of_array(ndarray)
            self.sight.saw("from_numpy", self._here(), [ndarray], [made])
            return made

        def __new__(cls, data=None, requires_grad=True):
            made = parameter.__func__(cls, data, requires_grad)
            self.sight.saw(cls.__name__, self._here(), [data], [made], torch.is_grad_enabled())
            return made

        torch.from_numpy, torch.nn.Parameter.__new__ = from_numpy, staticmethod(__new__)
        try:
            yield
        finally:
            torch.from_numpy, torch.nn.Parameter.__new__ = of_array, parameter

    def _here(self):
        return user_frame(sys._getframe(1), (self.home, __file__))

    def _look(self, func, args, kwargs):
        name, recording = _name(func), self.torch.is_grad_enabled()
        if name == "_set_grad_enabled" and recording and not args[0]:
            self.sight.off = self._here()
        if name == "backward" and args:
            if not (kwargs.get("retain_graph") or kwargs.get("create_graph") or (len(args) > 2 and args[2])):
                self.freed.update(nodes_of([args[0]]) if args[0].grad_fn is not None else ())
            kwargs = kwargs if len(args) > 2 else {**kwargs, "retain_graph": True}  # to be walked again
            self._keep_gradients(args[0])
            self._walk_now(args[0])
        if name == "grad" and func.__name__ == "__set__":
            self._keep(args[0])
            if args[0] is self.w and args[1] is None and self.walks:
                self.forgotten = self._here()
        if name == "register_hook" and self.sight.note_of(args[0]) is not None:
            self.hooks.append(args[1])
        before = self._marks([args, kwargs])
        result = func(*args, **kwargs)
        changed = args[0] if name == "data" and func.__name__ == "__set__" else _changed(name, args, kwargs)
        with suppress(Exception):  # a tensor of a transform, which has no memory: the run goes on as if nobody watched
            self._saw(name, recording, _leaves([args, kwargs]), _leaves([result]), changed)
            self._mark(_leaves([result, changed]), before)
        return result

    def _marks(self, tree):
        """The marks of the tensors and numbers of a call; None where they cannot be read."""
        values = [v for v in _leaves(tree) if isinstance(v, (self.torch.Tensor, float))]
        with suppress(Exception):  # a tensor of a transform or of another layout
            return marks(array_of(v) if isinstance(v, self.torch.Tensor) else v for v in values)
        return None

    def _mark(self, results, before):
        for value in results:
            if isinstance(value, self.torch.Tensor) and value.grad_fn is not None and value.grad_fn not in self.marks:
                found = self._marks([value])
                if found is not None:
                    self.marks[value.grad_fn] = found, before

    def _saw(self, name, recording, given, results, changed):
        where, tensors = self._here(), [v for v in _leaves([changed]) if isinstance(v, self.torch.Tensor)]
        self._remember([*given, *results])
        for value in tensors:
            self.changes[id(value)] = self.writes[value.untyped_storage().data_ptr()] = where
            self.kept.append(value)
        self.sight.saw(name, where, given, results, recording, next(iter(tensors), None))
        for value in [*results, *tensors]:
            if isinstance(value, self.torch.Tensor) and value.grad_fn is not None:
                self.lines.setdefault(value.grad_fn, where)
                if (
                    value._is_view() and value._base.grad_fn is not None
                ):  # of a part written to in place, the whole is new
                    self.lines.setdefault(value._base.grad_fn, where)


def _memory(tensor):
    with suppress(Exception):  # a tensor of a transform or of another layout
        return tensor.untyped_storage().data_ptr()
    return None


def _changed(name, args, kwargs):
    """What a call of this name writes to, tensors or None."""
    if kwargs.get("out") is not None or not args:
        return kwargs.get("out")
    in_place = name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
    in_place = in_place or (name.startswith("__i") and name not in ("__invert__", "__int__", "__index__"))
    return args[0] if in_place else None


def _name(func):
    """The name that the user's code knows it by: `data` for the getter of a property."""
    name = getattr(func, "__name__", "op")
    return getattr(func.__self__, "__name__", name) if name in ("__get__", "__set__") else name


def _leaves(tree):
    if isinstance(tree, (tuple, list)):
        return [leaf for branch in tree for leaf in _leaves(branch)] + ([tree] if isinstance(tree, list) else [])
    return [leaf for branch in tree.values() for leaf in _leaves(branch)] if isinstance(tree, dict) else [tree]
