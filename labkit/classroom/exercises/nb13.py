"""The predictions of notebook 13: what clipping does, and in which order."""

import numpy as np

from ...mindspore import Tensor, ops
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "13_clipping"


# ---- clip-two-rules ----


def _two_rules():
    g = Tensor([-6.0, 8.0])
    by_norm = ops.clip_by_norm(g, 5.0)
    clipped = [
        by_norm,
        ops.clip_by_value(g, -5.0, 5.0),
        ops.clip_by_value(g, clip_value_max=5.0),
        ops.clip_by_norm(g, 20.0),
        ops.clip_by_value(by_norm, -5.0, 5.0),
    ]
    return [[float(v) for v in tensor.asnumpy()] for tensor in clipped]


TWO_RULES = Exercise(
    name="clip-two-rules",
    notebook=NOTEBOOK,
    title="By norm and by value",
    points=2,
    statement="""`g` is `ms.Tensor([-6.0, 8.0])`; its length is 10. What does each line give?
Answer with a list of five lists of two numbers.

0. `ops.clip_by_norm(g, 5.0)`
1. `ops.clip_by_value(g, -5.0, 5.0)`
2. `ops.clip_by_value(g, clip_value_max=5.0)`
3. `ops.clip_by_norm(g, 20.0)`
4. `ops.clip_by_value(ops.clip_by_norm(g, 5.0), -5.0, 5.0)`""",
    reference=_two_rules,
    misconceptions=(
        Misconception(
            "norm-of-each-element",
            "In line 0 you limited each element on its own. By norm, one factor multiplies both elements.",
            lambda inputs, expected, got: same(expected[1], got[0]),
        ),
        Misconception(
            "always-of-length-one",
            "In line 0 you made a gradient of length 1. The limit is 5, and so is the new length.",
            lambda inputs, expected, got: same([-0.6, 0.8], got[0]),
        ),
        Misconception(
            "sign-lost",
            "By value, an element that is too low becomes the lower limit: it keeps its sign.",
            lambda inputs, expected, got: same([5, 5], got[1]),
        ),
        Misconception(
            "one-limit-for-both-sides",
            "clip_value_max limits from above only. −6 is below 5, so it stays as it is.",
            lambda inputs, expected, got: same(expected[:2], got[:2]) and same(expected[1], got[2]),
        ),
        Misconception(
            "stretched",
            "You made the gradient longer. A clip leaves a gradient alone that is shorter than the limit.",
            lambda inputs, expected, got: same([-12, 16], got[3]),
        ),
        Misconception(
            "box-inside-ball",
            "After the clip by norm no element is larger than the limit: the ball lies inside the box. The second clip has "
            "nothing to do.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and same(expected[1], got[4]),
        ),
    ),
    rules=(
        "By norm: where it is too long, one factor brings all of it to the limit.",
        "By value: each element for itself, between both bounds.",
        "By value: only the bounds that are given. Which one is not?",
        "By norm: is it too long at all?",
        "First by norm, then by value: does the second clip still find something to change?",
    ),
    hints=(
        "By norm: the factor is limit / length where that is below 1, and the same for both elements.",
        "By value: each element for itself, and only the bounds that are given.",
        "Two of the five lines give the same, and one gives g itself.",
    ),
    solution="answer = [[-3, 4], [-5, 5], [-6, 5], [-6, 8], [-3, 4]]",
    wrong_answers=(
        WrongAnswer("elements", "answer = [[-5, 5], [-5, 5], [-6, 5], [-6, 8], [-5, 5]]", "norm-of-each-element"),
        WrongAnswer(
            "length one", "answer = [[-0.6, 0.8], [-5, 5], [-6, 5], [-6, 8], [-0.6, 0.8]]", "always-of-length-one"
        ),
        WrongAnswer("positive", "answer = [[-3, 4], [5, 5], [-6, 5], [-6, 8], [-3, 4]]", "sign-lost"),
        WrongAnswer("both sides", "answer = [[-3, 4], [-5, 5], [-5, 5], [-6, 8], [-3, 4]]", "one-limit-for-both-sides"),
        WrongAnswer("longer", "answer = [[-3, 4], [-5, 5], [-6, 5], [-12, 16], [-3, 4]]", "stretched"),
        WrongAnswer("again", "answer = [[-3, 4], [-5, 5], [-6, 5], [-6, 8], [-5, 5]]", "box-inside-ball"),
        WrongAnswer("ten numbers", "answer = [-3, 4, -5, 5, -6, 5, -6, 8, -3, 4]", "structure"),
    ),
)


