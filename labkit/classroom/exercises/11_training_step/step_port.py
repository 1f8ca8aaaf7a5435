"""# Port the training loop to PyTorch (3 points)

Write `port(w, x, y)`, which does the training below in PyTorch. `w`, `x` and `y` are NumPy arrays of the shapes `(3,)`,
`(4, 3)` and `(4,)`. Convert them to tensors (`w` requires grad), and return the tuple `(losses, w)`: a list of the three losses,
and the trained `w`.

```python
w = ms.Parameter(ms.Tensor(w), name="w")
loss_of = lambda x, y: ((ops.matmul(x, w) - y) ** 2).mean()
optimizer = nn.Momentum([w], learning_rate=0.1, momentum=0.9)
gradient = ms.value_and_grad(loss_of, None, optimizer.parameters)
losses = []
for _ in range(3):
    loss, gradients = gradient(x, y)
    optimizer(gradients)
    losses.append(float(loss.asnumpy()))
```
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, slip, wrong


def port(w, x, y):
    w = torch.tensor(w, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, w.detach()


def draw(rng):
    w = rng.uniform(-1, 1, 3).astype(np.float32)
    x, y = rng.uniform(-1, 1, (4, 3)), rng.uniform(2, 4, 4) * rng.permutation([-1, 1, 1, 1])
    return w, x.astype(np.float32), y.astype(np.float32)


errors = (("Can't call numpy()", "Make tensors of x and y as well, torch.tensor(x), and detach w at the end."),)


def _losses(w, x, y, momentum=0.9, empty=("before",), note="before"):
    w = torch.tensor(w, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=momentum)
    losses = []
    for _ in range(3):
        if "before" in empty:
            optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        if "after" in empty:
            optimizer.zero_grad()
        optimizer.step()
        losses.append((loss if note == "before" else ((x @ w - y) ** 2).mean()).item())
    return losses, w.detach()


@wrong("The gradients of the steps add up in .grad. Reset it in every round: optimizer.zero_grad().")
def never_zeroed(w, x, y):
    return _losses(w, x, y, empty=())


@wrong(
    "These are steps without momentum: either SGD has momentum=0, or a new optimizer is made in each round, without a velocity."
)
def without_momentum(w, x, y):
    return _losses(w, x, y, momentum=0.0)


@wrong(
    "w has not moved. In each round, call backward, then step, with no zero_grad in between; and give the "
    "optimizer this w and a rate above 0."
)
def zeroed_too_late(w, x, y):
    return _losses(w, x, y, empty=("after",))


@wrong("These are the losses after the updates. The snippet stores each loss from before its update.")
def loss_after_the_step(w, x, y):
    return _losses(w, x, y, note="after")


def _each_step(inputs, expected, got, done):
    (w, x, y), moved = inputs, 0.0
    for loss in expected[0]:
        gradient = 2 * x.T @ (x @ w - y) / len(y)
        if not any(delivered(one, done, loss) for one in (gradient, gradient[None], gradient[:, None])):
            return False
        moved = 0.9 * moved + gradient
        w = w - 0.1 * moved
    return True


sum_for_mean = slip(
    "The loss is a mean. You took the sum.",
    "** 2).mean() -> ** 2).sum()",
)

star_for_at = slip(
    "`*` multiplies element by element and broadcasts. The matrix product is `@`.",
    "((x @ w - y) ** 2) -> ((x * w - y[:, None]) ** 2)",
)

nesterov = slip(
    "These are steps with Nesterov's momentum. nn.Momentum has it only with use_nesterov=True.",
    "momentum=0.9) -> momentum=0.9, nesterov=True)",
)

dampened = slip(
    "dampening is 0 in the snippet: the gradient has the factor 1.",
    "momentum=0.9) -> momentum=0.9, dampening=0.9)",
)

another_rate = slip(
    "Your steps have the wrong size: the learning rate is 0.1, and each gradient is added to the velocity in full.",
    "lr=0.1 -> lr=0.01",
)

two_steps = slip(
    "The snippet takes three steps.",
    "range(3) -> range(2)",
)

adam_for_momentum = slip(
    "These are steps of Adam. The snippet uses Momentum.",
    "torch.optim.SGD([w], lr=0.1, momentum=0.9) -> torch.optim.Adam([w], lr=0.1)",
)

gradient_returned = slip(
    "You return the gradient. The exercise asks for w.",
    "losses, w.detach() -> losses, w.grad",
)

decayed_twice = slip(
    "There is no weight decay in the snippet.",
    "momentum=0.9) -> momentum=0.9, weight_decay=0.1)",
)


absolute_errors = slip(
    "The loss contains the squared errors. You took their absolute values.",
    "((x @ w - y) ** 2) -> abs(x @ w - y)",
)

four_steps = slip("The snippet takes three steps.", "range(3) -> range(4)")
uphill = slip("w moves along the gradient. SGD subtracts it.", "loss.backward() -> (-loss).backward()")
another_momentum = slip("The momentum is 0.9.", "momentum=0.9 -> momentum=0.1")
first_round_only = slip(
    "The return is inside the loop: only one step is taken.",
    "    return losses, w.detach() ->         return losses, w.detach()",
)
half_the_square = slip("The loss has no factor 1/2.", "((x @ w - y) ** 2).mean() -> ((x @ w - y) ** 2).mean() / 2")

labels_as_a_column = slip(
    "x @ w has the shape (4,). A column y broadcasts with it to a 4 by 4 array.",
    "torch.tensor(x), torch.tensor(y) -> torch.tensor(x), torch.tensor(y)[:, None]",
)
loss_rounded = slip(
    "The loss is squared after the mean. Square each error first.",
    "((x @ w - y) ** 2).mean() -> (x @ w - y).mean() ** 2",
)

added_up_without_momentum = slip(
    "Two things are missing: momentum=0.9, and zero_grad in each round.",
    "lr=0.1, momentum=0.9 -> lr=0.1",
    "        optimizer.zero_grad()\n -> ",
)

features_averaged = slip(
    "x @ w adds up the products of a row. You took their mean.", "((x @ w - y) ** 2) -> ((x @ w / 3 - y) ** 2)"
)


decayed_a_little = slip("There is no weight decay in the snippet.", "momentum=0.9) -> momentum=0.9, weight_decay=0.01)")
rate_and_momentum_exchanged = slip(
    "The learning rate is 0.1 and the momentum 0.9. You exchanged them.", "lr=0.1, momentum=0.9 -> lr=0.9, momentum=0.1"
)
rate_of_one = slip("The learning rate is 0.1.", "lr=0.1 -> lr=1.0")
error_not_squared = slip(
    "The loss contains the squared errors. The square is missing.", "((x @ w - y) ** 2) -> (x @ w - y)"
)
target_added = slip("The error is x @ w minus y. You added y.", "(x @ w - y) -> (x @ w + y)")
backward_twice = slip(
    "Each gradient counts twice. Call backward once in each round; the rate is 0.1.",
    "loss.backward() -> loss.backward(retain_graph=True)\n        loss.backward()",
)
step_twice = slip(
    "Each round has one update. You called optimizer.step twice.",
    "optimizer.step() -> optimizer.step()\n        optimizer.step()",
)


@wrong(
    "The step comes before the backward pass of its round, so the last gradient is never used. The order is backward, then step."
)
def step_first(w, x, y):
    w = torch.tensor(w, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.step()
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
    return losses, w.detach()


@wrong("The weight that you return is the one before the training.", parts=(1,))
def first_weight(w, x, y):
    return port(w, x, y)[0], torch.tensor(w)


@judged("forbidden")
def trained_in_mindspore(w, x, y):
    w, x, y = ms.Parameter(ms.Tensor(w), name="w"), ms.Tensor(x), ms.Tensor(y)
    optimizer = ms.nn.Momentum([w], learning_rate=0.1, momentum=0.9)
    gradient = ms.value_and_grad(lambda x, y: ((ms.ops.matmul(x, w) - y) ** 2).mean(), None, optimizer.parameters)
    losses = []
    for _ in range(3):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        losses.append(float(loss.asnumpy()))
    return losses, torch.tensor(w.asnumpy())


never_zeroed_step_first = slip(
    "The step comes before the backward pass, and the gradients add up in .grad.",
    "        optimizer.zero_grad()\n -> ",
    "loss.backward()\n        optimizer.step() -> optimizer.step()\n        loss.backward()",
)
root_of_the_loss = slip(
    "The snippet stores the loss itself, without a root.",
    "losses.append(loss.item()) -> losses.append(loss.item() ** 0.5)",
)
losses_added_up = slip(
    "The snippet stores the loss of each round. You added up the losses.",
    "losses.append(loss.item()) -> losses.append(loss.item() + (losses or [0])[-1])",
)
products_summed = slip(
    "x @ w has one prediction for each row. You summed all products into one number.", "x @ w -> (x * w).sum()"
)


@wrong("The losses are rounded. Return them as they are.", parts=(0,))
def losses_rounded(w, x, y):
    losses, w = port(w, x, y)
    return [round(loss, 2) for loss in losses], w


results_exchanged = slip(
    "You exchanged the results: the losses come first.", "return losses, w.detach() -> return w.detach(), losses"
)


error_doubled = slip(
    "The loss contains the squared errors. You doubled them.", "((x @ w - y) ** 2) -> ((x @ w - y) * 2)"
)


@wrong("Your losses are means over the rounds so far. Store the loss of each round.", parts=(0,))
def losses_averaged(w, x, y):
    losses, w = port(w, x, y)
    return [sum(losses[: n + 1]) / (n + 1) for n in range(3)], w


ways = (
    Way(DELIVERED, ("passes",), holds=_each_step),
    Way(
        "Train in PyTorch.",
        ("live nodes",),
        holds=lambda inputs, expected, got, done: done["live nodes"] > 0,
    ),
)
hints = (
    "The body of the loop has four lines: zero_grad, loss, backward, step. Then store the loss.",
    "MindSpore's Momentum(0.1, 0.9) is torch.optim.SGD([w], lr=0.1, momentum=0.9).",
    "w = torch.tensor(w, requires_grad=True) before the loop; loss = ((x @ w - y) ** 2).mean() inside it.",
)
