"""Cases from the two training documents: training cells, loss scale in a training step, where to clip, data sinking."""

from typing import Any

import numpy as np

from .ledger import ByMode, Case, Figures

R110, R11 = ("r1.10",), ("r1.1",)


def line(ms) -> tuple[Any, Any, Any, Any]:
    """A dense layer 3 -> 1 without bias, weights 2 3 4, with its squared error; input 1 2 3, target 19."""
    layer = ms.nn.Dense(3, 1, has_bias=False)
    layer.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
    with_loss = ms.nn.WithLossCell(layer, ms.nn.MSELoss())
    return layer, with_loss, ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor([[19]], ms.float32)


def momentum_steps(ms) -> Figures:
    layer, with_loss, x, y = line(ms)
    step = ms.nn.TrainOneStepCell(with_loss, ms.nn.Momentum(layer.trainable_params(), 0.01, 0.9))
    losses = tuple(step(x, y).asnumpy() for _ in range(4))
    return {"losses": losses, "weight": layer.weight.asnumpy()}


def momentum_steps_torch(torch) -> Figures:
    layer = torch.nn.Linear(3, 1, bias=False)
    layer.weight.data = torch.tensor([[2.0, 3.0, 4.0]])
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01, momentum=0.9)
    x, y, losses = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[19.0]]), []
    for _ in range(4):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(layer(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return {"losses": tuple(losses), "weight": layer.weight.detach()}


def own_training_cell(ms) -> Figures:
    layer, with_loss, x, y = line(ms)

    Cell: Any = ms.nn.Cell

    class TrainOneStep(Cell):
        def __init__(self, network, optimizer):
            super().__init__(auto_prefix=False)
            self.network, self.optimizer = network, optimizer
            self.gradient = ms.value_and_grad(network, None, optimizer.parameters)

        def construct(self, *inputs):
            loss, gradients = self.gradient(*inputs)
            self.optimizer(gradients)
            return loss

    step = TrainOneStep(with_loss, ms.nn.Momentum(layer.trainable_params(), 0.01, 0.9))
    losses = tuple(step(x, y).asnumpy() for _ in range(4))
    return {"losses": losses, "weight": layer.weight.asnumpy()}


def skipped_steps(ms) -> Figures:
    layer, with_loss, x, y = line(ms)
    overflowing = ms.Tensor([[float("inf")]], ms.float32)
    scaler = ms.nn.DynamicLossScaleUpdateCell(loss_scale_value=16, scale_factor=2, scale_window=2)
    step = ms.nn.TrainOneStepWithLossScaleCell(with_loss, ms.nn.SGD(layer.trainable_params(), 0.01), scaler)
    seen = [step(x, target) for target in (y, y, y, overflowing, y, y, overflowing, overflowing, y)]
    return {
        "overflow": tuple(bool(overflow.asnumpy()) for _, overflow, _ in seen),
        "scale at the end": seen[-1][2].asnumpy(),
        "weight": layer.weight.asnumpy(),
    }


def clip_before_or_after_the_mean(ms) -> Figures:
    """Two workers, each with one large gradient where the other has none: what the order of clip and mean does."""
    workers = [(ms.Tensor([3.0, 0.0]),), (ms.Tensor([0.0, 0.3]),)]
    clip = ms.ops.clip_by_global_norm
    mean = lambda gradients: (sum((g for (g,) in gradients[1:]), gradients[0][0]) / len(gradients),)
    return {
        "as the document does: clip, then mean": mean([clip(g) for g in workers])[0],
        "mean, then clip": clip(mean(workers))[0],
    }


def zero_loss(ms) -> Figures:
    nn, ops = ms.nn, ms.ops

    Cell: Any = nn.Cell

    class Averaged(Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(4, 5, weight_init="ones", bias_init="ones")

        def construct(self, x):
            return self.dense(ops.ReduceMean(keep_dims=False)(ops.relu(x), (2, 3)))

    net = Averaged()
    with_loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=False))
    step = nn.TrainOneStepCell(with_loss, nn.Momentum(net.trainable_params(), 0.1, 0.1))
    loss = step(ms.Tensor([[[[1.0]]] * 4] * 2, ms.float32), ms.Tensor([[0.0] * 5] * 2, ms.float32))
    return {"loss": abs(loss.asnumpy()), "bias after the step": net.dense.bias.asnumpy()}


def round_trips(ms) -> Figures:
    target, nn, train = ms.get_context("device_target"), ms.nn, ms.train
    columns = np.ones((40, 1), np.float32), np.full((40, 1), 3, np.float32)
    rows = ms.dataset.NumpySlicesDataset(columns, shuffle=False)
    ms.set_context(device_target="Ascend")
    try:
        found = {}
        for sink in (False, True):
            layer = nn.Dense(1, 1)
            model = train.Model(layer, nn.MSELoss(), nn.SGD(layer.trainable_params(), 0.01))
            with train.counting() as count:
                model.train(3, rows, dataset_sink_mode=sink)
            found["with sinking" if sink else "without"] = count.round_trips
    finally:
        ms.set_context(device_target=target)
    return found


ROUNDED = 2e-5  # a small loss is a difference of large numbers, and four steps of momentum differ in the last bits
LOSSES, AFTER = (1.0, 0.51840174, 0.07096863, 0.04684306), [[1.8864015, 2.772803, 3.659204]]

CASES = [
    Case("train-one-step", R110, "training cells", "TrainOneStepCell: forward, gradient and update in one cell",
         {"losses": LOSSES, "weight": AFTER}, {"mindspore": momentum_steps, "torch": momentum_steps_torch}, printed=False,
         rtol=ROUNDED),
    Case("train-one-step-own", R110, "customizing a training cell", "the same cell, written by hand as in the document",
         {"losses": LOSSES, "weight": AFTER}, {"mindspore": own_training_cell}, printed=False, rtol=ROUNDED),
    Case("loss-scale-steps", R110, "training with loss scale", "steps whose gradients overflow are skipped, and the scale halves",
         {"overflow": (False, False, False, True, False, False, True, True, False), "scale at the end": 8.0,
          "weight": [[1.9385225, 2.877045, 3.8155673]]}, {"mindspore": skipped_steps}, printed=False),
    Case("clip-and-mean", R110, "gradient clipping", "where to clip with several workers",
         {"as the document does: clip, then mean": [0.5, 0.15], "mean, then clip": [0.99503719, 0.09950372]},
         {"mindspore": clip_before_or_after_the_mean}, printed=False),
    Case("zero-loss", R11, "training", "all-zero labels print a loss of 0, and yet the weights move",
         {"loss": [0.0, 0.0], "bias after the step": [0.96] * 5}, {"mindspore": zero_loss}, printed=False),
    Case("data-sinking", R11, "data sinking", "an epoch of 40 steps: round trips between host and device, three epochs",
         {"without": 120, "with sinking": 3}, {"mindspore": round_trips}, printed=False,
         corrections={"with sinking": ByMode(
             {"graph": 3, "pynative": 120}, "a compiled graph holds a whole epoch; in PyNative each step returns to the host")}),
]  # fmt: skip
