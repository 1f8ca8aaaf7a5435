"""The predictions of notebook 12: loss scaling."""

import numpy as np

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "12_loss_scaling"


# ---- scale-slip ----

GRADIENTS = (1e-8, 1e-3, 200.0, 1e6)


def _slip():
    found = []
    for gradient in GRADIENTS:
        for scale in (1.0, 1024.0):
            held = float(np.float16(gradient * scale))
            found.append("0" if held == 0 else "kept" if np.isfinite(held) else "inf")
    cured = found[0] == "0" and found[1] == "kept"
    return [*found, "underflow" if cured else "overflow"]


SLIP = Exercise(
    name="scale-slip",
    notebook=NOTEBOOK,
    title="Overflow or underflow?",
    points=3,
    statement="""Two versions of the same guide do not agree on what loss scale protects gradients from. One says *overflow*, the
other one *underflow*. Find out which is right.

Four gradients are computed in float16. Exactly, they are 1e-8, 1e-3, 200 and 1e6. What does float16 hold, without a scale and
with the scale 1024? Answer with a list of nine texts; the first eight are `"0"`, `"kept"` or `"inf"`.

0. 1e-8, no scale
1. 1e-8, scale 1024
2. 1e-3, no scale
3. 1e-3, scale 1024
4. 200, no scale
5. 200, scale 1024
6. 1e6, no scale
7. 1e6, scale 1024
8. So a loss scale protects from: `"overflow"` or `"underflow"`?""",
    reference=_slip,
    misconceptions=(
        Misconception(
            "scale-shrinks",
            "A loss scale larger than 1 makes gradients larger. What did not fit before fits even less.",
            lambda i, expected, got: got[7] == "kept" or got[8] == "overflow",
        ),
        Misconception(
            "rounded-before-scaling",
            "The loss is multiplied before the way back begins. So 1024 * 1e-8 is what float16 has to hold, and it can.",
            lambda i, expected, got: got[1] == "0",
        ),
        Misconception(
            "scale-is-free",
            "200 * 1024 is 204800. float16 ends at 65504: a scale can be too large.",
            lambda i, expected, got: got[5] == "kept" and same(expected[:5], list(got[:5])),
        ),
        Misconception(
            "float16-has-no-lower-end",
            "1e-8 is less than half of the smallest float16, 6e-8. It becomes 0.",
            lambda i, expected, got: got[0] == "kept",
        ),
    ),
    rules=(
        "Compare it with the smallest number of float16, about 6e-8.",
        "Multiply by the scale first. Is the product between 6e-8 and 65504?",
        "Is it between 6e-8 and 65504?",
        "Multiply by the scale first. Is the product between 6e-8 and 65504?",
        "Is it between 6e-8 and 65504?",
        "Multiply by the scale first. Is the product between 6e-8 and 65504?",
        "Is it between 6e-8 and 65504?",
        "Multiply by the scale first. Is the product between 6e-8 and 65504?",
        "Which of the gradients does the scale save, and at which end are they?",
    ),
    hints=(
        "Multiply first, then ask whether float16 has such a number: from 6e-8 to 65504.",
        "The scale moves all gradients up by the same factor. Which end does that help?",
        "Two of the eight are lost at the upper end without any need: which scale did that?",
    ),
    solution='answer = ["0", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]',
    wrong_answers=(
        WrongAnswer(
            "overflow",
            'answer = ["0", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "overflow"]',
            "scale-shrinks",
        ),
        WrongAnswer(
            "divided", 'answer = ["0", "0", "kept", "kept", "kept", "kept", "inf", "kept", "overflow"]', "scale-shrinks"
        ),
        WrongAnswer(
            "too late",
            'answer = ["0", "0", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]',
            "rounded-before-scaling",
        ),
        WrongAnswer(
            "free", 'answer = ["0", "kept", "kept", "kept", "kept", "kept", "inf", "inf", "underflow"]', "scale-is-free"
        ),
        WrongAnswer(
            "no end",
            'answer = ["kept", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]',
            "float16-has-no-lower-end",
        ),
        WrongAnswer(
            "1e6 fits", 'answer = ["0", "kept", "kept", "kept", "kept", "inf", "kept", "inf", "underflow"]', "value"
        ),
        WrongAnswer("the word", 'answer = "underflow"', "kind"),
    ),
)


