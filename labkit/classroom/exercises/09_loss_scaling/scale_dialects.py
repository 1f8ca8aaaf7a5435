"""# The same steps in two dialects (2 points)

Predict the scale after three steps. Answer with a list of five numbers.

Three steps that overflow:

0. `ms.amp.StaticLossScaler(1024.0)`
1. `ms.amp.DynamicLossScaler(2, 2, 1)`
2. `torch.amp.GradScaler("cpu", init_scale=2.0, growth_interval=1)`

Two good steps, then one that overflows:

3. `ms.amp.DynamicLossScaler(8, 4, 1)`
4. `torch.amp.GradScaler("cpu", init_scale=8.0, growth_factor=4.0, growth_interval=1)`
"""

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.writing import either, judged, wrong

answer = [1024, 1, 0.25, 32, 64]
rules = (
    "A static scale never changes.",
    "MindSpore divides by the factor at an overflow, but its scale has a lower limit. Which one?",
    "PyTorch multiplies by the backoff factor at each overflow, and has no lower limit.",
    "With a window of 1 every good step multiplies the scale by the factor; an overflow divides by the same factor.",
    "With an interval of 1 every good step multiplies the scale by growth_factor; an overflow multiplies by the backoff "
    "factor, which is not given here.",
)
hints = (
    "The three arguments of DynamicLossScaler are the scale, the factor, and the window.",
    "With a window of 1 every good step makes the scale larger. How small can the scale get in each framework?",
    "Two good steps with the factor 4: 8, 32, 128. Then divide by 4, or multiply by the backoff factor, 0.5.",
)


def _mindspore_scale(scaler, finite):
    for each in finite:
        scaler.adjust(ms.Tensor(each))
    return float(scaler.scale_value.asnumpy())


def _torch_scale(scaler, finite):
    parameter = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.SGD([parameter], lr=0.0)
    for each in finite:
        optimizer.zero_grad()
        scaler.scale(parameter * (1.0 if each else float("inf"))).backward()
        scaler.step(optimizer)
        scaler.update()
    return scaler.get_scale()


def reference():
    bad, mixed, scalers = (False,) * 3, (True, True, False), torch.amp.GradScaler
    return [
        _mindspore_scale(ms.amp.StaticLossScaler(1024.0), bad),
        _mindspore_scale(ms.amp.DynamicLossScaler(2, 2, 1), bad),
        _torch_scale(scalers("cpu", init_scale=2.0, growth_interval=1), bad),
        _mindspore_scale(ms.amp.DynamicLossScaler(8, 4, 1), mixed),
        _torch_scale(scalers("cpu", init_scale=8.0, growth_factor=4.0, growth_interval=1), mixed),
    ]


static_changes = wrong(
    "A static scaler never changes: adjust does nothing, and you have to skip the step yourself.",
    {0: lambda expected, got: got != expected},
    answer={0: 128},
)

no_floor = wrong("MindSpore's scale never falls below 1.", {1: either(0.25, 0.5, 0.125, 0)})
floor_in_both = wrong("The lower limit of 1 is MindSpore's. PyTorch continues to halve.", {2: 1})

one_factor_for_both_ways = wrong(
    "PyTorch has a separate factor for reducing the scale, backoff_factor, which is 0.5 by default.", {4: 32}
)

two_factors_in_mindspore = wrong(
    "MindSpore has one factor for both directions: multiplied by 4, and divided by 4.", {3: 64}
)

a_128 = judged("overflow-ignored", {3: 128, 4: 128})
four = judged("structure", [1024, 1, 0.25, 32])

factor_added = wrong(
    "The scale is multiplied by the factor. You added the factor.",
    {3: either(4, 16 / 4), 4: either(8, 12)},
)

overflow_ignored = wrong(
    "An overflow makes the scale smaller.",
    {1: 2, 2: 2, 3: either(128, 512), 4: either(128, 512)},
)

one_growth = wrong(
    "With a window of 1 each good step increases the scale: there are two.",
    {3: 8, 4: 16},
    together=True,
)

growth_by_two = wrong(
    "The scale grows by a factor of 4 here: two good steps turn 8 into 128, and then comes the overflow.",
    {3: 16, 4: 16},
)

back_to_one = wrong(
    "An overflow makes the scale smaller by one factor. It does not go back to the start or to 1.",
    {3: either(1, 8), 4: either(1, 8)},
)

another_number_of_overflows = wrong(
    "Each of the three steps overflows, so the scale is halved three times.", {2: either(0.5, 0.125, 0)}
)

no_growth = wrong(
    "The two good steps count as well: with a window of 1 each of them increases the scale.", {3: 2, 4: 4}
)
