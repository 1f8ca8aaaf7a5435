"""The predictions of notebook 07: what `value_and_grad` returns, what a seed selects, which calls fail."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import engine
from ... import mindspore as ms
from ...engine import map_leaves
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer, raised
from .nb06 import _example

NOTEBOOK = "07_value_and_grad"


# ---- sens-structures ----

NAMES: dict[str, Any] = {  # at the documents' weight and inputs, all different
    "loss": 1.0, "logits": 20.0, "dx": [[4.0, 6.0, 8.0]], "sx": [[6.0, 9.0, 12.0]], "dy": -2.0, "dw": [[2.0, 4.0, 6.0]],
}  # fmt: skip


def _name_of(tensor):
    return next(name for name, value in NAMES.items() if same(np.float32(value), tensor.asnumpy()))


def _structures():
    net, x, y = _example()
    weights = net.trainable_params()
    results = [
        ms.value_and_grad(net, 0, None, has_aux=True)(x, y),
        ms.value_and_grad(net, 0)(x, y),
        ms.grad(net, 0, has_aux=True)(x, y),
        ms.grad(net, 0)(x, y),
        ms.value_and_grad(lambda x, y: net(x, y)[0], 0)(x, y),
        ms.value_and_grad(net, (0, 1), weights, has_aux=True)(x, y),
    ]
    return [map_leaves(_name_of, result) for result in results]


STRUCTURES = Exercise(
    name="sens-structures",
    notebook=NOTEBOOK,
    title="Six results",
    points=3,
    statement="""What comes back? Write `"loss"`, `"logits"`, `"dx"`, `"dy"`, `"dw"` for the two outputs of `net` and for the
gradients of the *loss*, and `"sx"` for the gradient of *loss + logits* for `x`. Use tuples exactly as the result does.
`weights` is `net.trainable_params()`, a list with one parameter. Answer with a list of six.

0. `ms.value_and_grad(net, 0, None, has_aux=True)(x, y)`
1. `ms.value_and_grad(net, 0)(x, y)`
2. `ms.grad(net, 0, has_aux=True)(x, y)`
3. `ms.grad(net, 0)(x, y)`
4. `ms.value_and_grad(lambda x, y: net(x, y)[0], 0)(x, y)`
5. `ms.value_and_grad(net, (0, 1), weights, has_aux=True)(x, y)`""",
    reference=_structures,
    misconceptions=(
        Misconception(
            "sum-forgotten",
            "Without has_aux every output is differentiated, in value_and_grad as in grad: the gradient is that of "
            "loss + logits.",
            lambda inputs, expected, got: got[1] == (("loss", "logits"), "dx") or got[3] == "dx",
        ),
        Misconception(
            "gradients-first",
            "The name tells the order: value_and_grad gives the value first, then the gradients.",
            lambda inputs, expected, got: got[4] == ("dx", "loss") or got[0] == ("dx", ("loss", "logits")),
        ),
        Misconception(
            "aux-of-its-own",
            "value_and_grad has no place of its own for the other outputs. The value is what the network returns: "
            "all outputs, with or without has_aux.",
            lambda inputs, expected, got: (
                got[0] in (("loss", "dx"), ("loss", "dx", ("logits",)), ("loss", "dx", "logits"))
                or got[0] in ((("loss",), "dx"), ("loss", ("dx", ("logits",))))
            ),
        ),
        Misconception(
            "one-aux-bare",
            "grad with has_aux gives the other outputs as a tuple, even when there is only one.",
            lambda inputs, expected, got: got[2] == ("dx", "logits"),
        ),
    ),
    rules=(
        "value_and_grad gives a pair: all that the function returned, and the gradient. With has_aux the "
        "first output alone is differentiated.",
        "Without has_aux the outputs are added, and their sum is differentiated. The values come as the "
        "function returned them.",
        "With has_aux, grad gives a pair: the gradient, and a tuple of the other outputs.",
        "Without has_aux the sum of the outputs is differentiated, and grad gives the gradient alone.",
        "This function returns one output, so its value is no tuple.",
        "The values are as for one gradient. The gradients are a pair: those of the inputs, and a tuple as "
        "long as the list of weights.",
    ),
    hints=(
        "value_and_grad gives a pair: (what the function returns, gradients). grad gives the gradients.",
        "has_aux decides what is differentiated: with it the loss alone, without it loss + logits. In grad it also "
        "adds a tuple of the other outputs.",
        "Item 0 is a pair whose first part is a pair. Item 5 has the same first part and the gradients of notebook 06.",
    ),
    solution="""