# ---- scale-history ----

FINITE = (True, True, True, True, False, True, True, True, False, False, True)


def _history():
    scaler = ms.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=3)
    found = []
    for finite in FINITE:
        scaler.adjust(ms.Tensor(finite))
        found.append(float(scaler.scale_value.asnumpy()))
    return found


def _other_history(window=3, reset=True, shrinks=True):
    """What a scaler would do that counts otherwise."""
    scale, good, found = 1024.0, 0, []
    for finite in FINITE:
        good = good + 1 if finite else 0 if reset else good
        if finite and good == window:
            scale, good = scale * 2, 0
        if not finite and shrinks:
            scale /= 2
        found.append(scale)
    return found


HISTORY = Exercise(
    name="scale-history",
    notebook=NOTEBOOK,
    title="The history of a scale",
    points=2,
    statement="""`scaler = ms.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=3)`

Eleven training steps follow. Were all gradients finite?

    yes, yes, yes, yes, no, yes, yes, yes, no, no, yes

After each step `scaler.adjust(...)` is called. What is the scale then?
Answer with a list of eleven numbers; the first one is the scale after the first step.""",
    reference=_history,
    misconceptions=(
        Misconception(
            "grows-every-step",
            "You let the scale grow after every good step. It waits for three good ones in a row.",
            lambda i, expected, got: same(_other_history(window=1), got),
        ),
        Misconception(
            "window-does-not-restart",
            "After an overflow the counting starts again from 0: three good steps in a row are needed, not three in all.",
            lambda i, expected, got: same(_other_history(reset=False), got),
        ),
        Misconception(
            "one-step-late",
            "Your scales are right, but one step late: the scale changes after the step that completes the window or "
            "overflows, and item 0 is the scale after the first step.",
            lambda i, expected, got: same([1024.0, *expected[:-1]], got),
        ),
        Misconception(
            "never-shrinks",
            "After overflow the step is left out, and the scale is divided by the factor.",
            lambda i, expected, got: same(_other_history(shrinks=False), got),
        ),
    ),
    rules=(
        "Count the good steps in a row. At the third one the scale grows and the count begins again; at an "
        "overflow it shrinks, and the count begins again.",
    ),
    hints=(
        "Keep two numbers: the scale, and how many good steps there have been in a row.",
        "At three the scale doubles and the count starts again. At an overflow the scale halves and the count starts again.",
        "After step 3: 2048. After step 5: 1024. After step 8: 2048.",
    ),
    solution="answer = [1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512, 512]",
    wrong_answers=(
        WrongAnswer(
            "every step",
            "answer = [2048, 4096, 8192, 16384, 8192, 16384, 32768, 65536, 32768, 16384, 32768]",
            "grows-every-step",
        ),
        WrongAnswer(
            "no restart",
            "answer = [1024, 1024, 2048, 2048, 1024, 1024, 2048, 2048, 1024, 512, 512]",
            "window-does-not-restart",
        ),
        WrongAnswer(
            "late", "answer = [1024, 1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512]", "one-step-late"
        ),
        WrongAnswer(
            "only up",
            "answer = [1024, 1024, 2048, 2048, 2048, 2048, 2048, 4096, 4096, 4096, 4096]",
            "never-shrinks",
        ),
        WrongAnswer("constant", "answer = [1024] * 11", "value"),
        WrongAnswer("ten", "answer = [1024] * 10", "structure"),
    ),
)


# ---- scale-dialects ----


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


