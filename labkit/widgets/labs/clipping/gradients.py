"""Gradients to clip: the reader's own, or those of a small network that reads digits."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....data import digits
from ....mindspore import Tensor, nn, ops
from ....tracing import trace


class Reader(nn.Cell):
    """The network of the default picture: three layers that read digits of 8 by 8, and their loss."""

    def __init__(self):
        super().__init__()
        draw = np.random.default_rng(0)

        def dense(inputs, outputs):
            weight = draw.normal(size=(outputs, inputs)) / np.sqrt(inputs)
            return nn.Dense(inputs, outputs, weight_init=Tensor(weight.astype(np.float32)), bias_init="zeros")

        self.first, self.second, self.last = dense(64, 16), dense(16, 16), dense(16, 10)
        self.loss = nn.CrossEntropyLoss()

    def construct(self, images: Tensor, labels: Tensor) -> Tensor:
        """The mean cross-entropy; images (n, 64), labels (n,)."""
        hidden = ops.relu(self.second(ops.relu(self.first(images))))
        return self.loss(self.last(hidden), labels)


def default_gradients() -> dict[str, np.ndarray]:
    """The gradients of `Reader` for 32 digits whose pixels, 0 to 16, somebody forgot to scale."""
    part = digits().train
    images = part.images[:32].reshape(32, 64).astype(np.float32)
    return gradients_of(Reader(), Tensor(images), Tensor(part.labels[:32].astype(np.int32)))


def gradients_of(fun: Callable, *args: Any) -> dict[str, np.ndarray]:
    """The gradient of `fun(*args)` with respect to each parameter of a Cell or Module, or to each floating argument of a
    function; of several outputs their sum is differentiated.

    Raises TypeError for what cannot be called or is not numeric, ValueError where nothing is there to differentiate by, and
    whatever `fun` raises.

    >>> gradients_of(lambda w, b: w * b, 3.0, 4.0)
    {'w': array(4.), 'b': array(3.)}
    """
    if not callable(fun):
        raise TypeError(f"ClippingLab: expected a function, a Cell or a Module, but got {type(fun).__name__}")
    graph = trace(fun)(*args)
    network = hasattr(fun, "__engine_parameters__")
    wanted = graph.inputs[len(args) if network else 0 :]
    found = {node.label: graph.gradients[node.label] for node in wanted if node.dtype.kind not in "iub"}
    if not found:
        what = (
            "a network with parameters"
            if network
            else "floating arguments after the function, as in ClippingLab(f, 3.0)"
        )
        raise ValueError(f"ClippingLab: expected {what}; there is nothing to differentiate by")
    return found