# ---- clip-ratios ----


def _ratio(pair):
    first, second = (float(np.linalg.norm(tensor.asnumpy())) for tensor in pair)
    return second / first


def _ratios():
    a, b = Tensor([3.0, 4.0]), Tensor([0.0, 12.0])
    pairs = [
        (a, b),
        ops.clip_by_global_norm((a, b), 1.0),
        ops.clip_by_norm((a, b), 1.0),
        (ops.clip_by_norm(a, 1.0), ops.clip_by_norm(b, 1.0)),
        (ops.clip_by_norm(a, 6.0), ops.clip_by_norm(b, 6.0)),
        ops.clip_by_value((a, b), -4.0, 4.0),
    ]
    return [_ratio(pair) for pair in pairs]


RATIOS = Exercise(
    name="clip-ratios",
    notebook=NOTEBOOK,
    title="Which clip changes the ratio?",
    points=2,
    statement="""Two parameters have the gradients `a = ms.Tensor([3.0, 4.0])` and `b = ms.Tensor([0.0, 12.0])`.
For each line: the length of the second result, divided by the length of the first. Answer with a list of six numbers.

0. `a, b` (no clip)
1. `ops.clip_by_global_norm((a, b), 1.0)`
2. `ops.clip_by_norm((a, b), 1.0)`
3. `ops.clip_by_norm(a, 1.0), ops.clip_by_norm(b, 1.0)`
4. `ops.clip_by_norm(a, 6.0), ops.clip_by_norm(b, 6.0)`
5. `ops.clip_by_value((a, b), -4.0, 4.0)`""",
    reference=_ratios,
    misconceptions=(
        Misconception(
            "global-means-each",
            "A global norm is the length of all gradients together. There is one factor, so the ratio stays.",
            lambda inputs, expected, got: same(1.0, got[1]),
        ),
        Misconception(
            "tuple-means-each",
            "Given a tuple, ops.clip_by_norm takes one norm of all its tensors together. Only line 3 clips each alone.",
            lambda inputs, expected, got: same(expected[:2], got[:2]) and same(1.0, got[2]),
        ),
        Misconception(
            "all-to-the-limit",
            "In line 4 only b is longer than 6. a has the length 5 and keeps it.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and same(1.0, got[4]),
        ),
        Misconception(
            "by-value-keeps-ratios",
            "By value, each element is limited for itself: 12 becomes 4, and 3 and 4 stay.",
            lambda inputs, expected, got: same(expected[:5], got[:5]) and same(expected[0], got[5]),
        ),
    ),
    rules=(
        "Both lengths as they are: the second over the first.",
        "One norm over both gradients gives one factor for both.",
        "A tuple is clipped with one norm over all of it: one factor for both.",
        "Each is clipped alone: how long is each of them then?",
        "Each is clipped alone: which of them is longer than the limit at all?",
        "By value each element is cut for itself: what is left of each gradient?",
    ),
    hints=(
        "The lengths are 5 and 12 before the clip, so line 0 is 12 / 5.",
        "Where one factor multiplies both, the ratio stays. In which lines is there one factor for both?",
        "Line 3 gives two gradients of length 1. In line 5, b becomes [0, 4] and a stays.",
    ),
    solution="answer = [2.4, 2.4, 2.4, 1.0, 1.2, 0.8]",
    wrong_answers=(
        WrongAnswer("global is each", "answer = [2.4, 1, 1, 1, 1.2, 0.8]", "global-means-each"),
        WrongAnswer("tuple is each", "answer = [2.4, 2.4, 1, 1, 1.2, 0.8]", "tuple-means-each"),
        WrongAnswer("both to 6", "answer = [2.4, 2.4, 2.4, 1, 1, 0.8]", "all-to-the-limit"),
        WrongAnswer("value keeps", "answer = [2.4, 2.4, 2.4, 1, 1.2, 2.4]", "by-value-keeps-ratios"),
        WrongAnswer("upside down", "answer = [5 / 12, 5 / 12, 5 / 12, 1, 5 / 6, 5 / 4]", "value"),
        WrongAnswer("five", "answer = [2.4, 2.4, 2.4, 1, 1.2]", "structure"),
    ),
)


# ---- clip-orders ----

