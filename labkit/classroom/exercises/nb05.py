"""The predictions of notebook 05: shapes, structures and costs of Jacobians."""

from functools import cache

import autograd.numpy as anp
import numpy as np

from ... import engine
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "05_vectors"


# ---- vector-shapes ----


def _layer(x, w, b):
    return x @ w + b


def _loss(x, w, b):
    return anp.sum(_layer(x, w, b) ** 2)


def _shapes():
    x, w, b = (np.ones(shape) for shape in ((4, 3), (3, 2), (2,)))
    out, pull = engine.vjp(_layer, x, w, b)
    tangents = np.zeros_like(x), np.ones_like(w), np.zeros_like(b)
    found = [
        engine.grad(_loss, 1)(x, w, b),
        engine.grad(_loss, 2)(x, w, b),
        engine.jacrev(_layer, 1)(x, w, b),
        engine.jacrev(_layer, 2)(x, w, b),
        out,
        pull(np.ones_like(out))[0],
        engine.jvp(_layer, (x, w, b), tangents)[1],
        engine.jacrev(_loss, 0)(x, w, b),
    ]
    return [tuple(array.shape) for array in found]


SHAPES = Exercise(
    name="vector-shapes",
    notebook=NOTEBOOK,
    title="Eight shapes",
    points=3,
    statement="""`x` has shape `(4, 3)`, `w` has shape `(3, 2)`, `b` has shape `(2,)`, and

```python
def layer(x, w, b):
    return x @ w + b

def loss(x, w, b):
    return np.sum(layer(x, w, b) ** 2)
```

Predict eight shapes. Answer with a list of eight tuples, such as `(2,)`.

0. the gradient of `loss` for `w`
1. the gradient of `loss` for `b`
2. the Jacobian of `layer` for `w`, as `jacrev` gives it
3. the Jacobian of `layer` for `b`, as `jacrev` gives it
4. the `v` that `pull` takes, after `out, pull = vjp(layer, x, w, b)`
5. `pull(v)[0]`
6. `J t`, for a tangent `t` of `w`: what `jvp` gives
7. the Jacobian of `loss` for `x`, as `jacrev` gives it""",
    reference=_shapes,
    misconceptions=(
        Misconception(
            "bias-per-example",
            "You gave b one gradient per example. b is one array of 2 numbers that is used for all 4 examples, and its "
            "gradient has the shape of b: the contributions of the examples are added.",
            lambda inputs, expected, got: tuple(got[1]) == (4, 2),
        ),
        Misconception(
            "shape-of-the-output",
            "You gave the gradient for w the shape of the output. It says how the loss moves with each element of w, "
            "so it has one number per element of w.",
            lambda inputs, expected, got: tuple(got[0]) == (4, 2),
        ),
        Misconception(
            "flat-table",
            "On paper a Jacobian is a table of 8 rows. jacrev keeps the axes: first all those of the output, then "
            "all those of the input.",
            lambda inputs, expected, got: tuple(got[2]) == (8, 6) or tuple(got[3]) == (8, 2),
        ),
        Misconception(
            "input-first",
            "You put the axes of the input first. Rows are outputs: the axes of the output come first.",
            lambda inputs, expected, got: tuple(got[2]) == (3, 2, 4, 2) or tuple(got[3]) == (2, 4, 2),
        ),
        Misconception(
            "in-and-out",
            "You swapped what goes in and what comes out. A pull takes something shaped like the output and gives "
            "something shaped like the input; a push does the opposite.",
            lambda inputs, expected, got: (tuple(got[4]), tuple(got[5])) == ((4, 3), (4, 2)) or tuple(got[6]) == (3, 2),
        ),
    ),
    rules=(
        "A gradient has the shape of what it is for.",
        "A gradient has the shape of what it is for.",
        "jacrev keeps all axes: those of the output first, then those of the input.",
        "jacrev keeps all axes: those of the output first, then those of the input.",
        "A pull takes one number for each element of the output.",
        "A pull gives something for each input, in their order; the first one is for x.",
        "A push takes a tangent of the input, and gives the tangent of the output.",
        "The output is one number, which has no axes: what is left are those of the input.",
    ),
    hints=(
        "A gradient has the shape of what it is for. The output of layer has shape (4, 2).",
        "A Jacobian has the axes of the output, then those of the input. A number has no axes: its shape is ().",
        "v is as the output, pull(v)[0] is as x; t is as w, and J t is as the output.",
    ),
    solution="""
answer = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]
""",
    wrong_answers=(
        WrongAnswer(
            "b for each example",
            "answer = [(3, 2), (4, 2), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]",
            "bias-per-example",
        ),
        WrongAnswer(
            "as the output",
            "answer = [(4, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]",
            "shape-of-the-output",
        ),
        WrongAnswer("flat", "answer = [(3, 2), (2,), (8, 6), (8, 2), (4, 2), (4, 3), (4, 2), (4, 3)]", "flat-table"),
        WrongAnswer(
            "input first",
            "answer = [(3, 2), (2,), (3, 2, 4, 2), (2, 4, 2), (4, 2), (4, 3), (4, 2), (4, 3)]",
            "input-first",
        ),
        WrongAnswer(
            "in and out",
            "answer = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 3), (4, 2), (3, 2), (4, 3)]",
            "in-and-out",
        ),
        WrongAnswer(
            "a row for the number",
            "answer = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (1, 4, 3)]",
            "structure",
        ),
        WrongAnswer("seven", "answer = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2)]", "structure"),
    ),
)


