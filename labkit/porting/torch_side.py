"""A module of PyTorch, or of its dialect."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .parameters import Held
from .side import Side
from .trees import Numbers, mapped


class TorchSide(Side):
    """PyTorch's words for what `Side` asks."""

    framework = "PyTorch"

    def named_modules(self) -> Iterator[tuple[str, Any]]:
        return self.model.named_modules()

    def children(self, module) -> Iterator:
        return module.children()

    def held(self, module) -> Iterator[Held]:
        for name, p in module.named_parameters(recurse=False):
            yield Held(name, p, tuple(p.shape), bool(p.requires_grad), False)
        for name, b in module.named_buffers(recurse=False):
            yield Held(name, b, tuple(b.shape), False, not b.dtype.is_floating_point, buffer=True)

    def array(self, tensor) -> np.ndarray:
        tensor = tensor.detach()
        if tensor.dtype == self.room.bfloat16:
            tensor = tensor.float()
        return np.array(tensor.numpy())

    def tensor(self, array) -> Any:
        return self.room.tensor(array)

    def like(self, array, tensor) -> Any:
        return self.tensor(array).to(tensor.dtype)

    def put(self, tensor, array) -> None:
        tensor.data = self.like(array, tensor)

    def hooks(self, module, before, after) -> list:
        return [
            module.register_forward_pre_hook(lambda _, args, kwargs: before(args, kwargs), with_kwargs=True),
            module.register_forward_hook(lambda _, args, output: after(output)),
        ]

    def usual_attributes(self) -> set[str]:
        return set(vars(self.room.nn.Module()))

    def probe(self, tensor, note) -> Any:
        if not tensor.requires_grad:
            return tensor
        passed = tensor * 1
        passed.register_hook(note)
        return passed

    def differentiated(self, watch, inputs, loss) -> None:
        run, leaves = watch.run, []

        def given(numbers):
            tensor = self.tensor(numbers.array)
            if not numbers.floating:
                return tensor
            leaves.append(tensor.requires_grad_())
            return tensor * 1

        args, kwargs = mapped(given, inputs, Numbers)
        value, parameters = self.loss_of(run, args, kwargs, loss), self.trained()
        if value is None or not value.requires_grad:
            return
        found = self.room.autograd.grad(value, [*parameters.values(), *leaves], allow_unused=True)
        arrays = [None if g is None else self.array(g) for g in found]
        run.gradients = dict(zip(parameters, arrays, strict=False))
        run.to_inputs = arrays[len(parameters) :]

    def set_training(self, train) -> None:
        self.model.train(train)

    def unrecorded(self) -> Any:
        return self.room.no_grad()

    @contextmanager
    def kept(self) -> Iterator[None]:
        before = [(t, t.data) for t in self.held_once()]
        state = self.room.get_rng_state()
        try:
            for tensor, data in before:
                tensor.data = data.clone()
            yield
        finally:
            self.room.set_rng_state(state)
            for tensor, data in before:
                tensor.data = data
