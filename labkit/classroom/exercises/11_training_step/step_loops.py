"""# Six loops, one of them right (3 points)

`w` starts at 1.0, the loss is `w**2`, and `optimizer` is `torch.optim.SGD([w], lr=0.1)`. Each line is the body of a loop that
runs twice. What is `w` afterwards? Answer with a list of six numbers.

0. `optimizer.zero_grad(); (w**2).backward(); optimizer.step()`
1. `(w**2).backward(); optimizer.step()`
2. `(w**2).backward(); optimizer.zero_grad(); optimizer.step()`
3. `optimizer.step(); optimizer.zero_grad(); (w**2).backward()`
4. `optimizer.zero_grad(); (w**2).backward(); optimizer.step(); optimizer.step()`
5. `optimizer.zero_grad(); (w**2).backward(); (w**2).backward(); optimizer.step()`
"""

from labkit import torch
from labkit.classroom.writing import either, judged, wrong

answer = [0.64, 0.44, 1.0, 0.8, 0.36, 0.36]
rules = (
    "Each round subtracts 0.1 times the gradient, which is 2 * w at that moment.",
    "Nothing resets .grad here: the second step uses both gradients.",
    "What is in .grad when the step is taken?",
    "In the first round .grad is still None; in the second round it contains the gradient of the first.",
    "Both steps of a round use the same .grad, which the first step does not reset.",
    "Two backward calls add up in .grad before the step.",
)
hints = (
    "The gradient of w**2 is 2 * w. A step subtracts 0.1 times the current .grad.",
    "Ask at each step: which backward calls have added to .grad since the last reset?",
    "Lines 4 and 5 give the same result. Line 2 does not change w at all.",
)
_ROUNDS = (
    ("zero", "back", "step"),
    ("back", "step"),
    ("back", "zero", "step"),
    ("step", "zero", "back"),
    ("zero", "back", "step", "step"),
    ("zero", "back", "back", "step"),
)


def _looped(actions):
    """The parameter after two rounds of a loop; the loss is w**2."""
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    does = {"zero": optimizer.zero_grad, "back": lambda: (w**2).backward(), "step": optimizer.step}
    for _ in range(2):
        for action in actions:
            does[action]()
    return w.item()


def reference():
    return [_looped(actions) for actions in _ROUNDS]


same_gradient_twice = wrong(
    "You used the gradient 2 in both rounds. After the first step w is smaller, and so is the gradient there.",
    {0: 0.6, 1: 0.4, 4: 0.2, 5: 0.2},
)

no_accumulation = wrong(
    "In line 1 .grad is never reset. The second backward adds 1.6 to the 2 that is still there.", {1: 0.64}
)

zeroed_too_late = wrong(
    "In line 2 zero_grad removes the gradient before the step, so the step has no gradient.",
    {2: either(0.64, 0.8, 0.44)},
)

first_step_has_a_gradient = wrong(
    "In line 3 the first step comes before any backward. There is no gradient yet, so the step does nothing.",
    {3: either(0.64, float("nan"))},
)

step_computes_a_gradient = wrong(
    "In line 4 the second step uses the same .grad as the first one: step does not run a backward pass.", {4: 0.4096}
)

once = judged("one-backward-counts", {2: 1, 5: 0.64})

one_round = wrong(
    "The loop runs twice. You ran it once.",
    {0: 0.8, 1: 0.8, 4: 0.6, 5: 0.6},
)

one_backward_counts = wrong(
    "The two backward calls of a round add up in .grad.",
    {5: 0.64},
)

one_step_counts = wrong(
    "There are two optimizer steps in a round, and the first of them does not reset .grad.",
    {4: either(0.64, 0.48)},
)

no_step_in_the_second_round = wrong(
    "In the second round of line 3, .grad holds the gradient of the first round, so the step moves w.",
    {3: 1.0},
)

gradient_of_w = wrong(
    "The derivative of w**2 is 2 * w. The 2 is missing.",
    {0: 0.81, 1: either(0.71, 0.81), 3: 0.9},
)

uphill = wrong(
    "A step subtracts the gradient times the rate. You added it.",
    {0: 1.44, 1: either(1.64, 1.76), 3: 1.2, 4: 1.96, 5: 1.96},
)

rate_counted_once_more = wrong(
    "The rate is 0.1: a step subtracts 0.1 times the gradient.", {0: either(1, 0.9604), 3: either(-1, 0.98)}
)

gradients_of_both_rounds = wrong(
    "zero_grad resets .grad at the beginning of each round.",
    {0: 0.44, 4: either(0.2, 0.04, -0.04), 5: either(0.12, 0.08, -0.04)},
)

change_for_w = wrong(
    "You gave the sum of the steps. Subtract this sum from 1.",
    {0: either(-0.36, 0.36), 1: either(-0.56, 0.56), 3: -0.2},
)

one_backward_each = wrong(
    "In line 1 the second step uses both gradients that are in .grad, 2 and the new one, each once.",
    {1: either(0.24, 0.6, 0.62, 0.48)},
)

gradient_of_w_in_all = wrong(
    "The derivative of w**2 is 2 * w. The 2 is missing in all of your lines.",
    {0: 0.81, 1: either(0.71, 0.81), 3: 0.9, 4: 0.64, 5: 0.64},
    together=True,
)