# ---- vector-structures ----

X = np.array([3.0, 1.0, 6.0, 2.0, 5.0, 4.0])


def _half_means_removed(x):
    halves = x.reshape(2, 3)
    return (halves - anp.mean(halves, axis=1, keepdims=True)).reshape(6)


FUNCTIONS = (
    anp.tanh,
    anp.cumsum,
    lambda x: x[::-1],
    lambda x: x[1:] * x[:-1],
    lambda x: anp.exp(x) / anp.sum(anp.exp(x)),
    lambda x: x - x[0],
    _half_means_removed,
    anp.sort,
)


@cache
def patterns() -> dict[str, np.ndarray]:
    """The ten patterns that the notebook draws, by letter: where a Jacobian is not zero."""
    column, row = np.eye(6), np.eye(6)
    column[:, 0], row[0] = 1, 1
    column[0, 0] = row[0, 0] = 0
    found = {
        "A": np.ones((6, 6)),
        "B": np.tri(6),
        "C": np.eye(6)[[1, 3, 0, 5, 4, 2]],
        "D": np.eye(6),
        "E": np.tri(6).T,
        "F": np.kron(np.eye(2), np.ones((3, 3))),
        "G": np.eye(5, 6) + np.eye(5, 6, 1),
        "H": column,
        "I": np.eye(6)[::-1],
        "J": row,
    }
    return {letter: pattern != 0 for letter, pattern in found.items()}


def _structures():
    jacobians = [engine.jacrev(fn)(X) != 0 for fn in FUNCTIONS]
    return [next(k for k, pattern in patterns().items() if np.array_equal(j, pattern)) for j in jacobians]


