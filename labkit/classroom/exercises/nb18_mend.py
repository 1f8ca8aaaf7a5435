"""What is to be mended in notebook 18: a training loop with three faults, and a step in the wrong order."""

from functools import partial

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb18 import NOTEBOOK

STEPS, RATE = 4, 0.1


# ---- sick-loop ----


def _batch(rng):
    x = rng.uniform(-1, 1, (6, 2)).astype(np.float32)
    y = rng.uniform(1, 2, 6).astype(np.float32)
    return x, y, rng.uniform(-1, 1, (2, 3)).astype(np.float32), rng.uniform(-1, 1, (3, 1)).astype(np.float32)


def _trained(x, y, w1, w2, detached=False, adds=False, table=False):
    """Both weights after STEPS steps, by plain formulas, with the faults that are asked for."""
    x, y, w1, w2 = (np.array(a, float) for a in (x, y, w1, w2))
    g1, g2 = np.zeros_like(w1), np.zeros_like(w2)
    for _ in range(STEPS):
        hidden = np.tanh(x @ w1)
        out = hidden @ w2
        error = (out - y).mean(axis=1, keepdims=True) if table else out - y[:, None]
        back = 2 * error / len(x)
        new2 = hidden.T @ back
        new1 = x.T @ ((back @ w2.T) * (1 - hidden**2))
        g1, g2 = (g1 + new1, g2 + new2) if adds else (new1, new2)
        w1, w2 = w1 if detached else w1 - RATE * g1, w2 - RATE * g2
    return w1.astype(np.float32), w2.astype(np.float32)


def _was(**faults):
    return lambda i, expected, got: same(_trained(*i, **faults), tuple(got))


_LOOP = """
def train(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


answer = train
"""
_ADDS = ("        optimizer.zero_grad()\n", "")
_DETACHED = ("tanh(x @ w1)", "tanh(x @ w1).detach()")
_TABLE = ("((hidden @ w2)[:, 0] - y)", "(hidden @ w2 - y)")


def _source(*faults):
    source = _LOOP
    for right, wrong in faults:
        source = source.replace(right, wrong)
    return source


LOOP = Exercise(
    name="sick-loop",
    notebook=NOTEBOOK,
    title="Mend a loop with three faults",
    points=3,
    statement="""This loop runs without an error. It has three faults, and you have met all of them. Mend it. The arguments are
NumPy arrays of the shapes `x` (6, 2), `y` (6,), `w1` (2, 3), `w2` (3, 1).

```python
def train(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        hidden = torch.tanh(x @ w1).detach()
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()
```""",
    reference=_trained,
    draw=_batch,
    arguments=("x", "y", "w1", "w2"),
    misconceptions=(
        Misconception(
            "unchanged",
            "All three faults are still there: one in the network, one in the loss, one in the loop.",
            _was(detached=True, adds=True, table=True),
        ),
        Misconception(
            "still-detached",
            "w1 does not move: detach cuts it off.",
            lambda i, expected, got: same(i[2], got[0]),
        ),
        Misconception(
            "still-adds",
            "The gradients of earlier steps are still in .grad. Empty it before each backward.",
            lambda i, expected, got: _was(adds=True)(i, expected, got) or _was(adds=True, table=True)(i, expected, got),
        ),
        Misconception(
            "still-a-table",
            "(6, 1) minus (6,) is a table of 6 by 6. Give both sides the same shape.",
            _was(table=True),
        ),
    ),
    hints=(
        "Print the shape of hidden @ w2 - y, and w1.grad after the first step.",
        "Which lines of a training step are missing? In which order do they stand: zero_grad, forward, backward, step.",
        "Take detach away from hidden, write (hidden @ w2)[:, 0] - y, and call optimizer.zero_grad().",
    ),
    solution=_LOOP,
    wrong_answers=(
        WrongAnswer("as it was", _source(_ADDS, _DETACHED, _TABLE), "unchanged"),
        WrongAnswer("still detached", _source(_DETACHED), "still-detached"),
        WrongAnswer("still adds", _source(_ADDS), "still-adds"),
        WrongAnswer("still a table", _source(_TABLE), "still-a-table"),
        WrongAnswer("detach alone mended", _source(_ADDS, _TABLE), "still-adds"),
        WrongAnswer("too many steps", _LOOP.replace("range(4)", "range(5)"), "value"),
    ),
)


# ---- sick-order ----


def _scaled(rng, part, ill=()):
    """Two gradients, and a limit that is this part of their norm; `ill`: which of them has what at which place."""
    scale = float(2.0 ** rng.integers(8, 13))
    a, b = (rng.uniform(1, 4, n) * rng.choice([-1, 1], n) for n in (3, 2))
    limit = round(float(part * np.sqrt(np.sum(a**2) + np.sum(b**2))), 2)
    for which, place, value in ill:
        (a, b)[which][place] = value
    return a * scale, b * scale, scale, limit