answer = [
    (("loss", "logits"), "dx"),
    (("loss", "logits"), "sx"),
    ("dx", ("logits",)),
    "sx",
    ("loss", "dx"),
    (("loss", "logits"), (("dx", "dy"), ("dw",))),
]
""",
    wrong_answers=(
        WrongAnswer(
            "loss alone",
            'v = ("loss", "logits")\n'
            'answer = [(v, "dx"), (v, "dx"), ("dx", ("logits",)), "dx", ("loss", "dx"), (v, (("dx", "dy"), ("dw",)))]',
            "sum-forgotten",
        ),
        WrongAnswer(
            "gradients first",
            'v = ("loss", "logits")\n'
            'answer = [("dx", v), ("sx", v), ("dx", ("logits",)), "sx", ("dx", "loss"), ((("dx", "dy"), ("dw",)), v)]',
            "gradients-first",
        ),
        WrongAnswer(
            "a place for aux",
            'v = ("loss", "logits")\n'
            'answer = [("loss", "dx", ("logits",)), (v, "sx"), ("dx", ("logits",)), "sx", ("loss", "dx"), '
            '("loss", (("dx", "dy"), ("dw",)), ("logits",))]',
            "aux-of-its-own",
        ),
        WrongAnswer(
            "bare aux",
            'v = ("loss", "logits")\n'
            'answer = [(v, "dx"), (v, "sx"), ("dx", "logits"), "sx", ("loss", "dx"), (v, (("dx", "dy"), ("dw",)))]',
            "one-aux-bare",
        ),
        WrongAnswer(
            "flat",
            'v = ("loss", "logits")\n'
            'answer = [(v, "dx"), (v, "sx"), ("dx", ("logits",)), "sx", ("loss", "dx"), (v, ("dx", "dy", "dw"))]',
            "structure",
        ),
    ),
)


# ---- sens-choose ----

Y = np.array([3.0, -1.0, 2.0])
GOALS = (
    anp.sum,
    anp.mean,
    lambda y: y[1],
    lambda y: 2 * y[0] - y[2],
    lambda y: anp.sum(y**2),
    anp.max,
)


def _seeds():
    return [[float(seed) for seed in engine.grad(goal)(Y)] for goal in GOALS]


CHOOSE = Exercise(
    name="sens-choose",
    notebook=NOTEBOOK,
    title="Choose the seed",
    points=2,
    statement="""A function `y(x)` has three outputs. At this `x` they are `[3.0, -1.0, 2.0]`.
Which `sens` makes `ms.grad(y, sens_param=True)(x, sens)` the gradient of

0. the sum `y[0] + y[1] + y[2]`?
1. the mean of the outputs?
2. `y[1]` alone?
3. `2 * y[0] - y[2]`?
4. `y[0]**2 + y[1]**2 + y[2]**2`?
5. the largest output?

