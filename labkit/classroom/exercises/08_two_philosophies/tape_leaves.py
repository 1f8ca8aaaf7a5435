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
from labkit.classroom.writing import judged, same, wrong

answer = [True, False, True, True, True, True]


places = (
    "x",
    "y",
    "c",
    "d",
    "e",
    "f",
)
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


def _leaf(value):
    return torch.tensor(value, requires_grad=True)


def reference():
    x = _leaf(2.0)
    y, c = x * 2, torch.tensor(1.0)
    with torch.no_grad():
        e = x * 2
    return [bool(t.is_leaf) for t in (x, y, c, x.detach(), e, c * 2)]


leaf_means_requires_grad = wrong(
    "You took a leaf for a tensor that requires grad. A leaf is a tensor that no recorded operation made; all "
    "that does not require grad is one by convention.",
    when=lambda inputs, expected, got: same([True, False, False, False, False, False], got),
    answer=[True, False, False, False, False, False],
)


every_result_has_history = wrong(
    "You took every result of an operation for a non-leaf. The tape records an operation only if recording is on "
    "and one of the inputs requires grad.",
    when=lambda inputs, expected, got: same(expected[:4], got[:4]) and not (got[4] and got[5]),
    answer={4: False, 5: False},
)


detach_keeps_history = wrong(
    "detach gives the value without its history, so nothing recorded made it.",
    when=lambda inputs, expected, got: (
        got[3] is False and all(e == g for e, g in zip(expected[4:], got[4:], strict=True))
    ),
    answer={3: False},
)


five_of_them = judged("structure", [True, False, True, True, True])
