"""The predictions of notebook 06: `grad`, every case."""

from ... import mindspore as ms
from ...engine import leaves, map_leaves
from ...mindspore import nn
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer, raised

NOTEBOOK = "06_grad_every_case"


class _Net(nn.Cell):
    """The documents' network, at the documents' weight."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.fc.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


def _example():
    return _Net(), ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)


# ---- grad-structures ----

ROWS = ((0, False), (1, False), ((0, 1), False), (None, True), (0, True), ((0, 1), True), (None, False))


def _structures():
    """Run every row of the table and write dx, dy, dw for the gradient found at each place."""
    net, x, y = _example()
    weights = net.trainable_params()
    single = {"dx": (0, None), "dy": (1, None), "dw": (None, weights[0])}
    known = {name: ms.grad(net, *where, has_aux=True)(x, y)[0] for name, where in single.items()}

    def name_of(gradient):
        return next(name for name, value in known.items() if same(value, gradient))

    def row(position, wanted):
        try:
            gradients, _ = ms.grad(net, position, weights if wanted else None, has_aux=True)(x, y)
        except ValueError as error:
            return type(error)
        return map_leaves(name_of, gradients)

    return [row(*place) for place in ROWS]


def _unwrap_weights(row):
    return tuple("dw" if part == ("dw",) else part for part in row)


def _bare_weights(inputs, expected, got):
    return same([*expected[:3], "dw", *map(_unwrap_weights, expected[4:6]), expected[6]], got)


def _flattened(inputs, expected, got):
    return got[5] == tuple(leaves(expected[5])) and all(leaves(e) == leaves(g) for e, g in zip(expected[:6], got[:6]))


STRUCTURES = Exercise(
    name="grad-structures",
    notebook=NOTEBOOK,
    title="Seven rows, seven shapes of answer",
    points=3,
    statement="""Predict what `ms.grad(net, grad_position, weights, has_aux=True)(x, y)[0]` returns for each row.
Write `"dx"`, `"dy"`, `"dw"` for the three gradients, and use tuples exactly as the result does.
Where the call fails, write the type of the error. `weights` is `net.trainable_params()`, a list with one parameter.

| item | grad_position | weights |
|---|---|---|
| 0 | `0` | `None` |
| 1 | `1` | `None` |
| 2 | `(0, 1)` | `None` |
| 3 | `None` | `weights` |
| 4 | `0` | `weights` |
| 5 | `(0, 1)` | `weights` |
| 6 | `None` | `None` |""",
    reference=_structures,
    places=tuple(f"grad_position={p}, weights={'weights' if w else None}" for p, w in ROWS),
    misconceptions=(
        Misconception(
            "bare-weight",
            "You left the weights' gradient bare. `weights` is a list, so its gradients come as a tuple, "
            "even when the list has one parameter: read the length off what you passed, not off the network.",
            _bare_weights,
        ),
        Misconception(
            "flattened",
            "You put all gradients side by side. Inputs and weights are two groups: when both are asked for, the "
            "result is a pair (gradients of the inputs, gradients of the weights), and each group keeps its own form.",
            _flattened,
        ),
        Misconception(
            "default-position",
            "An explicit None replaces the default grad_position=0: "
            "with no weights either, nothing is left to differentiate for.",
            lambda inputs, expected, got: same(expected[:6], got[:6]) and got[6] == "dx",
        ),
    ),
    rules=(
        "An int asks for one gradient, without a tuple around it. Positions count from 0.",
        "An int asks for one gradient, without a tuple around it. Positions count from 0.",
        "A tuple of positions gives a tuple.",
        "An explicit None asks for no input. A list of weights gives a tuple, as long as the list.",
        "Both are asked for: a pair of what the inputs give and what the weights give, each as it is alone.",
        "Both are asked for: a pair of what the inputs give and what the weights give, each as it is alone.",
        "Nothing is asked for: no input and no weights. The call refuses a value that makes no sense.",
    ),
    hints=(
        "Answer first for the inputs alone: an int asks for one gradient, a tuple asks for a tuple.",
        "Then for the weights alone: a list of parameters gives a tuple with as many gradients as the list is long.",
        "Both together are a pair: (what row 0 or 2 gives, what row 3 gives). And row 6 asks for nothing at all.",
    ),
    solution="""
answer = [
    "dx",
    "dy",
    ("dx", "dy"),
    ("dw",),
    ("dx", ("dw",)),
    (("dx", "dy"), ("dw",)),
    ValueError,
]
""",
    wrong_answers=(
        WrongAnswer(
            "one weight, no tuple",
            'answer = ["dx", "dy", ("dx", "dy"), "dw", ("dx", "dw"), (("dx", "dy"), "dw"), ValueError]',
            "bare-weight",
        ),
        WrongAnswer(
            "all side by side",
            'answer = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", "dw"), ("dx", "dy", "dw"), ValueError]',
            "flattened",
        ),
        WrongAnswer(
            "None means the default",
            'answer = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), (("dx", "dy"), ("dw",)), "dx"]',
            "default-position",
        ),
        WrongAnswer(
            "six rows", 'answer = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), ValueError]', "structure"
        ),
    ),
)


# ---- grad-slip ----


def _slip():
    return float(ms.grad(lambda x, y: (x**2 + y, x), 1)(ms.Tensor(1.0), ms.Tensor(2.0)).asnumpy())


SLIP = Exercise(
    name="grad-slip",
    notebook=NOTEBOOK,
    title="The documents' slip",
    points=1,
    statement="""The guide's example with two outputs ends like this, and shows `out1 3.0`:

```python
def net(x, y):
    return x**2 + y, x

out = ms.grad(net, grad_position=0)(x, y)
out1 = ms.grad(net, grad_position=1)(x, y)
print("out1", out)
```

`x` is 1.0 and `y` is 2.0. Which number should the last line show after `out1`? Answer with the number.""",
    reference=_slip,
    misconceptions=(
        Misconception(
            "label-believed",
            "This is what the line prints, but look at its second argument: it is `out`, the gradient for x, again.",
            lambda inputs, expected, got: got == 3,
        ),
        Misconception(
            "first-output-for-x",
            "This is the gradient of the first output for x. `out1` is the gradient for y, of both outputs together.",
            lambda inputs, expected, got: got == 2,
        ),
        Misconception(
            "second-output-only",
            "Only the second output does not depend on y. The first one, x**2 + y, does, and the outputs are summed.",
            lambda inputs, expected, got: got == 0,
        ),
    ),
    hints=(
        "Which variable does the last line print?",
        "has_aux is left at False, so the function differentiated is x**2 + y + x.",
        "Differentiate x**2 + y + x for y.",
    ),
    solution="""
x, y = ms.Tensor(1.0), ms.Tensor(2.0)
answer = float(ms.grad(lambda x, y: (x**2 + y, x), 1)(x, y).asnumpy())
""",
    wrong_answers=(
        WrongAnswer("as printed", "answer = 3.0", "label-believed"),
        WrongAnswer("for x", "answer = 2.0", "first-output-for-x"),
        WrongAnswer("no y in x", "answer = 0.0", "second-output-only"),
        WrongAnswer("a text", 'answer = "1.0"', "kind"),
    ),
)


# ---- grad-errors ----


def _errors():
    net, x, y = _example()
    return [
        raised(lambda: ms.grad(net, None, None)),
        raised(lambda: ms.grad(net, [0, 1])),
        raised(lambda: ms.grad(net, 2)(x, y)),
        raised(lambda: ms.grad(net, -1)),
        raised(lambda: ms.grad(lambda x: x**2, has_aux=True)(x)),
        raised(lambda: ms.grad(net, (0,))(x, y)),
    ]


def _others_right(place):
    return lambda expected, got: (
        len(got) == len(expected) and all(same(e, g) for i, (e, g) in enumerate(zip(expected, got)) if i != place)
    )


ERRORS = Exercise(
    name="grad-errors",
    notebook=NOTEBOOK,
    title="Predict the errors",
    points=2,
    statement="""For each line, answer with the type of the error, such as `KeyError`, or with `"fine"` if it runs.
Answer with a list of six.

0. `ms.grad(net, None, None)`
1. `ms.grad(net, [0, 1])`
2. `ms.grad(net, 2)(x, y)`
3. `ms.grad(net, -1)`
4. `ms.grad(lambda x: x**2, has_aux=True)(x)`
5. `ms.grad(net, (0,))(x, y)`""",
    reference=_errors,
    misconceptions=(
        Misconception(
            "list-as-tuple",
            "A list is not a tuple here: grad_position is an int or a tuple of ints, and its type is checked.",
            lambda inputs, expected, got: got[1] == "fine" and _others_right(1)(expected, got),
        ),
        Misconception(
            "python-index",
            "Outside the positions you expected what a Python list would do. In PyNative mode the position is "
            "looked up by the framework itself, and it reports a RuntimeError (an IndexError in graph mode).",
            lambda inputs, expected, got: got[2] in (IndexError, "IndexError") and _others_right(2)(expected, got),
        ),
        Misconception(
            "counts-from-the-end",
            "Positions do not count from the end: -1 is no position, and is refused at once.",
            lambda inputs, expected, got: got[3] == "fine" and _others_right(3)(expected, got),
        ),
        Misconception(
            "aux-optional",
            "has_aux=True promises more than one output. A function with a single output breaks the promise.",
            lambda inputs, expected, got: got[4] == "fine" and _others_right(4)(expected, got),
        ),
    ),
    rules=(
        "Here nothing is asked for at all.",
        "Positions come as a number or a tuple. Which kind of mistake is another type?",
        "net has two inputs. The framework itself finds out, while it runs, that there is no such position.",
        "Positions are checked when ms.grad is called, and a position below the first makes no sense.",
        "has_aux needs a function with several outputs; this one returns a single one.",
        "A tuple with a single position is a tuple of positions like any other.",
    ),
    hints=(
        "A value that makes no sense is a ValueError, a wrong type a TypeError. One line runs.",
        "Lines 0, 1 and 3 fail when ms.grad is called, before any data is seen; line 2 fails inside the framework.",
        "Run the six lines one by one, each in its own cell: the last line of the traceback names the type.",
    ),
    solution="""
answer = [ValueError, TypeError, RuntimeError, ValueError, ValueError, "fine"]
""",
    wrong_answers=(
        WrongAnswer(
            "list", 'answer = [ValueError, "fine", RuntimeError, ValueError, ValueError, "fine"]', "list-as-tuple"
        ),
        WrongAnswer(
            "index", 'answer = [ValueError, TypeError, IndexError, ValueError, ValueError, "fine"]', "python-index"
        ),
        WrongAnswer(
            "-1", 'answer = [ValueError, TypeError, RuntimeError, "fine", ValueError, "fine"]', "counts-from-the-end"
        ),
        WrongAnswer(
            "aux", 'answer = [ValueError, TypeError, RuntimeError, ValueError, "fine", "fine"]', "aux-optional"
        ),
        WrongAnswer("all alike", "answer = [ValueError] * 6", "value"),
    ),
)

EXERCISES = (STRUCTURES, SLIP, ERRORS)