Answer with a list of six lists of three numbers.""",
    reference=_seeds,
    misconceptions=(
        Misconception(
            "values-as-seeds",
            "You seeded with values. A seed is a slope: how much the number that you want moves when this output moves. "
            "For the sum of squares that is 2 * y[i]; for the largest output it is 1 or 0.",
            lambda inputs, expected, got: (
                same([9.0, 1.0, 4.0], list(got[4]))
                or same(list(Y), list(got[4]))
                or same([3.0, 0.0, 0.0], list(got[5]))
            ),
        ),
        Misconception(
            "mean-as-sum",
            "Ones give the sum. In a mean each output counts one third.",
            lambda inputs, expected, got: same([1.0] * 3, list(got[1])),
        ),
        Misconception(
            "sign-dropped",
            "y[2] is subtracted: its seed is negative.",
            lambda inputs, expected, got: same([2.0, 0.0, 1.0], list(got[3])),
        ),
        Misconception(
            "signs-of-the-values",
            "The sign of a seed is not the sign of the output. In item 2 y[1] counts once, whatever its value is.",
            lambda inputs, expected, got: same([0.0, -1.0, 0.0], list(got[2])),
        ),
    ),
    rules=(
        "The seed says how much each output counts.",
        "A mean is a sum in which each output counts the same part.",
        "Outputs that are not wanted do not count. The first output is y[0].",
        "The factor of each output is its seed; an output that does not occur has none.",
        "The seed is the derivative of what is wanted for each output: at their values, given above.",
        "Which output is the largest at this x? The others do not matter.",
    ),
    hints=(
        "sens[i] says how much output i counts: the derivative of what you want for y[i].",
        "Items 0 to 3 are sums of the outputs with factors. The factors are the seeds; write 1/3 for a third.",
        "Item 4: differentiate y[0]**2 for y[0]. Item 5: only one output is the largest one.",
    ),
    solution="""
answer = [[1, 1, 1], [1 / 3, 1 / 3, 1 / 3], [0, 1, 0], [2, 0, -1], [6.0, -2.0, 4.0], [1, 0, 0]]
""",
    wrong_answers=(
        WrongAnswer(
            "squares",
            "answer = [[1, 1, 1], [1/3, 1/3, 1/3], [0, 1, 0], [2, 0, -1], [9, 1, 4], [1, 0, 0]]",
            "values-as-seeds",
        ),
        WrongAnswer(
            "the largest value",
            "answer = [[1, 1, 1], [1/3, 1/3, 1/3], [0, 1, 0], [2, 0, -1], [6, -2, 4], [3, 0, 0]]",
            "values-as-seeds",
        ),
        WrongAnswer(
            "mean", "answer = [[1, 1, 1], [1, 1, 1], [0, 1, 0], [2, 0, -1], [6, -2, 4], [1, 0, 0]]", "mean-as-sum"
        ),
        WrongAnswer(
            "no sign",
            "answer = [[1, 1, 1], [1/3, 1/3, 1/3], [0, 1, 0], [2, 0, 1], [6, -2, 4], [1, 0, 0]]",
            "sign-dropped",
        ),
        WrongAnswer(
            "sign of y",
            "answer = [[1, 1, 1], [1/3, 1/3, 1/3], [0, -1, 0], [2, 0, -1], [6, -2, 4], [1, 0, 0]]",
            "signs-of-the-values",
        ),
        WrongAnswer("one number each", "answer = [1, 1/3, 1, 2, 6, 1]", "structure"),
        WrongAnswer("all ones", "answer = [[1.0] * 3] * 6", "mean-as-sum"),
        WrongAnswer(
            "twice too much",
            "answer = [[1, 1, 1], [1/3, 1/3, 1/3], [0, 1, 0], [2, 0, -1], [12, -4, 8], [1, 0, 0]]",
            "value",
        ),
    ),
)


# ---- sens-errors ----


def _errors():
    v, s = ms.Tensor([1.0, 2.0], ms.float32), ms.Tensor([1.0, 10.0], ms.float32)

    def f(v):
        return v**2

    return [
        raised(lambda: ms.grad(f, sens_param=True)(v, s)),
        raised(lambda: ms.grad(f, sens_param=True)(v)),
        raised(lambda: ms.grad(f, sens_param=True)(v, ms.Tensor([1.0, 10.0, 100.0], ms.float32))),
        raised(lambda: ms.grad(f)(v, s)),
        raised(lambda: ms.value_and_grad(f, has_aux=True)(v)),
        raised(lambda: ms.value_and_grad(f, sens_param=True)(v, sens=s)),
    ]


def _all_but(place, *answers):
    return lambda inputs, expected, got: (
        any(same(wrong, got[place]) for wrong in answers)
        and all(same(e, g) for i, (e, g) in enumerate(zip(expected, got, strict=True)) if i != place)
    )


ERRORS = Exercise(
    name="sens-errors",
    notebook=NOTEBOOK,
    title="Predict the errors",
    points=2,
    statement="""`f(v)` returns `v**2`. `v` has two elements, and so has `s`.
