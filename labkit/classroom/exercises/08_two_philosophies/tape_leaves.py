"""# Which are leaves? (2 points)

Predict `is_leaf` of `x, y, c, d, e, f`. Answer with a list of six `True` or `False`.

```python
x = torch.tensor(2.0, requires_grad=True)
y = x * 2
c = torch.tensor(1.0)
d = x.detach()
with torch.no_grad():
    e = x * 2
f = c * 2
```
"""

from labkit import torch
from labkit.classroom.writing import judged, ran, same, wrong

answer = [True, False, True, True, True, True]
places = ("x", "y", "c", "d", "e", "f")
rules = (
    "A leaf is a tensor that no recorded operation made.",
    "A leaf is a tensor that no recorded operation made.",
    "What does not require grad counts as a leaf: nothing recorded made it.",
    "detach gives the value without its history.",
    "Inside of no_grad nothing is recorded.",
    "An operation is recorded only if one of its inputs requires grad.",
)
hints = (
    "Ask of each tensor: did an operation that the tape recorded make it?",
    "The tape records nothing inside no_grad, and nothing whose inputs all do without gradients.",
    "Only one of the six has a grad_fn.",
)


def reference():
    tensors = ran(__doc__, torch=torch)
    return [tensors[name].is_leaf for name in places]


leaf_means_requires_grad = wrong(
    "You took a leaf for a tensor that requires grad. A leaf is a tensor that no recorded operation made; all "
    "that does not require grad is one by convention.",
    answer=[True, False, False, False, False, False],
)

every_result_has_history = wrong(
    "You took every result of an operation for a non-leaf. The tape records an operation only if recording is on "
    "and one of the inputs requires grad.",
    {4: False, 5: False},
    alone=True,
)

detach_keeps_history = wrong(
    "detach gives the value without its history, so nothing recorded made it.",
    when=lambda inputs, expected, got: got[3] is False and same(expected[4:], got[4:]),
    answer={3: False},
)

five_of_them = judged("structure", [True, False, True, True, True])