STRUCTURES = Exercise(
    name="vector-structures",
    notebook=NOTEBOOK,
    title="Eight structures",
    points=3,
    statement="""`x = np.array([3.0, 1.0, 6.0, 2.0, 5.0, 4.0])`. Which panel of the figure is the Jacobian of each function?
Answer with a list of eight letters. Two panels belong to no function.

0. `np.tanh(x)`
1. `np.cumsum(x)`, the running sum
2. `x[::-1]`
3. `x[1:] * x[:-1]`
4. `np.exp(x) / np.sum(np.exp(x))`
5. `x - x[0]`
6. from the first three elements their mean is subtracted, and from the last three their mean
7. `np.sort(x)`""",
    reference=_structures,
    misconceptions=(
        Misconception(
            "transposed",
            "You read a panel the wrong way round. Rows are outputs, columns are inputs. In x - x[0] the input x[0] moves "
            "many outputs: a column. In a running sum, an output depends on inputs up to its own place: its row is filled "
            "from the left.",
            lambda inputs, expected, got: got[1] == "E" or got[5] == "J",
        ),
        Misconception(
            "looks-elementwise",
            "You took a function for elementwise that is not. In item 4 the sum depends on every input, and in item 5 "
            "every output but the first depends on x[0], too.",
            lambda inputs, expected, got: got[4] == "D" or got[5] == "D",
        ),
        Misconception(
            "one-mean-for-all",
            "There are two means, one for each half. An output of one half does not depend on the other half.",
            lambda inputs, expected, got: got[6] == "A",
        ),
        Misconception(
            "sort-depends-on-everything",
            "Which place an element goes to depends on all of them. But near this x the order stays the same, "
            "so each output is one of the inputs: one filled cell in each row.",
            lambda inputs, expected, got: got[7] in ("A", "B"),
        ),
    ),
    rules=(
        "An output of tanh depends on the element at its own place alone.",
        "An output of a running sum depends on the inputs up to its own place. Rows are outputs.",
        "The first output is the last input, and so on.",
        "Each output uses two neighbours, and there is one output less than there are inputs.",
        "The sum below the line has all inputs in it.",
        "Every output uses its own input and x[0]. Rows are outputs, columns are inputs.",
        "Each output uses its own half, through the mean, and nothing of the other half.",
        "Near this x the order stays, so each output is one of the inputs: which one is in which place?",
    ),
    hints=(
        "For each function take one output and ask: which inputs move it? These are the filled cells of its row.",
        "First find the diagonal one, the full one, and the one that has only five rows.",
        "np.sort(x) is x[[1, 3, 0, 5, 4, 2]] here. In x - x[0], what is the row of output 0?",
    ),
    solution="""
answer = ["D", "B", "I", "G", "A", "H", "F", "C"]
""",
    wrong_answers=(
        WrongAnswer("transposed", 'answer = ["D", "E", "I", "G", "A", "J", "F", "C"]', "transposed"),
        WrongAnswer("softmax alone", 'answer = ["D", "B", "I", "G", "D", "H", "F", "C"]', "looks-elementwise"),
        WrongAnswer("only itself", 'answer = ["D", "B", "I", "G", "A", "D", "F", "C"]', "looks-elementwise"),
        WrongAnswer("one mean", 'answer = ["D", "B", "I", "G", "A", "H", "A", "C"]', "one-mean-for-all"),
        WrongAnswer("sort is full", 'answer = ["D", "B", "I", "G", "A", "H", "F", "A"]', "sort-depends-on-everything"),
        WrongAnswer("mixed up", 'answer = ["D", "B", "C", "G", "A", "H", "F", "I"]', "value"),
        WrongAnswer("small letters", 'answer = ["d", "b", "i", "g", "a", "h", "f", "c"]', "value"),
    ),
)


# ---- vector-passes ----


def _of_batch(x, w):
    return x @ w


CALLS = (
    (lambda w: anp.sum(w**2), 0, (np.ones(1000),)),
    (lambda t: anp.array([anp.cos(t), anp.sin(t), t]), 0, (1.0,)),
    (anp.tanh, 0, (np.ones(50),)),
    (_of_batch, 0, (np.ones((4, 3)), np.ones((3, 2)))),
    (_of_batch, 1, (np.ones((4, 3)), np.ones((3, 2)))),
    (lambda x, w: anp.sum(x @ w, axis=0), 0, (np.ones((4, 3)), np.ones((3, 2)))),
)


def _passes():
    """`(pulls, pushes)` for each call: one pull per element of the output, one push per element of the input."""
    return [(int(np.size(engine.getval(fn(*args)))), int(np.size(args[argnum]))) for fn, argnum, args in CALLS]


