"""# Find the float64 leak (3 points)

```python
a = np.array([1.0, 2.0])
x = ms.Tensor([1.0, 2.0], ms.float32)
h = ms.Tensor([1.0, 2.0], ms.float16)
u = torch.tensor([1.0, 2.0])
```

What is the dtype of each result? Answer with a list of nine strings: `"float16"`, `"float32"` or `"float64"`.

0. `ms.Tensor([1.0, 2.0])`
1. `ms.Tensor(a)`
2. `h * 2.0`
3. `h * x`
4. `x * ms.Tensor(a)`
5. `x * a.mean()`
6. `x + ms.Tensor(2.0, ms.float64)`
7. `u + torch.tensor(2.0, dtype=torch.float64)`
8. `ms.grad(lambda x: (x * ms.Tensor(a)).sum())(x)`
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.writing import either, judged, wrong

answer = ["float32", "float64", "float16", "float32", "float64", "float32", "float64", "float32", "float32"]
rules = (
    "A list of Python floats has no dtype: the framework uses its default.",
    "A NumPy array has a dtype of its own, which the tensor keeps.",
    "A Python number does not change the dtype of a tensor of floats.",
    "Of two tensors the wider dtype wins.",
    "Of two tensors the wider dtype wins: which of them comes from a NumPy array?",
    "a.mean() is a number, not a tensor: does a number change a tensor's dtype?",
    "In a sum of two tensors the wider dtype wins in MindSpore, even if one has no axes.",
    "In PyTorch a tensor without axes counts as a number, next to one with axes.",
    "A gradient has the dtype of its input.",
)
hints = (
    "np.array([1.0, 2.0]) is float64. Which lines use it as a tensor, and which as a number?",
    "Two tensors with axes: the wider dtype wins. A tensor and a Python number: the tensor's dtype stays. A tensor without "
    "axes counts as a tensor in one framework, as a number in the other.",
    "Three of the nine are float64, one is float16.",
)


def reference():
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
        x + ms.Tensor(2.0, ms.float64),
        u + torch.tensor(2.0, dtype=torch.float64),
        ms.grad(lambda x: (x * ms.Tensor(a)).sum())(x),
    ]
    return [str(t.dtype).lower().rpartition(".")[2] for t in found]


tensors_are_float32 = wrong(
    "A list of Python floats becomes float32, but an array keeps its dtype, and NumPy's default is float64.",
    {1: "float32"},
    answer={1: "float32", 4: "float32"},
)

python_numbers_widen = wrong(
    "Next to a tensor of floats, a Python number takes the tensor's dtype. So does an np.float64, which is one.",
    {2: either("float64", "float32"), 5: "float64"},
)

narrow_wins = wrong(
    "Where two tensors meet, the wider dtype wins: a framework never narrows a tensor by itself.",
    {3: "float16", 4: "float32"},
)

single_number_of_torch = wrong(
    "In PyTorch a tensor without dimensions counts as little as a Python number: u keeps its dtype.", {7: "float64"}
)

single_number_of_mindspore = wrong(
    "In a sum in MindSpore a tensor without dimensions counts like any tensor: the wider dtype wins.", {6: "float32"}
)

frameworks_exchanged = wrong(
    "You exchanged the frameworks: a tensor without dimensions widens the other one in MindSpore, and not in PyTorch.",
    {6: "float32", 7: "float64"},
    together=True,
)

gradient_has_the_dtype_of_the_loss = wrong(
    "The loss is float64, but the gradient has to fit its input: it has the dtype of x.",
    {8: either("float64", "float16")},
)

a_numpy_scalar_widens = judged("python-numbers-widen", {5: "float64"})
eight = judged("structure", ["float32", "float64", "float16", "float32", "float64", "float32", "float64", "float32"])

lists_are_float64 = wrong(
    "A list of Python floats has no dtype of its own: both frameworks convert it to float32.",
    {0: either("float64", "float16")},
)

wider_than_both = wrong("float16 and float32 give the wider of the two, float32.", {3: "float64"})

scalar_takes_over = wrong(
    "The tensor without dimensions does not decide alone: float16 is in neither of them.", {6: "float16", 7: "float16"}
)
all_alike = wrong("No operand here is float16.", {5: "float16", 4: "float16"})
