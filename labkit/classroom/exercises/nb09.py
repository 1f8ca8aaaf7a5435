"""The predictions of notebook 09: what a cut leaves, and which changes in place the tape refuses."""

from typing import Any

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer, raised

NOTEBOOK = "09_stopping_and_changing"


# ---- cut-predict ----


def _first_uses(stop):
    """The gradients that the lines of `cut-predict` print, `stop` being what stands for `ops.stop_gradient`."""
    at = ms.Tensor(3.0)
    lines = (
        lambda x: stop(x) * x,
        lambda x: stop(x) ** 2 * x,
        lambda x: stop(x**2) + x,
        lambda x: x**2 + stop(x - x**2),
        lambda x: stop(x * x),
        lambda x: stop(x**2) * x**2,
    )
    return [float(ms.grad(line)(at).asnumpy()) for line in lines]


def _cut():
    return _first_uses(ms.ops.stop_gradient)


CUT = Exercise(
    name="cut-predict",
    notebook=NOTEBOOK,
    title="What is left after a cut?",
    points=2,
    statement="""`stop` is `ops.stop_gradient`, and `at` is 3. Predict the six gradients that `ms.grad(...)(at)` gives for these
functions. Answer with a list of six numbers.

0. `lambda x: stop(x) * x`
1. `lambda x: stop(x) ** 2 * x`
2. `lambda x: stop(x**2) + x`
3. `lambda x: x**2 + stop(x - x**2)`
4. `lambda x: stop(x * x)`
5. `lambda x: stop(x**2) * x**2`""",
    reference=_cut,
    misconceptions=(
        Misconception(
            "nothing-cut",
            "These are the gradients without any stop. What is inside stop(...) is a constant to the derivative.",
            lambda inputs, expected, got: same(_first_uses(lambda x: x), got),
        ),
        Misconception(
            "value-zero",
            "You took stop(...) for 0. It cuts the gradient, not the value: as a factor it still counts.",
            lambda inputs, expected, got: same(_first_uses(lambda x: 0 * x), got),
        ),
        Misconception(
            "factor-lost",
            "You left the stopped factor out. It is a constant, and a constant factor stays: (c * x)' = c.",
            lambda inputs, expected, got: same([1.0, 1.0], got[:2]) and same(expected[2:5], got[2:5]),
        ),
        Misconception(
            "value-and-gradient-mixed",
            "Item 3 has the value x, but the value does not matter here. Which of its terms can the derivative still see?",
            lambda inputs, expected, got: same(expected[:3] + expected[4:], got[:3] + got[4:]) and same(1.0, got[3]),
        ),
    ),
    rules=(
        "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
        "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
        "A stopped term is a number that is added: what does it give to the gradient?",
        "A stopped term is a number that is added: what does it give to the gradient?",
        "Everything is stopped.",
        "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
    ),
    hints=(
        "Write a number for each stop(...): its value at 3. Then differentiate what is left.",
        "stop(x) * x is 3 * x at this point, so its derivative is 3. A stopped term that is added gives nothing.",
        "Items 2 to 4: x alone; x**2 alone; nothing at all.",
    ),
    solution="answer = [3.0, 9.0, 1.0, 6.0, 0.0, 54.0]",
    wrong_answers=(
        WrongAnswer("no stop", "answer = [6, 27, 7, 1, 6, 108]", "nothing-cut"),
        WrongAnswer("stop is 0", "answer = [0, 0, 1, 6, 0, 0]", "value-zero"),
        WrongAnswer("constant factor lost", "answer = [1, 1, 1, 6, 0, 6]", "factor-lost"),
        WrongAnswer("value of item 3", "answer = [3, 9, 1, 1, 0, 54]", "value-and-gradient-mixed"),
        WrongAnswer("five of them", "answer = [3, 9, 1, 6, 0]", "structure"),
        WrongAnswer("a slip", "answer = [3, 9, 1, 6, 0, 27]", "value"),
    ),
)


# ---- in-place-errors ----


def _leaf():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def _write_leaf():
    _leaf()[0] = 5.0


def _write_unrecorded():
    x = _leaf()
    with torch.no_grad():
        x[0] = 5.0


def _add_to(make, write, read):
    """`y = make(x)`, then `write(y)`, then backward from `read(y)`, which was computed before the writing."""
    y = make(_leaf())
    z = read(y)
    write(y)
    z.sum().backward()


def _add_one(y):
    y += 1


