"""# Fix a loop with three faults (3 points)

This loop runs without an error, but it has three of this unit's faults. Fix them. The arguments are NumPy arrays of the
shapes `x` (6, 2), `y` (6,), `w1` (2, 3), `w2` (3, 1).

[[unchanged as answer]]
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import slip, wrong


def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


def draw(rng):
    x = rng.uniform(-1, 1, (6, 2)).astype(np.float32)
    y = (rng.uniform(1, 2, 6) * rng.permutation([-1, 1, 1, 1, 1, 1])).astype(np.float32)
    return x, y, rng.uniform(-1, 1, (2, 3)).astype(np.float32), rng.uniform(-1, 1, (3, 1)).astype(np.float32)


def _trained(x, y, w1, w2, detached=False, adds=False, table=False, steps=4):
    """Both weights after these steps, with the faults that are asked for."""
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(steps):
        if not adds:
            optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        out = (hidden.detach() if detached else hidden) @ w2
        loss = ((out - y if table else out[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@wrong("All three faults are still there: one in the network, one in the loss, one in the loop.")
def unchanged(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        hidden = torch.tanh(x @ w1).detach()
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


still_detached = slip(
    "w1 does not move: the path from the loss to it is still cut (detach, no_grad), or the optimizer was not given it.",
    "torch.tanh(x @ w1)\n -> torch.tanh(x @ w1).detach()\n",
)

still_adds = slip(
    "The gradients of earlier steps are still in .grad. Reset .grad before each backward pass.",
    "        optimizer.zero_grad()\n -> ",
)

still_a_table = slip(
    "Your steps are those of a loss that compares each prediction with all labels, as (6, 1) minus (6,) does by "
    "broadcasting. Give both operands the same shape.",
    "(hidden @ w2)[:, 0] - y -> hidden @ w2 - y",
)

emptied_too_late = slip(
    "No weight moves: the optimizer has no gradient, no rate, or takes no step. The order is zero_grad, backward, step.",
    "        loss.backward()\n ->         loss.backward()\n        optimizer.zero_grad()\n",
)

second_layer_cut = slip(
    "w2 does not move: it is detached in the loss, or the optimizer was not given it.",
    "hidden @ w2 -> hidden @ w2.detach()",
)

sum_for_mean = slip(
    "The loss is a mean. You took the sum.",
    "** 2).mean() -> ** 2).sum()",
)

three_steps = slip(
    "The loop takes four steps.",
    "range(4) -> range(3)",
)

table_and_detached = slip(
    "w1 is cut off from the loss, and the loss still contains a 6 by 6 matrix.",
    "torch.tanh(x @ w1)\n -> torch.tanh(x @ w1).detach()\n",
    "(hidden @ w2)[:, 0] - y -> hidden @ w2 - y",
)
five_steps = slip("The loop takes four steps.", "range(4) -> range(5)")
half_rate = slip("The learning rate is 0.1.", "lr=0.1 -> lr=0.01")
relu_for_tanh = slip("The hidden layer has tanh. You took relu.", "torch.tanh( -> torch.relu(", alone=True)
momentum = slip("The step is that of SGD alone, without momentum.", "lr=0.1) -> lr=0.1, momentum=0.9)", alone=True)
another_optimizer = slip("These are the steps of Adam. The loop uses SGD.", "optim.SGD -> optim.Adam", alone=True)
labels_added = slip(
    "The error is the prediction minus the label. You added the label.", "[:, 0] - y -> [:, 0] + y", alone=True
)
reset_once = slip(
    "The gradients are reset once, after the first step. Each backward pass needs empty gradients.",
    "        optimizer.zero_grad()\n ->         if step == 1:\n            optimizer.zero_grad()\n",
    alone=True,
)
root_taken = slip("The loss is the mean of the squares, without a root.", ".mean()\n -> .mean().sqrt()\n", alone=True)
tanh_left_out = slip("tanh is missing between the two layers.", "torch.tanh(x @ w1) -> (x @ w1)", alone=True)

squared_mean = slip(
    "Only the mean of the predictions counts. Square each error, and take the mean of the squares.",
    "(((hidden @ w2)[:, 0] - y) ** 2).mean() -> ((hidden @ w2)[:, 0] - y).mean() ** 2",
    alone=True,
)

first_reset_alone = slip(
    "The gradient of w2 is never reset: it adds up from step to step.", "optimizer.zero_grad() -> w1.grad = None"
)
second_reset_alone = slip(
    "The gradient of w1 is never reset: it adds up from step to step.", "optimizer.zero_grad() -> w2.grad = None"
)

step_after_the_loop = slip(
    "There is only one step: you call step after the loop, or the loop ends too early. Call step in each of the four "
    "iterations.",
    "        optimizer.step()\n ->     optimizer.step()\n",
)
tenfold_rate = slip("The learning rate is 0.1.", "lr=0.1 -> lr=1.0")
absolute_errors = slip(
    "The errors are squared. You took absolute values.", ") ** 2).mean() -> ).abs()).mean()", alone=True
)
half_the_square = slip(
    "Your steps are half as long: the loss has no factor 1/2, and the learning rate is 0.1.",
    "** 2).mean() -> ** 2).mean() / 2",
)
output_squashed = slip(
    "tanh belongs to the hidden layer only, not to the output.", "(hidden @ w2) -> torch.tanh(hidden @ w2)", alone=True
)
_ONE = "One prediction is compared with all labels. Each sample has its own: (hidden @ w2)[:, 0] has six."
first_prediction = slip(_ONE, "(hidden @ w2)[:, 0] -> (hidden @ w2)[0]", alone=True)
last_prediction = slip(_ONE, "(hidden @ w2)[:, 0] -> (hidden @ w2)[-1]", alone=True)
two_steps = slip(
    "Your steps are twice as long. The rate is 0.1, with one step for each backward pass.",
    "        optimizer.step()\n ->         optimizer.step()\n        optimizer.step()\n",
)
sum_of_the_labels = slip(
    "Each prediction is compared with the sum of the labels. Each sample has its own label.",
    "[:, 0] - y -> [:, 0] - y.sum()",
    alone=True,
)

errors = (
    (
        "does not require grad",
        "No weight has a path to the loss: something is detached, or computed under no_grad, or no weight requires grad.",
    ),
)
hints = (
    "Print the shape of hidden @ w2 - y, and w1.grad after the first step.",
    "Which lines of a training step are missing? The order is zero_grad, forward, backward, step.",
    "Remove detach from hidden, write (hidden @ w2)[:, 0] - y, and call optimizer.zero_grad().",
)
