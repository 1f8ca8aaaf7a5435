"""# Cut it every k steps (3 points)

The PyTorch function `follow` reads the numbers `x` and adds each state to the loss; `w` is a leaf tensor. The function returns
the loss as a number, and the gradient of `w`.

Change `follow` so that it truncates the gradient: before each of the steps `k`, `2 * k`, `3 * k`, ... cut the state off from
its history. All values stay the same.

[[as_it_was as follow]]
"""

from functools import partial

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, same, slip, wrong


def follow(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        if t % k == 0:
            h = h.detach()
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


def _stream(rng, length, k):
    return np.array(_of_either_sign(rng, 0.8, 1.5)), [_of_either_sign(rng, 0.2, 0.9) for _ in range(length)], k


def _of_either_sign(rng, low, high):
    return float(rng.uniform(low, high) * rng.choice([-1, 1]))


draw = (partial(_stream, length=7, k=3), partial(_stream, length=6, k=2), partial(_stream, length=5, k=1))
tensors = "torch"


def _followed(w, x, k, cut=lambda h: h.detach(), when=lambda t, k: t % k == 0):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        if when(t, k):
            h = cut(h)
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


@wrong("That is the gradient through all steps: nothing was cut. h = h.detach() cuts the state.")
def as_it_was(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


@wrong("You cut at every step. There are k steps between two cuts.")
def every_step(w, x, k):
    return _followed(w, x, k, when=lambda t, k: True)


@wrong("You set the state back to 0. Pass on the value, and cut off only its history.")
def set_to_zero(w, x, k):
    return _followed(w, x, k, cut=lambda h: torch.zeros(()))


@wrong("You cut one step too early. The cut comes before the steps k, 2 * k, ...: where t % k == 0.")
def one_step_early(w, x, k):
    return _followed(w, x, k, when=lambda t, k: (t + 1) % k == 0)


@wrong("You cut once. There is a cut before each of the steps k, 2 * k, 3 * k.")
def cut_once(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t == k)


@wrong("From step k on you cut at every step. Between the cuts, k steps hang together: t % k == 0.")
def every_step_from_k(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t >= k)


@wrong("Your windows are k + 1 steps long. There is a cut before each of the steps k, 2 * k, 3 * k.")
def longer_windows(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t % (k + 1) == 0)


@wrong("You cut two steps too late. The cut comes before the steps k, 2 * k, ...: where t % k == 0.")
def two_steps_late(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t % k == 2 % k)


@judged("cut-in-the-middle")
def cut_at_the_end(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t == len(x) - 1)


one_step_late = slip(
    "You cut one step too late. The cut comes before the steps k, 2 * k, ...",
    "t % k == 0 -> t % k == 1 % k",
)

last_state_only = slip(
    "Each state is added to the loss. You used only the last one.",
    "loss = loss + h -> loss = h",
)

mean_loss = slip(
    "The loss is a sum. You took the mean.",
    "return loss.item(), -> return loss.item() / len(x),",
)

last_state_backward = slip(
    "The gradient is that of the last state alone. The loss is the sum of all states, and the backward pass begins there.",
    "loss.backward() -> h.backward()",
)
weight_returned = slip("You return w. Asked for is its gradient, w.grad.", "loss.item(), w.grad -> loss.item(), w")

cut_elsewhere = slip(
    "You cut at all steps but k, 2 * k, 3 * k, ...: the condition is inverted.", "t % k == 0 -> t % k != 0"
)
loss_set_to_zero = slip(
    "You set the loss back to 0 at each cut. It is the sum of all states.",
    "h = h.detach()\n -> h, loss = h.detach(), 0.0\n",
)
last_step_only = slip(
    "Only the first state is in the loss. Is the return inside the loop?",
    "    loss.backward()\n    return loss.item(), w.grad ->         loss.backward()\n        return loss.item(), w.grad",
)


@judged("mean-loss")
def mean_in_both(w, x, k):
    loss, gradient = follow(w, x, k)
    return loss / len(x), gradient / len(x)


def _loss_cut(w, x, k, both, first=1):
    h, loss = torch.zeros(()), torch.zeros(())
    for t, number in enumerate(x):
        if t >= first and t % k == 0:
            h, loss = h.detach() if both else h, loss.detach()
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


@wrong(
    "The states before a cut contribute nothing to w.grad: the loss is cut off, or .grad is reset. Cut off only the "
    "state."
)
def loss_cut_off(w, x, k):
    return _loss_cut(w, x, k, both=False)


@judged("loss-cut-off")
def loss_cut_off_as_well(w, x, k):
    return _loss_cut(w, x, k, both=True)


def _new_state_cut(w, x, k, first):
    h, loss = torch.zeros(()), torch.zeros(())
    for t, number in enumerate(x):
        h = torch.tanh(w * h + number)
        if t >= first and t % k == 0:
            h = h.detach()
        loss = loss + h
    return loss.item(), torch.autograd.grad(loss + 0 * w, w)[0]


@wrong("At each cut the new state has no history either. Detach only the old state, before the line with tanh.")
def new_state_cut(w, x, k):
    return _new_state_cut(w, x, k, first=1)


@judged("new-state-cut")
def new_state_cut_from_the_start(w, x, k):
    return _new_state_cut(w, x, k, first=0)


@wrong("You cut w off, and not the state: detach h.")
def weight_cut_off_alone(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        h = torch.tanh((w.detach() if t and t % k == 0 else w) * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


@wrong("You cut x into k windows. k is the number of steps in a window.")
def number_of_windows(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t % (len(x) // k) == 0)


@wrong("The last window may be shorter than k. You left it out.")
def last_window_left_out(w, x, k):
    return follow(w, x[: len(x) // k * k], k)


@judged("last-window-left-out")
def value_of_all_windows(w, x, k):
    return follow(w, x, k)[0], follow(w.detach().requires_grad_(), x[: len(x) // k * k], k)[1]


@wrong("The loss is the sum of all windows. You return that of the last one.", parts=(0,))
def loss_of_the_last_window(w, x, k):
    first = (len(x) - 1) // k * k
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        h = torch.tanh(w.detach() * h + number)
        loss = loss + h if t >= first else 0.0
    return loss.item(), follow(w, x, k)[1]


@wrong(
    "The loss is right, the gradient is not. Cut off the state, and nothing else, before each of the steps k, 2 * k, 3 * k, ...",
    when=lambda i, expected, got: same(expected[0], got[0]) and not same(expected[1], got[1]),
)
def cut_in_the_middle(w, x, k):
    return _followed(w, x, k, when=lambda t, k: t == len(x) // 2)


@wrong("You read only the first k numbers. Read all of them; the cut affects only the gradient.")
def list_cut(w, x, k):
    return follow(w, x[:k], k)


hints = (
    "detach gives the same value without its history.",
    "t % k == 0 is true at the steps 0, k, 2 * k. A cut at step 0 changes nothing.",
    "if t % k == 0: h = h.detach(), before the line with tanh.",
)