PASSES = Exercise(
    name="vector-passes",
    notebook=NOTEBOOK,
    title="How many passes?",
    points=2,
    statement="""How many passes does the whole Jacobian take? For each line answer with a pair
`(pulls, pushes)`: the pulls that reverse mode needs, and the pushes that forward mode needs.
Answer with a list of six pairs. `x` has shape `(4, 3)` and `w` has shape `(3, 2)`.

0. a loss (one number), for 1000 weights
1. a point in space, `(cos(t), sin(t), t)`, for the number `t`
2. `np.tanh(z)` of 50 elements, for `z`; count as if you did not know that it is diagonal
3. `x @ w`, for `x`
4. `x @ w`, for `w`
5. `np.sum(x @ w, axis=0)`, for `x`""",
    reference=_passes,
    misconceptions=(
        Misconception(
            "swapped",
            "You swapped the two. A pull gives a row, so there are as many pulls as outputs; a push gives a column, so "
            "there are as many pushes as inputs.",
            lambda inputs, expected, got: same([(b, a) for a, b in expected[3:]], [tuple(pair) for pair in got[3:]]),
        ),
        Misconception(
            "one-axis",
            "You counted along one axis. Every element of an array is an input or an output of its own: "
            "an output of shape (4, 2) has 8.",
            lambda inputs, expected, got: (
                same(expected[:3], got[:3]) and any(n in (2, 3, 4) for pair in got[3:5] for n in pair)
            ),
        ),
        Misconception(
            "entries",
            "You counted entries of the matrix. One pass fills a whole row or a whole column.",
            lambda inputs, expected, got: any(p * q in pair for (p, q), pair in zip(expected[2:], got[2:])),
        ),
        Misconception(
            "constant-counts",
            "Lines 3 and 4 ask for one input each. The other one is a constant and needs no push.",
            lambda inputs, expected, got: got[3][1] == 18 or got[4][1] == 18,
        ),
    ),
    rules=(
        "One pull for each element of the output, one push for each element of the input.",
        "One pull for each element of the output, one push for each element of the input.",
        "One pull for each element of the output, one push for each element of the input.",
        "One pull for each element of the output, one push for each element of the input that is asked for: "
        "count elements, not rows.",
        "One pull for each element of the output, one push for each element of the input that is asked for: "
        "count elements, not rows.",
        "The sum makes the output shorter: how many elements does it have then?",
    ),
    hints=(
        "One pull fills a row: count the elements of the output. One push fills a column: count those of the input.",
        "x @ w has shape (4, 2), so 8 elements. x has 12, w has 6.",
        "Line 5: the sum over axis 0 leaves an output of shape (2,).",
    ),
    solution="""
answer = [(1, 1000), (3, 1), (50, 50), (8, 12), (8, 6), (2, 12)]
""",
    wrong_answers=(
        WrongAnswer("swapped", "answer = [(1000, 1), (1, 3), (50, 50), (12, 8), (6, 8), (12, 2)]", "swapped"),
        WrongAnswer("examples", "answer = [(1, 1000), (3, 1), (50, 50), (4, 4), (4, 3), (2, 12)]", "one-axis"),
        WrongAnswer("entries", "answer = [(1, 1000), (3, 1), (2500, 2500), (96, 96), (48, 48), (24, 24)]", "entries"),
        WrongAnswer(
            "both inputs", "answer = [(1, 1000), (3, 1), (50, 50), (8, 18), (8, 18), (2, 12)]", "constant-counts"
        ),
        WrongAnswer("diagonal", "answer = [(1, 1000), (3, 1), (1, 1), (8, 12), (8, 6), (2, 12)]", "value"),
        WrongAnswer("one number each", "answer = [1, 1, 50, 8, 6, 2]", "structure"),
    ),
)

EXERCISES = (SHAPES, STRUCTURES, PASSES)