For each line, answer with the type of the error, such as `KeyError`, or with `"fine"` if it runs. Answer with a list of six.

0. `ms.grad(f, sens_param=True)(v, s)`
1. `ms.grad(f, sens_param=True)(v)`
2. `ms.grad(f, sens_param=True)(v, ms.Tensor([1.0, 10.0, 100.0], ms.float32))`
3. `ms.grad(f)(v, s)`
4. `ms.value_and_grad(f, has_aux=True)(v)`
5. `ms.value_and_grad(f, sens_param=True)(v, sens=s)`""",
    reference=_errors,
    misconceptions=(
        Misconception(
            "seed-left-out",
            "With sens_param=True the last argument is the seed, always. Here v was taken for it, and f was called with "
            "nothing: one argument is missing, a TypeError.",
            _all_but(1, "fine", ValueError, RuntimeError),
        ),
        Misconception(
            "seed-is-fitted",
            "A seed has one number for each element of the output: two. One with three is refused, and what is wrong is "
            "its value (its shape), not its type.",
            _all_but(2, "fine", TypeError),
        ),
        Misconception(
            "seed-by-itself",
            "Without sens_param a second argument goes to f like any other, and f takes only one.",
            _all_but(3, "fine"),
        ),
        Misconception(
            "aux-optional",
            "has_aux=True promises more than one output, to value_and_grad as well. f has one.",
            _all_but(4, "fine"),
        ),
        Misconception(
            "seed-not-by-name",
            "The seed may also be given by name, as sens=.",
            _all_but(5, TypeError, ValueError),
        ),
    ),
    rules=(
        "The last argument is the seed, and it has the shape of the output.",
        "With sens_param=True the last argument is taken away as the seed, always. What is left for f?",
        "The seed has another shape than the output: the type is right, the value is not.",
        "Without sens_param all arguments go to f. How many does it take?",
        "has_aux needs a function with several outputs; this one returns a single one.",
        "The seed may be given by its name, too.",
    ),
    hints=(
        "With sens_param=True the last argument is taken away as the seed. What is left goes to f.",
        "A call with too few or too many arguments is a TypeError. A value that does not fit is a ValueError.",
        "Lines 0 and 5 run. Lines 1 and 3 fail because f gets the wrong number of arguments.",
    ),
    solution="""
answer = ["fine", TypeError, ValueError, TypeError, ValueError, "fine"]
""",
    wrong_answers=(
        WrongAnswer(
            "no seed",
            'answer = ["fine", "fine", ValueError, TypeError, ValueError, "fine"]',
            "seed-left-out",
        ),
        WrongAnswer("fitted", 'answer = ["fine", TypeError, "fine", TypeError, ValueError, "fine"]', "seed-is-fitted"),
        WrongAnswer(
            "by itself", 'answer = ["fine", TypeError, ValueError, "fine", ValueError, "fine"]', "seed-by-itself"
        ),
        WrongAnswer("aux", 'answer = ["fine", TypeError, ValueError, TypeError, "fine", "fine"]', "aux-optional"),
        WrongAnswer(
            "name", 'answer = ["fine", TypeError, ValueError, TypeError, ValueError, TypeError]', "seed-not-by-name"
        ),
        WrongAnswer("all fine", 'answer = ["fine"] * 6', "value"),
    ),
)

EXERCISES = (STRUCTURES, CHOOSE, ERRORS)
