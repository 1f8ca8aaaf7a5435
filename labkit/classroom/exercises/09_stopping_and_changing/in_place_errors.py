"""# Fine, or refused? (3 points)

Each line starts with a new leaf `x` of two elements that requires grad. Answer with the type of the error, such
as `KeyError`, or with `"fine"` if the line runs. Answer with a list of seven.

0. `x[0] = 5.0`
1. `with torch.no_grad(): x[0] = 5.0`
2. `y = x * 2; z = y * 3; y += 1; z.sum().backward()`
3. `y = x * 2; z = y * y; y += 1; z.sum().backward()`
4. `y = x.exp(); y += 1; y.sum().backward()`
5. `y = x.exp(); d = y.detach(); d += 1; y.sum().backward()`
6. `y = x.exp(); c = y.clone(); c += 1; y.sum().backward()`
"""

from labkit import torch
from labkit.classroom.exercise import raised
from labkit.classroom.writing import judged, wrong

answer = [RuntimeError, "fine", "fine", RuntimeError, RuntimeError, RuntimeError, "fine"]
rules = (
    "A leaf that requires grad may not be written to while the tape records.",
    "Inside of no_grad nothing is recorded: there a leaf may be written to.",
    "What does the derivative of y * 3 need: y, or only the number?",
    "The derivative of y * y needs y, and y has changed since.",
    "Which array does exp save: its argument, or its result?",
    "detach makes no copy: who writes to d writes to y.",
    "clone makes a copy: who writes to c does not touch y.",
)
hints = (
    "Where PyTorch refuses, it is a RuntimeError. Four of the seven lines are refused.",
    "For each operation ask what its derivative needs: y * 3 needs 3, y * y needs y, exp needs its result.",
    "detach shares memory with the tensor that it came from. clone copies.",
)


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


def reference():
    return [
        raised(_write_leaf),
        raised(_write_unrecorded),
        raised(lambda: _add_to(lambda x: x * 2, _add_one, lambda y: y * 3)),
        raised(lambda: _add_to(lambda x: x * 2, _add_one, lambda y: y * y)),
        raised(lambda: _add_to(lambda x: x.exp(), _add_one, lambda y: y)),
        raised(lambda: _add_to(lambda x: x.exp(), lambda y: _add_one(y.detach()), lambda y: y)),
        raised(lambda: _add_to(lambda x: x.exp(), lambda y: _add_one(y.clone()), lambda y: y)),
    ]


every_change_refused = wrong(
    "You expected every change to fail. Here a change is refused only if a derivative needs the value that was there, "
    "or if a leaf is written to while the tape records.",
    when=lambda inputs, expected, got: isinstance(got, list) and all(g != "fine" for g in got),
    answer=[RuntimeError] * 7,
)

leaf_may_change = wrong(
    "Line 0 fails. A leaf that requires grad may not be written to while the tape records: then it would no "
    "longer be a leaf, and its gradient would have nowhere to go.",
    {0: "fine"},
    alone=True,
)

constant_factor_saves = wrong(
    "Line 2 runs. The derivative of y * 3 is 3: it does not need y, so nobody minds that y has changed.",
    {2: RuntimeError},
    alone=True,
)

exp_saves_its_input = wrong(
    "Line 4 fails. The derivative of exp is its own result, so the tape saved y, not x. And y has changed.",
    {4: "fine"},
    alone=True,
)

detach_copies = wrong(
    "Line 5 fails. detach makes no copy: both tensors share one memory. Whoever writes to d writes to y.",
    {5: "fine"},
    alone=True,
)

two_slips = judged("value", {3: "fine", 4: "fine"})
one_word = judged("kind", "fine")