def _dialects():
    bad, mixed, scalers = (False,) * 3, (True, True, False), torch.amp.GradScaler
    return [
        _mindspore_scale(ms.amp.StaticLossScaler(1024.0), bad),
        _mindspore_scale(ms.amp.DynamicLossScaler(2, 2, 1), bad),
        _torch_scale(scalers("cpu", init_scale=2.0, growth_interval=1), bad),
        _mindspore_scale(ms.amp.DynamicLossScaler(8, 4, 1), mixed),
        _torch_scale(scalers("cpu", init_scale=8.0, growth_factor=4.0, growth_interval=1), mixed),
    ]


DIALECTS = Exercise(
    name="scale-dialects",
    notebook=NOTEBOOK,
    title="The same steps, two dialects",
    points=2,
    statement="""Predict the scale after three steps. Answer with a list of five numbers.

Three steps that overflow:

0. `ms.amp.StaticLossScaler(1024.0)`
1. `ms.amp.DynamicLossScaler(2, 2, 1)`
2. `torch.amp.GradScaler("cpu", init_scale=2.0, growth_interval=1)`

Two good steps, then one that overflows:

3. `ms.amp.DynamicLossScaler(8, 4, 1)`
4. `torch.amp.GradScaler("cpu", init_scale=8.0, growth_factor=4.0, growth_interval=1)`""",
    reference=_dialects,
    misconceptions=(
        Misconception(
            "static-changes",
            "A static scaler is static: adjust does nothing, and it is for you to skip the step.",
            lambda i, expected, got: len(got) == 5 and got[0] < expected[0],
        ),
        Misconception(
            "no-floor",
            "MindSpore's scale never falls below 1.",
            lambda i, expected, got: got[1] == expected[2],
        ),
        Misconception(
            "floor-in-both",
            "The floor of 1 is MindSpore's. PyTorch goes on halving.",
            lambda i, expected, got: same([*expected[:2], 1.0], list(got[:3])),
        ),
        Misconception(
            "one-factor-for-both-ways",
            "In PyTorch the way down has a factor of its own, backoff_factor. It is 0.5 unless you change it.",
            lambda i, expected, got: got[4] == got[3] and same(expected[:4], list(got[:4])),
        ),
        Misconception(
            "two-factors-in-mindspore",
            "MindSpore has one factor for both ways: multiplied by 4, and divided by 4.",
            lambda i, expected, got: got[3] == expected[4] and same(expected[:3], list(got[:3])),
        ),
    ),
    rules=(
        "A static scale stays, whatever happens.",
        "MindSpore divides by the factor at an overflow, but has a lower end. Which?",
        "PyTorch multiplies by the backoff factor at each overflow, and has no lower end.",
        "With a window of one every good step lets it grow by the factor; an overflow divides by the same factor.",
        "With an interval of one every good step lets it grow by growth_factor; an overflow multiplies by the "
        "backoff factor, which is not given here.",
    ),
    hints=(
        "The three arguments of DynamicLossScaler are the scale, the factor, and the window.",
        "With a window of 1 every good step lets the scale grow. How small can it get in each framework?",
        "Two good steps with the factor 4: 8, 32, 128. Then down: by 4, or by the backoff factor, 0.5.",
    ),
    solution="answer = [1024, 1, 0.25, 32, 64]",
    wrong_answers=(
        WrongAnswer("static", "answer = [128, 1, 0.25, 32, 64]", "static-changes"),
        WrongAnswer("no floor", "answer = [1024, 0.25, 0.25, 32, 64]", "no-floor"),
        WrongAnswer("two floors", "answer = [1024, 1, 1, 32, 64]", "floor-in-both"),
        WrongAnswer("one factor", "answer = [1024, 1, 0.25, 32, 32]", "one-factor-for-both-ways"),
        WrongAnswer("halved", "answer = [1024, 1, 0.25, 64, 64]", "two-factors-in-mindspore"),
        WrongAnswer("128", "answer = [1024, 1, 0.25, 128, 128]", "value"),
        WrongAnswer("four", "answer = [1024, 1, 0.25, 32]", "structure"),
    ),
)

EXERCISES = (SLIP, HISTORY, DIALECTS)