def _prepared(a, b, scale, limit, first="unscale", each=False):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    arrays = [a, b] if first == "clip" else [a / scale, b / scale]
    norms = [np.sqrt(np.sum(g**2)) for g in arrays] if each else [np.sqrt(sum(np.sum(g**2) for g in arrays))] * 2
    clipped = [g * min(1.0, limit / norm) for g, norm in zip(arrays, norms, strict=True)]
    return tuple(g / scale for g in clipped) if first == "clip" else tuple(clipped)


def _stretched(a, b, scale, limit):
    return tuple(g * limit / np.sqrt(np.sum(a**2) + np.sum(b**2)) for g in (a, b))


def _did(**how):
    return lambda i, expected, got: expected != () and same(_prepared(*i, **how), got)


_ORDER = """
def prepare(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    a, b = a / scale, b / scale
    norm = np.sqrt(np.sum(a**2) + np.sum(b**2))
    factor = min(1.0, limit / norm)
    return a * factor, b * factor


answer = prepare
"""

_B_ALONE = _ORDER.replace("np.isfinite(a).all() and ", "").replace(
    "def prepare", '@np.errstate(all="ignore")\ndef prepare'
)

ORDER = Exercise(
    name="sick-order",
    notebook=NOTEBOOK,
    title="Check, unscale, clip",
    points=3,
    statement="""`a` and `b` are the gradients of two parameters (NumPy arrays), still multiplied by the loss scale `scale`. Write
`prepare(a, b, scale, limit)`. It returns the tuple of the two gradients that the optimizer should get, with a global
norm of at most `limit`. If the step has to be skipped, it returns the empty tuple `()`.""",
    reference=_prepared,
    draw=(
        partial(_scaled, part=0.2),
        partial(_scaled, part=0.2, ill=[(1, 0, np.inf)]),
        partial(_scaled, part=1.5),
        partial(_scaled, part=1.5, ill=[(0, 2, -np.inf)]),
        partial(_scaled, part=0.7, ill=[(0, 1, np.nan)]),
        partial(_scaled, part=0.85),
        partial(_scaled, part=1.5, ill=[(0, 0, np.inf), (1, 1, np.nan)]),
    ),
    arguments=("a", "b", "scale", "limit"),
    misconceptions=(
        Misconception(
            "clip-before-unscale",
            "You clipped the scaled gradients and unscaled afterwards: the step is smaller by the scale. This is Eve's fault.",
            _did(first="clip"),
        ),
        Misconception(
            "each-by-itself",
            "You clipped each gradient by its own norm. The global norm is that of both together.",
            _did(each=True),
        ),
        Misconception(
            "always-at-the-limit",
            "Your gradients have the norm of the limit in any case. Is the loss scale divided out before you measure them? "
            "And does the clip leave alone what is shorter?",
            lambda i, expected, got: expected != () and same(_stretched(*i), got),
        ),
        Misconception(
            "not-skipped",
            "There is an inf or a nan in a or b. Such a step has to be skipped: return ().",
            lambda i, expected, got: expected == () and len(got) == 2,
        ),
    ),
    hints=(
        "Three things in this order: is everything finite, divide by the scale, clip by the global norm.",
        "The global norm is the square root of the sum of all squares, of a and of b.",
        "factor = min(1.0, limit / norm), and both gradients are multiplied by it.",
    ),
    solution=_ORDER,
    wrong_answers=(
        WrongAnswer(
            "clip first",
            _ORDER.replace("    a, b = a / scale, b / scale\n", "").replace(
                "return a * factor, b * factor", "return a * factor / scale, b * factor / scale"
            ),
            "clip-before-unscale",
        ),
        WrongAnswer(
            "each",
            """
def answer(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    return tuple(g / scale * min(1.0, limit / np.linalg.norm(g / scale)) for g in (a, b))
""",
            "each-by-itself",
        ),
        WrongAnswer(
            "never skips",
            _ORDER.replace("        return ()", "        return a / scale, b / scale"),
            "not-skipped",
        ),
        WrongAnswer("still scaled", _ORDER.replace("    a, b = a / scale, b / scale\n", ""), "always-at-the-limit"),
        WrongAnswer("always scaled", _ORDER.replace("min(1.0, limit / norm)", "limit / norm"), "always-at-the-limit"),
        WrongAnswer("b looked at", _B_ALONE, "not-skipped"),
        WrongAnswer("not clipped", _ORDER.replace("min(1.0, limit / norm)", "1.0"), "value"),
    ),
)

EXERCISES = (LOOP, ORDER)
