"""A cell of MindSpore, or of its dialect."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from .parameters import Held
from .side import Side
from .trees import Numbers, leaves_of, mapped


class MindSporeSide(Side):
    """MindSpore's words for what `Side` asks; it runs op by op, whatever the mode is otherwise."""

    framework = "MindSpore"

    def __init__(self, model, room):
        super().__init__(model, room)
        self.rough = room.__name__ == "mindspore"

    def named_modules(self) -> Iterator[tuple[str, Any]]:
        return self.model.cells_and_names()

    def children(self, module) -> Iterator:
        return iter(module.cells())

    def held(self, module) -> Iterator[Held]:
        for name, p in module.parameters_and_names(expand=False):
            trained = bool(p.requires_grad)
            yield Held(name.rpartition(".")[2], p, tuple(p.shape), trained, "Int" in str(p.dtype), buffer=not trained)

    def array(self, tensor) -> np.ndarray:
        if tensor.dtype == self.room.bfloat16:
            tensor = tensor.astype(self.room.float32)
        return np.array(tensor.asnumpy())

    def tensor(self, array) -> Any:
        return self.room.Tensor(array)

    def like(self, array, tensor) -> Any:
        return self.tensor(array).astype(tensor.dtype)

    def put(self, tensor, array) -> None:
        tensor.set_data(self.like(np.array(array), tensor))

    def hooks(self, module, before, after) -> list:
        def first(_, args, kwargs):
            return before(args, kwargs)

        def last(_, args, output):
            return after(output)

        return [module.register_forward_pre_hook(first, with_kwargs=True), module.register_forward_hook(last)]

    def usual_attributes(self) -> set[str]:
        return set(vars(self.room.nn.Cell().set_train(False)))

    def probe(self, tensor, note) -> Any:
        def hook(gradient):
            note(gradient[0] if isinstance(gradient, tuple) else gradient)
            return gradient

        return self.room.ops.HookBackward(hook)(tensor)

    def differentiated(self, watch, inputs, loss) -> None:
        run, given = watch.run, leaves_of(inputs, Numbers)
        tensors = [self.tensor(n.array) for n in given]
        places = tuple(i for i, n in enumerate(given) if n.floating)
        parameters = self.trained()

        def compute(*values):
            left = iter(values)
            args, kwargs = mapped(lambda _: next(left), inputs, Numbers)
            value = self.loss_of(run, args, kwargs, loss)
            return self.tensor(np.zeros((), np.float32)) if value is None else value

        if not places and not parameters:
            compute(*tensors)
            return
        slope = self.room.value_and_grad(compute, places or None, list(parameters.values()) or None)
        found = slope(*tensors)[1]
        to_inputs, to_weights = found if places and parameters else (found, ()) if places else ((), found)
        run.to_inputs = [self.array(g) for g in _several(to_inputs)]
        run.gradients = {
            key: self.array(g) for key, g in zip(parameters, _several(to_weights), strict=False) if g is not None
        }

    def set_training(self, train) -> None:
        self.model.set_train(train)

    def unrecorded(self) -> Any:
        return nullcontext()

    @contextmanager
    def kept(self) -> Iterator[None]:
        before = [(t, self.array(t)) for t in self.held_once()]
        mode, state = self.room.get_context("mode"), _random_state(self.room)
        unmoved = getattr(self.model, "__engine_unmoved__", nullcontext)
        try:
            self.room.set_context(mode=self.room.PYNATIVE_MODE)
            with unmoved():
                yield
        finally:
            self.room.set_context(mode=mode)
            if state is not None:
                self.room.set_rng_state(state)
            for tensor, array in before:
                self.put(tensor, array)


def _several(found):
    return found if isinstance(found, (tuple, list)) else (found,)


def _random_state(room):
    return room.get_rng_state() if hasattr(room, "get_rng_state") else None
