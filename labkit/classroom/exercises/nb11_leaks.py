"""Dtype leaks in notebook 11: where float64 comes in, and a function that keeps the type of its input."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb11 import NOTEBOOK, but

# ---- fp-leak-find ----


def _dtypes():
    a = np.array([1.0, 2.0])
    x, h = ms.Tensor([1.0, 2.0], ms.float32), ms.Tensor([1.0, 2.0], ms.float16)
    u = torch.tensor([1.0, 2.0])
    found = [
        ms.Tensor([1.0, 2.0]),
        ms.Tensor(a),
        h * 2.0,
        h * x,
        x * ms.Tensor(a),
        x * a.mean(),
        x * ms.Tensor(2.0, ms.float64),
        u * torch.tensor(2.0, dtype=torch.float64),
        ms.grad(lambda x: (x * ms.Tensor(a)).sum())(x),
    ]
    return [str(t.dtype).lower().rpartition(".")[2] for t in found]


_DTYPES = ["float32", "float64", "float16", "float32", "float64", "float32", "float64", "float32", "float32"]


def _listed(*others):
    return f"answer = {but(_DTYPES, *others)}".replace("'", '"')


FIND = Exercise(
    name="fp-leak-find",
    notebook=NOTEBOOK,
    title="Find the float64 leak",
    points=3,
    statement="""```python
a = np.array([1.0, 2.0])
x = ms.Tensor([1.0, 2.0], ms.float32)
h = ms.Tensor([1.0, 2.0], ms.float16)
u = torch.tensor([1.0, 2.0])
```

What is the dtype of each result? Answer with a list of nine texts: `"float16"`, `"float32"` or `"float64"`.

0. `ms.Tensor([1.0, 2.0])`
1. `ms.Tensor(a)`
2. `h * 2.0`
3. `h * x`
4. `x * ms.Tensor(a)`
5. `x * a.mean()`
6. `x * ms.Tensor(2.0, ms.float64)`
7. `u * torch.tensor(2.0, dtype=torch.float64)`
8. `ms.grad(lambda x: (x * ms.Tensor(a)).sum())(x)`""",
    reference=_dtypes,
    misconceptions=(
        Misconception(
            "tensors-are-float32",
            "A list of Python numbers becomes float32, but an array keeps its dtype, and NumPy makes float64 by itself.",
            lambda i, expected, got: got[1] == "float32" and got[0] == "float32",
        ),
        Misconception(
            "python-numbers-widen",
            "A Python number has no say in the dtype: it takes that of the tensor. So does a NumPy scalar, which is one.",
            lambda i, expected, got: (
                got[2] in ("float32", "float64") or (got[5] == "float64" and same(expected[:5], list(got[:5])))
            ),
        ),
        Misconception(
            "narrow-wins",
            "Where two tensors meet, the wider dtype wins: nothing is narrowed without being asked.",
            lambda i, expected, got: got[3] == "float16" or got[4] == "float32",
        ),
        Misconception(
            "single-numbers-alike",
            "Items 6 and 7 differ. In PyTorch a tensor without dimensions is as weak as a Python number; in MindSpore it "
            "counts like any tensor.",
            lambda i, expected, got: got[6] == got[7] and same(expected[:6], list(got[:6])),
        ),
        Misconception(
            "gradient-has-the-dtype-of-the-loss",
            "The loss is float64, but the gradient has to fit its input: it comes back with the dtype of x.",
            lambda i, expected, got: got[8] == "float64" and same(expected[:8], list(got[:8])),
        ),
    ),
    rules=(
        "A list of Python numbers has no dtype: the framework takes its own.",
        "A NumPy array has a dtype of its own, which the tensor keeps.",
        "A Python number does not change a tensor's dtype.",
        "Of two tensors the wider dtype wins.",
        "Of two tensors the wider dtype wins: which one has an array of NumPy's?",
        "a.mean() is a number, no tensor: does a number change a tensor's dtype?",
        "Of two tensors the wider dtype wins in MindSpore, also if one has no axes.",
        "In PyTorch a tensor without axes counts as a number, next to one with axes.",
        "A gradient has the dtype of what it is for.",
    ),
    hints=(
        "np.array([1.0, 2.0]) is float64. Which of the lines see it as a tensor, which as a number?",
        "Two tensors: the wider dtype wins. A tensor and a Python number: the tensor's dtype stays.",
        "Three of the nine are float64, one is float16.",
    ),
    solution=_listed(),
    wrong_answers=(
        WrongAnswer("float32", _listed((1, "float32"), (4, "float32")), "tensors-are-float32"),
        WrongAnswer("numbers widen", _listed((2, "float64"), (5, "float64")), "python-numbers-widen"),
        WrongAnswer("a NumPy scalar widens", _listed((5, "float64")), "python-numbers-widen"),
        WrongAnswer("narrow", _listed((3, "float16")), "narrow-wins"),
        WrongAnswer("alike", _listed((7, "float64")), "single-numbers-alike"),
        WrongAnswer("loss", _listed((8, "float64")), "gradient-has-the-dtype-of-the-loss"),
        WrongAnswer("exchanged", _listed((6, "float32"), (7, "float64")), "value"),
        WrongAnswer("eight", f"answer = {_DTYPES[:8]}", "structure"),
    ),
)


# ---- fp-leak-mend ----

_CENTRE = (0.5, 0.25, 0.125)


def _standard(x):
    centre = ms.Tensor(np.array(_CENTRE, np.float32)).astype(x.dtype)
    return (x - centre) * 4.0


_MEND = """
def standard(x):
    centre = {}
    return {}