def _in_place():
    return [
        raised(_write_leaf),
        raised(_write_unrecorded),
        raised(lambda: _add_to(lambda x: x * 2, _add_one, lambda y: y * 3)),
        raised(lambda: _add_to(lambda x: x * 2, _add_one, lambda y: y * y)),
        raised(lambda: _add_to(lambda x: x.exp(), _add_one, lambda y: y)),
        raised(lambda: _add_to(lambda x: x.exp(), lambda y: _add_one(y.detach()), lambda y: y)),
        raised(lambda: _add_to(lambda x: x.exp(), lambda y: _add_one(y.clone()), lambda y: y)),
    ]


def _only(place: int, wrong: Any):
    """A recogniser: all items are right but the one at `place`, which is `wrong`."""

    def recognises(inputs, expected, got):
        return same(wrong, got[place]) and same(
            expected[:place] + expected[place + 1 :], got[:place] + got[place + 1 :]
        )

    return recognises


_ANSWER = ["RuntimeError", '"fine"', '"fine"', "RuntimeError", "RuntimeError", "RuntimeError", '"fine"']


def _planted(name, expected, **items):
    """A wrong answer: the right one but for some items, `i3="..."`."""
    changed = [items.get(f"i{i}", word) for i, word in enumerate(_ANSWER)]
    return WrongAnswer(name, f"answer = [{', '.join(changed)}]", expected)


IN_PLACE = Exercise(
    name="in-place-errors",
    notebook=NOTEBOOK,
    title="Fine, or refused?",
    points=3,
    statement="""Each line starts with a new leaf `x` of two elements that requires grad. Answer with the type of the error, such
as `KeyError`, or with `"fine"` if the line runs. Answer with a list of seven.

0. `x[0] = 5.0`
1. `with torch.no_grad(): x[0] = 5.0`
2. `y = x * 2; z = y * 3; y += 1; z.sum().backward()`
3. `y = x * 2; z = y * y; y += 1; z.sum().backward()`
4. `y = x.exp(); y += 1; y.sum().backward()`
5. `y = x.exp(); d = y.detach(); d += 1; y.sum().backward()`
6. `y = x.exp(); c = y.clone(); c += 1; y.sum().backward()`""",
    reference=_in_place,
    misconceptions=(
        Misconception(
            "every-change-refused",
            "You expected every change to fail. A change is refused only if a derivative needs the value that was there, "
            "or if a leaf is written to while the tape records.",
            lambda inputs, expected, got: isinstance(got, list) and all(g != "fine" for g in got),
        ),
        Misconception(
            "leaf-may-change",
            "Line 0 fails. A leaf that requires grad may not be written to while the tape records: then it would no longer "
            "be a leaf, and its gradient would have nowhere to go.",
            _only(0, "fine"),
        ),
        Misconception(
            "constant-factor-saves",
            "Line 2 runs. The derivative of y * 3 is 3: it does not need y, so nobody minds that y has changed.",
            _only(2, RuntimeError),
        ),
        Misconception(
            "exp-saves-its-input",
            "Line 4 fails. The derivative of exp is its own result, so the tape saved y, not x. And y has changed.",
            _only(4, "fine"),
        ),
        Misconception(
            "detach-copies",
            "Line 5 fails. detach makes no copy: both tensors share one memory. Whoever writes to d writes to y.",
            _only(5, "fine"),
        ),
    ),
    rules=(
        "A leaf that requires grad may not be written to while the tape records.",
        "Inside of no_grad the tape does not watch.",
        "What does the derivative of y * 3 need: y, or only the number?",
        "The derivative of y * y needs y, and y has changed since.",
        "Which array does exp save: its argument, or its result?",
        "detach makes no copy: who writes to d writes to y.",
        "clone makes a copy: who writes to c does not touch y.",
    ),
    hints=(
        "Where PyTorch refuses, it is a RuntimeError. Four of the seven lines are refused.",
        "For each operation ask what its derivative needs: y * 3 needs 3, y * y needs y, exp needs its result.",
        "detach shares memory with the tensor that it came from. clone copies.",
    ),
    solution=f"answer = [{', '.join(_ANSWER)}]",
    wrong_answers=(
        WrongAnswer("all refused", "answer = [RuntimeError] * 7", "every-change-refused"),
        _planted("leaves may change", "leaf-may-change", i0='"fine"'),
        _planted("times 3 saves y", "constant-factor-saves", i2="RuntimeError"),
        _planted("exp saves x", "exp-saves-its-input", i4='"fine"'),
        _planted("detach copies", "detach-copies", i5='"fine"'),
        _planted("two slips", "value", i3='"fine"', i4='"fine"'),
        WrongAnswer("one word", 'answer = "fine"', "kind"),
    ),
)

EXERCISES = (CUT, IN_PLACE)
