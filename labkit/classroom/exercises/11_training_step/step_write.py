"""# Write MyTrainOneStep (3 points)

Write a Cell `MyTrainOneStep(network, optimizer, limit)`. When you call it with a batch, it computes the loss and the gradients
of the optimizer's parameters, clips the gradients by their global norm to `limit`, updates the parameters, and returns the
loss.

Then write `train(w, x, y, limit)`, where `w`, `x` and `y` are Tensors. It trains `nn.Dense(3, 1, weight_init=w,
has_bias=False)` with `nn.MSELoss()` and `nn.SGD` with a learning rate of 0.1, by calling your Cell three times with `x, y`.
Return the tuple `(losses, weight)`: a tuple of the three losses, and the final weight, `layer.weight.value()`.
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, same, slip, wrong


class MyTrainOneStep(ms.nn.Cell):
    def __init__(self, network, optimizer, limit):
        super().__init__(auto_prefix=False)
        self.optimizer = optimizer
        self.limit = limit
        self.gradient = ms.value_and_grad(network, None, optimizer.parameters)

    def construct(self, *inputs):
        loss, gradients = self.gradient(*inputs)
        gradients = ms.ops.clip_by_global_norm(gradients, self.limit)
        self.optimizer(gradients)
        return loss


def train(w, x, y, limit):
    layer = ms.nn.Dense(3, 1, weight_init=w, has_bias=False)
    network = ms.nn.WithLossCell(layer, ms.nn.MSELoss())
    optimizer = ms.nn.SGD(layer.trainable_params(), 0.1)
    step = MyTrainOneStep(network, optimizer, limit)
    losses = tuple(step(x, y) for _ in range(3))
    return losses, layer.weight.value()


def _batch(rng, low, high):
    """Weights and a batch, and a limit between these: every step is longer, or shorter, or the first ones alone."""
    w = rng.uniform(-1, 1, (1, 3)).astype(np.float32)
    x = rng.uniform(-1, 1, (4, 3)).astype(np.float32)
    y = (rng.uniform(2, 4, (4, 1)) * rng.permutation([[-1], [1], [1], [1]])).astype(np.float32)
    return w, x, y, float(rng.uniform(low, high))


draw = tuple(partial(_batch, low=low, high=high) for low, high in ((0.3, 1.0), (40.0, 50.0), (1.0, 2.0)))
tensors = "mindspore"
errors = (
    ("AddN", "clip_by_global_norm takes a flat tuple of tensors: the gradients of the parameters alone."),
    ("HyperMap", "The optimizer takes a tuple of gradients, one for each parameter."),
    ("can not be None at the same time", "Name what to differentiate with respect to: weights=optimizer.parameters."),
)


def _train(w, x, y, limit, clip=ms.ops.clip_by_global_norm, rate=0.1, again=False):
    """The training with another clip or rate, or with the loss of another run, after the update."""

    class Step(MyTrainOneStep):
        def construct(self, *inputs):
            loss, gradients = self.gradient(*inputs)
            self.optimizer(clip(gradients, self.limit))
            return self.gradient(*inputs)[0] if again else loss

    layer = ms.nn.Dense(3, 1, weight_init=w, has_bias=False)
    network = ms.nn.WithLossCell(layer, ms.nn.MSELoss())
    optimizer = ms.nn.SGD(layer.trainable_params(), rate)
    step = Step(network, optimizer, limit)
    losses = tuple(step(x, y) for _ in range(3))
    return losses, layer.weight.value()


@wrong("These steps are not clipped. The clip belongs between the gradient and the optimizer.")
def not_clipped(w, x, y, limit):
    return _train(w, x, y, limit, clip=lambda gradients, limit: gradients)


@wrong("You clipped by value, which turns the step. Clipping by the global norm keeps its direction.")
def clipped_by_value(w, x, y, limit):
    return _train(w, x, y, limit, clip=lambda gradients, limit: ms.ops.clip_by_value(gradients, -limit, limit))


@wrong(
    "You gave every gradient the norm limit. A clip rescales the gradients above the limit and does not change the "
    "others."
)
def stretched(w, x, y, limit):
    def clip(gradients, limit):
        norm = float(sum((g**2).sum() for g in gradients).asnumpy()) ** 0.5
        return tuple(g * (limit / norm) for g in gradients)

    return _train(w, x, y, limit, clip)


@wrong(
    "You return the loss after the update. A training step returns the loss that it differentiated, from before the "
    "update."
)
def loss_after_the_step(w, x, y, limit):
    return _train(w, x, y, limit, again=True)


@wrong("The weight has not moved. Call the optimizer with the gradients, at the learning rate 0.1.")
def no_update(w, x, y, limit):
    return _train(w, x, y, limit, rate=0.0)


@judged("error")
def a_list_of_gradients(w, x, y, limit):
    return _train(w, x, y, limit, clip=lambda gradients, limit: list(gradients))


@judged("structure")
def losses_only(w, x, y, limit):
    return train(w, x, y, limit)[0]


@wrong("The learning rate is 0.1.")
def another_rate(w, x, y, limit):
    return _train(w, x, y, limit, rate=0.01)


def _each_step(inputs, expected, got, done):
    w, x, y, limit = inputs
    for loss in expected[0]:
        gradient = 2 * (x @ w.T - y).T @ x / len(y)
        if not delivered(gradient, done, loss):
            return False
        w = w - 0.1 * gradient * min(1.0, limit / np.linalg.norm(gradient))
    return True


limit_not_used = slip(
    "Your gradients are clipped to 1.0, which clip_by_global_norm takes where no limit is given.",
    "(gradients, self.limit) -> (gradients)",
)

two_steps = slip(
    "Call the cell three times.",
    "range(3) -> range(2)",
)

cell_returns_nothing = slip("Your cell returns None. End construct with return loss.", "        return loss\n -> ")
four_steps = slip("Call the cell three times.", "range(3) -> range(4)")
loss_summed = slip(
    "nn.MSELoss() takes the mean over the elements. You took the sum.",
    'ms.nn.MSELoss() -> ms.nn.MSELoss(reduction="sum")',
)

uphill = slip(
    "The weight moves along the gradient. The optimizer itself subtracts the gradient.",
    "self.optimizer(gradients) -> self.optimizer(tuple(-g for g in gradients))",
)
not_three_but_one = slip("Call the cell three times.", "range(3) -> range(1)")


with_momentum = slip(
    "These steps have momentum. nn.SGD has none.",
    "ms.nn.SGD(layer.trainable_params(), 0.1) -> ms.nn.Momentum(layer.trainable_params(), 0.1, 0.9)",
)
adam_for_sgd = slip(
    "These are steps of Adam. The exercise asks for nn.SGD.",
    "ms.nn.SGD(layer.trainable_params(), 0.1) -> ms.nn.Adam(layer.trainable_params(), 0.1)",
)
weight_decayed = slip(
    "There is no weight decay in the exercise.",
    "ms.nn.SGD(layer.trainable_params(), 0.1) -> ms.nn.SGD(layer.trainable_params(), 0.1, weight_decay=0.01)",
)
first_loss_three_times = slip(
    "All three losses are the first one: either one call is counted three times, or each call has a new layer.",
    "tuple(step(x, y) for _ in range(3)) -> (step(x, y),) * 3",
)
updated_twice = slip(
    "Each step is twice as long as it should be. Call the optimizer once in a step; the rate is 0.1.",
    "self.optimizer(gradients) -> self.optimizer(gradients)\n        self.optimizer(gradients)",
)
limit_as_the_rate = slip(
    "The limit bounds the norm of the gradients. It is not the learning rate.", "(), 0.1) -> (), limit)"
)


@wrong("You clipped the loss. Clip the gradients; the loss is returned as it is.")
def loss_clipped(w, x, y, limit):
    losses, weight = _train(w, x, y, limit, clip=lambda gradients, limit: gradients)
    return tuple(ms.ops.clip_by_value(loss, -limit, limit) for loss in losses), weight


@judged("loss-clipped")
def loss_clipped_too(w, x, y, limit):
    losses, weight = train(w, x, y, limit)
    return tuple(ms.ops.clip_by_value(loss, -limit, limit) for loss in losses), weight


@wrong("The weight that you return is the one before the training.", parts=(1,))
def first_weight(w, x, y, limit):
    return train(w, x, y, limit)[0], w


@wrong(
    "The losses are three single numbers. The Cell returns the loss alone, and they come before the weight.",
    when=lambda i, expected, got: all(isinstance(loss, (tuple, list)) or np.ndim(loss) for loss in got[0]),
)
def pairs_returned(w, x, y, limit):
    losses, weight = train(w, x, y, limit)
    return tuple((loss, weight) for loss in losses), weight


@wrong(
    "Your first loss is not that of w, x and y. The layer starts with w and has no bias, and the loss is nn.MSELoss().",
    when=lambda i, expected, got: len(got[0]) == 3 and not same(expected[0][0], got[0][0]) and np.ndim(got[0][0]) == 0,
)
def with_a_bias(w, x, y, limit):
    layer = ms.nn.Dense(3, 1, weight_init=w, bias_init=ms.Tensor([5.0]))
    optimizer = ms.nn.SGD(layer.trainable_params(), 0.1)
    step = MyTrainOneStep(ms.nn.WithLossCell(layer, ms.nn.MSELoss()), optimizer, limit)
    return tuple(step(x, y) for _ in range(3)), layer.weight.value()


@judged("forbidden")
def without_a_cell(w, x, y, limit):
    layer = ms.nn.Dense(3, 1, weight_init=w, has_bias=False)
    optimizer = ms.nn.SGD(layer.trainable_params(), 0.1)
    gradient = ms.value_and_grad(ms.nn.WithLossCell(layer, ms.nn.MSELoss()), None, optimizer.parameters)
    losses = []
    for _ in range(3):
        loss, gradients = gradient(x, y)
        optimizer(ms.ops.clip_by_global_norm(gradients, limit))
        losses.append(loss)
    return tuple(losses), layer.weight.value()


ways = (
    Way(DELIVERED, ("passes",), holds=_each_step),
    Way(
        "Call a Cell of your own three times, in which nn.SGD updates the parameters.",
        ("own steps",),
        holds=lambda inputs, expected, got, done: done["own steps"] == 3,
    ),
)
hints = (
    "In __init__: self.gradient = ms.value_and_grad(network, None, optimizer.parameters).",
    "In construct: loss, gradients = self.gradient(*inputs); clip; self.optimizer(gradients); return loss.",
    "In train: network = ms.nn.WithLossCell(layer, ms.nn.MSELoss()), and losses = tuple(step(x, y) for _ in range(3)).",
)
