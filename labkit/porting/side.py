"""A model in its framework: its parts, its numbers, and one run, after which it is restored."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np

from ..realtape import refill
from .parameters import Held, Part
from .runs import Run, Watch
from .trees import Numbers, leaves_of, mapped

_SHOWN = 8  # fixed seeds for the weights of outputs


class Side:
    """What both frameworks have in common; `room` is the framework's own package, or the dialect."""

    framework = ""
    rough = False  # whether exp and its like are computed with a rough polynomial

    def __init__(self, model, room):
        self.model, self.room, self.tensor_type = model, room, room.Tensor
        self.parts = {path: self._part(path, module) for path, module in self.named_modules()}

    def _part(self, path, module):
        leaf = not any(True for _ in self.children(module))
        return Part(path, type(module).__name__, module, tuple(self.held(module)), leaf)

    # ---- what a framework says in its own words ----

    def named_modules(self) -> Iterator[tuple[str, Any]]:
        raise NotImplementedError

    def children(self, module) -> Iterator:
        raise NotImplementedError

    def held(self, module) -> Iterator[Held]:
        raise NotImplementedError

    def array(self, tensor) -> np.ndarray:
        """A copy of its numbers; those of bfloat16 as float32."""
        raise NotImplementedError

    def tensor(self, array) -> Any:
        raise NotImplementedError

    def put(self, tensor, array) -> None:
        """Let a parameter or buffer hold these numbers."""
        raise NotImplementedError

    def hooks(self, module, before, after) -> list:
        raise NotImplementedError

    def usual_attributes(self) -> set[str]:
        """The attributes that every module has."""
        raise NotImplementedError

    def differentiated(self, watch, inputs, loss) -> None:
        raise NotImplementedError

    def set_training(self, train) -> None:
        raise NotImplementedError

    def kept(self) -> Any:
        """A context that leaves parameters, buffers and random numbers as they were."""
        raise NotImplementedError

    def unrecorded(self) -> Any:
        """A context in which no derivative is recorded."""
        raise NotImplementedError

    # ---- what its parts hold ----

    def trained(self) -> dict[tuple[str, str], Any]:
        """The tensors that are trained, by the path of their part and their name in it."""
        return {(p.path, h.name): h.tensor for p in self.parts.values() for h in p.held if h.trained}

    def held_once(self) -> list:
        """All tensors of the parts, each once."""
        return list({id(h.tensor): h.tensor for p in self.parts.values() for h in p.held}.values())

    # ---- trees of tensors ----

    def mapped(self, change, tree) -> Any:
        return mapped(change, tree, self.tensor_type)

    def leaves(self, tree) -> list:
        return leaves_of(tree, self.tensor_type)

    def numbers(self, tree) -> Any:
        """The tree with `Numbers` in place of tensors."""
        return self.mapped(lambda t: Numbers(self.array(t)), tree)

    def tensors(self, tree) -> Any:
        return mapped(lambda n: self.tensor(n.array), tree, Numbers)

    # ---- running ----

    def run(self, inputs, loss=None, jitter=None) -> Run:
        """One run with its gradients; `jitter(array)` moves inputs, parameters and what layers give by a rounding error."""
        watch = Watch(self, self.probe, jitter and partial(self._jittered, jitter))
        with ExitStack() as stack:
            if jitter:
                stack.enter_context(self._moved_parameters(jitter))
                inputs = mapped(lambda n: Numbers(jitter(n.array)), inputs, Numbers)
            stack.enter_context(self._watched(watch))
            _seed()
            stack.enter_context(np.errstate(all="ignore"))
            try:
                self.differentiated(watch, inputs, loss)
            except Exception as error:
                watch.run.error, watch.run.inside = error, watch.open[-1] if watch.open else None
        watch.run.state = {
            (p.path, h.name): self.array(h.tensor) for p in self.parts.values() for h in self.held(p.module)
        }
        return watch.run

    def probe(self, tensor, note) -> Any:
        raise NotImplementedError

    def loss_of(self, run, args, kwargs, loss) -> Any:
        """Run the model, note its outputs in `run`; what is differentiated, `loss` of them or `seeded_sum`."""
        output = self.model(*args, **kwargs)
        run.outputs = [self.array(t) for t in self.leaves(output)]
        return loss(output) if loss else self.seeded_sum(output)

    def seeded_sum(self, output) -> Any:
        """The sum of all floating outputs, each number with a fixed weight between 0.5 and 1.5; None without any."""
        total = None
        for place, leaf in enumerate(self.leaves(output)):
            array = self.array(leaf)
            if array.dtype.kind == "f":
                weights = np.random.default_rng(_SHOWN + place).uniform(0.5, 1.5, array.shape).astype(array.dtype)
                part = (leaf * self.like(weights, leaf)).sum()
                total = part if total is None else total + part
        return total

    def like(self, array, tensor) -> Any:
        """A tensor of these numbers in the dtype of `tensor`."""
        return self.tensor(array)

    def alone(self, path, given, jitter=None) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
        """What one module gives for the arguments `given`, by itself, and what it holds afterwards, by name."""
        args, kwargs = given
        part = self.parts[path]
        with ExitStack() as stack:
            stack.enter_context(self._put_back(part.held))
            if jitter:
                stack.enter_context(self._moved_parameters(jitter, part.held))
                args, kwargs = mapped(lambda n: Numbers(jitter(n.array)), (args, kwargs), Numbers)
            _seed()
            stack.enter_context(self.unrecorded())
            stack.enter_context(np.errstate(all="ignore"))
            args, kwargs = self.tensors((args, kwargs))
            found = [self.array(t) for t in self.leaves(part.module(*args, **kwargs))]
            state = {h.name: self.array(h.tensor) for h in part.held}
        return [jitter(a) for a in found] if jitter else found, state

    @contextmanager
    def _put_back(self, held):
        kept = [(h.tensor, self.array(h.tensor)) for h in held]
        try:
            yield
        finally:
            for tensor, array in kept:
                self.put(tensor, array)

    @contextmanager
    def _watched(self, watch):
        handles = []
        try:
            for path, part in self.parts.items():
                handles += self.hooks(part.module, partial(watch.before, path), partial(watch.after, path))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _jittered(self, jitter, path, output):
        part = self.parts[path]
        if not (part.leaf or part.weighted):
            return None
        return self.mapped(lambda t: self._factor(t, jitter), output)

    def _factor(self, tensor, jitter):
        ones = np.ones_like(self.array(tensor))
        return tensor * self.like(jitter(ones), tensor) if ones.dtype.kind == "f" else tensor

    @contextmanager
    def _moved_parameters(self, jitter, held=None):
        held = [h for p in self.parts.values() for h in p.held] if held is None else held
        tensors = {id(h.tensor): h for h in held if h.trained}.values()
        with self._put_back(tensors):
            for h in tensors:
                self.put(h.tensor, jitter(self.array(h.tensor)))
            yield

    # ---- as it was ----

    @contextmanager
    def visited(self) -> Iterator[None]:
        """While open, the model may be run and changed; afterwards it has its numbers, its modes and its attributes."""
        modules = [part.module for part in self.parts.values()]
        before = [pair for module in modules for pair in _contents(vars(module))]
        numpys, plain = np.random.get_state(), random.getstate()
        try:
            with self.kept():
                yield
        finally:
            np.random.set_state(numpys)
            random.setstate(plain)
            for container, content in before:
                refill(container, content)


def _contents(attributes):
    """The attributes, and the containers among them, each with a copy of what is in it."""
    inside = [value for value in attributes.values() if isinstance(value, (dict, list, set))]
    return [(container, container.copy()) for container in (attributes, *inside)]


def _seed():
    """Seed NumPy's and Python's random numbers, so that both models draw the same ones."""
    np.random.seed(0)
    random.seed(0)