SIGNS = {  # part of what `faults` says -> the word for it
    "sees gradients": "scale",
    "clipped on its own": "alone",
    "worker 2 skips": "apart",
    "is not seen": "hidden",
}
ORDERS = (
    ("unscale, clip, reduce, check", "global norm"),
    ("reduce, unscale, check, clip", "global norm"),
    ("reduce, clip, unscale, check", "global norm"),
    ("unscale, check, reduce, clip", "global norm"),
    ("unscale, reduce, clip, check", "global norm"),
    ("unscale, reduce, clip, check", "value"),
)


def _verdict(order, rule):
    from ...widgets.labs.clipping import faults

    said = " ".join(sentence for overflow in (False, True) for sentence in faults(order.split(", "), overflow, rule))
    return next((word for sign, word in SIGNS.items() if sign in said), "right")


WHICH_ORDERS = Exercise(
    name="clip-orders",
    notebook=NOTEBOOK,
    title="Which order is wrong?",
    points=3,
    statement="""Two workers, a loss scale, and now and then an inf in the gradient of one worker.
Write `"right"` where an order always works. Otherwise write what goes wrong:

- `"scale"`: the clip sees gradients that still carry the loss scale
- `"alone"`: each worker is clipped alone, and the step has another direction
- `"apart"`: after an overflow one worker skips its step and the other does not
- `"hidden"`: an overflow is not noticed

Answer with a list of six texts.

0. unscale, clip, reduce, check; clip by global norm
1. reduce, unscale, check, clip; clip by global norm
2. reduce, clip, unscale, check; clip by global norm
3. unscale, check, reduce, clip; clip by global norm
4. unscale, reduce, clip, check; clip by global norm
5. unscale, reduce, clip, check; clip by value""",
    reference=lambda: [_verdict(*order) for order in ORDERS],
    misconceptions=(
        Misconception(
            "documents-are-right",
            "Order 0 is the one in the document, and it is wrong with two workers: the clip must see the mean.",
            lambda inputs, expected, got: got[0] == "right",
        ),
        Misconception(
            "unscale-must-come-first",
            "Unscale and reduce both multiply by a number, so they may change places. Order 1 works.",
            lambda inputs, expected, got: got[1] in SIGNS.values(),
        ),
        Misconception(
            "one-check-each-is-enough",
            "In order 3 each worker looks at its own gradient. The one that has an inf skips; the other one goes on.",
            lambda inputs, expected, got: got[3] == "right",
        ),
        Misconception(
            "every-clip-hides",
            "The global norm of a gradient with an inf is inf, and inf / inf is nan. So a check after that clip sees it.",
            lambda inputs, expected, got: got[4] == "hidden",
        ),
        Misconception(
            "no-clip-hides",
            "By value, an inf becomes the limit: a finite number like any other. A check after that clip sees nothing.",
            lambda inputs, expected, got: got[5] == "right",
        ),
    ),
    rules=(
        "The clip comes before the reduce here: what does each worker do on its own?",
        "Ask at the clip: is the scale off, and are all workers in it? Then ask the same of the check.",
        "What do the gradients still carry when the clip sees them?",
        "The check comes before the reduce here: who knows of an inf, and who does not?",
        "After the reduce every worker holds the same. What does a clip by norm make of an inf: can the check still see it?",
        "What does a clip by value make of an inf: can the check still see it?",
    ),
    hints=(
        "Two things belong after the reduce: the clip, and the check. One thing belongs before the clip: the unscale.",
        "What does each of the two clips make of an inf? Only one of the results can still be seen by a check.",
        "Two orders are right. The four others have four different faults.",
    ),
    solution='answer = ["alone", "right", "scale", "apart", "right", "hidden"]',
    wrong_answers=(
        WrongAnswer("trust", 'answer = ["right", "right", "scale", "apart", "right", "hidden"]', "documents-are-right"),
        WrongAnswer(
            "unscale first",
            'answer = ["alone", "scale", "scale", "apart", "right", "hidden"]',
            "unscale-must-come-first",
        ),
        WrongAnswer(
            "early check",
            'answer = ["alone", "right", "scale", "right", "right", "hidden"]',
            "one-check-each-is-enough",
        ),
        WrongAnswer("hides", 'answer = ["alone", "right", "scale", "apart", "hidden", "hidden"]', "every-clip-hides"),
        WrongAnswer("sees", 'answer = ["alone", "right", "scale", "apart", "right", "right"]', "no-clip-hides"),
        WrongAnswer("other word", 'answer = ["alone", "right", "alone", "apart", "right", "hidden"]', "value"),
    ),
)

EXERCISES = (TWO_RULES, RATIOS, WHICH_ORDERS)