answer = standard
"""
_ARRAY, _RESULT = "ms.Tensor(np.array([0.5, 0.25, 0.125]))", "(x - centre) * 4.0"


def _numbers(rng, dtype):
    return (rng.uniform(-2.0, 2.0, 3).astype(dtype),)


MEND = Exercise(
    name="fp-leak-mend",
    notebook=NOTEBOOK,
    title="Mend the float64 leak",
    points=2,
    statement="""`standard(x)` gets a float16 or a float32 Tensor of shape `(3,)`, and should return a Tensor of the same
dtype as `x`. It returns float64:

```python
def standard(x):
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]))
    return (x - centre) / ms.Tensor(np.array(0.25))
```

Mend it.""",
    reference=_standard,
    draw=tuple(partial(_numbers, dtype=dtype) for dtype in ("float16", "float32")),
    arguments=("x",),
    tensors="mindspore",
    draws=6,
    misconceptions=(
        Misconception(
            "still-float64",
            "The result is still float64: an array of NumPy is in it somewhere. Both constants are arrays.",
            lambda i, expected, got: got.dtype == np.float64,
        ),
        Misconception(
            "float32-for-all",
            "For a float32 input it is right. For a float16 input the constants are wider than x, and the wider dtype wins.",
            lambda i, expected, got: got.dtype == np.float32 and i[0].dtype == np.float16,
        ),
        Misconception(
            "float16-for-all",
            "For a float16 input it is right. A float32 input must not lose its bits: use the dtype of x.",
            lambda i, expected, got: got.dtype == np.float16 and i[0].dtype == np.float32,
        ),
        Misconception(
            "multiplied",
            "Dividing by 0.25 is multiplying by 4.",
            lambda i, expected, got: same(expected / np.array(16, expected.dtype), got),
        ),
    ),
    hints=(
        "A Python number takes the dtype of the tensor. Which of the constants can be a Python number?",
        "A Tensor can be made in any dtype: ms.Tensor([0.5, 0.25, 0.125], dtype). And x knows its own: x.dtype.",
        "centre = ms.Tensor([0.5, 0.25, 0.125], x.dtype), and divide by 0.25.",
    ),
    solution=_MEND.format("ms.Tensor([0.5, 0.25, 0.125], x.dtype)", "(x - centre) / 0.25"),
    wrong_answers=(
        WrongAnswer("as it was", _MEND.format(_ARRAY, "(x - centre) / ms.Tensor(np.array(0.25))"), "still-float64"),
        WrongAnswer("one of two", _MEND.format(_ARRAY, "(x - centre) / 0.25"), "still-float64"),
        WrongAnswer("float32", _MEND.format("ms.Tensor([0.5, 0.25, 0.125])", "(x - centre) / 0.25"), "float32-for-all"),
        WrongAnswer(
            "float16",
            _MEND.format("ms.Tensor([0.5, 0.25, 0.125], ms.float16)", "((x - centre) / 0.25).astype(ms.float16)"),
            "float16-for-all",
        ),
        WrongAnswer(
            "times", _MEND.format("ms.Tensor([0.5, 0.25, 0.125], x.dtype)", "(x - centre) * 0.25"), "multiplied"
        ),
        WrongAnswer(
            "an array", _MEND.format("np.array([0.5, 0.25, 0.125])", "((x.asnumpy() - centre) / 0.25).tolist()"), "kind"
        ),
    ),
)

EXERCISES = (FIND, MEND)
