"""What labkit says to wrong input: ours, in words that a student has met; and nothing is lost."""

import inspect
import re
import warnings

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
import labkit.mindspore as ms
from labkit.engine import grad, jacfwd, jacrev, jvp, record, vjp
from labkit.messages.wrapping import WIDTH, Prose

X = onp.array([1.0, 2.0, 3.0])


def generator(x):
    yield x


async def coroutine(x):
    return x


class Class:
    pass


class CallsGenerator:
    def __call__(self, x):
        yield x


class Cell(ms.nn.Cell):
    def construct(self, x):
        yield x


NO_FUNCTIONS = {
    "3": 3, "None": None, "a string": "f", "a list": [abs], "an array": X, "a generator function": generator,
    "an async function": coroutine, "a class": Class, "a callable generator": CallsGenerator(), "a cell of yields": Cell(),
}  # fmt: skip
VALUES = {"a string": "abc", "None": None, "a dict": {}, "objects": onp.array([1, None]), "strings": onp.array(["a"])}
CALLS = {
    "jvp": lambda f, x=1.0: labkit.jvp(f, (x,), (x,)), "hvp": lambda f, x=1.0: labkit.hvp(f, x, x),
    "custom_vjp": lambda f, x=1.0: labkit.grad(labkit.custom_vjp(f, lambda ans, g, x: (g,)))(x),
    "value_and_grad": lambda f, x=1.0: labkit.value_and_grad(f)(x), "grad": lambda f, x=1.0: labkit.grad(f)(x),
    "jacrev": lambda f, x=1.0: labkit.jacrev(f)(x), "jacfwd": lambda f, x=1.0: labkit.jacfwd(f)(x),
    "trace": lambda f, x=1.0: labkit.trace(f)(x), "checkpoint": lambda f, x=1.0: grad(labkit.checkpoint(f))(x),
    "vjp": lambda f, x=1.0: labkit.vjp(f, x), "show": lambda f, x=1.0: labkit.show(f, x),
    "memory_report": lambda f, x=1.0: labkit.memory_report(f, x),
    "check_gradient": lambda f, x=1.0: labkit.check_gradient(f, x),
    "compile_program": lambda f, x=1.0: labkit.compile_program(f, x),
}  # fmt: skip
TAKERS = [
    name
    for name in labkit.__all__
    if list(inspect.signature(getattr(labkit, name)).parameters)[:1] in (["fun"], ["fn"])
]
every_taker = pytest.mark.parametrize("name", TAKERS)


def in_our_words(error):
    """Whether a message says what was expected and what came, with no name of what is inside."""
    inside = re.search(
        r"not callable|Box\b|VJP of|restricted|wrapped|<locals>\.(plain|run)|setting an array", str(error)
    )
    return inside is None and re.search("expected .* (but got|is a|is an|but it returned) ", str(error))


def everything_is_right():
    assert grad(lambda x: x**3)(2.0) == 12 and record(lambda x: x * x, 3.0).gradients["x"] == 6


def test_each_public_name_that_takes_a_function_is_called_here():
    assert set(TAKERS) == set(CALLS)


@every_taker
@pytest.mark.parametrize("given", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_what_is_no_function_of_numbers_is_refused_where_it_is_given(name, given):
    with pytest.raises(TypeError, match=rf"^{name}: expected a function") as caught:
        CALLS[name](given)
    assert in_our_words(caught.value)


@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacrev", "jacfwd", "trace", "checkpoint"])
def test_it_is_refused_before_there_is_an_input(name):
    with pytest.raises(TypeError, match=rf"^{name}: expected a function.*, but got int. Write {name}\(f\)\(x\)"):
        getattr(labkit, name)(3)


@every_taker
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_what_is_no_number_is_refused_as_an_input(name, value):
    if name == "checkpoint":
        pytest.skip("what is not differentiated is passed on")
    with pytest.raises(TypeError) as caught:
        CALLS[name](lambda x: x, value)
    assert in_our_words(caught.value)


@every_taker
@pytest.mark.parametrize("output", [None, "text", object()], ids=["None", "text", "object"])
def test_a_result_without_numbers_is_refused(name, output):
    with pytest.raises(TypeError) as caught:
        CALLS[name](lambda x: output)
    assert in_our_words(caught.value)


def changed(x):
    x[0] = 1.0
    return np.sum(x)


def added_to(x):
    x[0] += 1.0
    return np.sum(x)


def deleted(x):
    del x[0]
    return np.sum(x)


def filled(x):
    buffer = onp.zeros(3)
    for i in range(3):
        buffer[i] = 2 * x[i]
    return np.sum(buffer)


def filled_at_once(x):
    buffer = onp.zeros(3)
    buffer[:] = x
    return np.sum(buffer)


FAILURES = {
    changed: "cannot be changed in place.* Make a new array", added_to: "cannot be changed in place",
    deleted: "cannot be changed in place", filled: r"Collect the values in a list and join them at the end: np\.array",
    filled_at_once: "cannot be stored in an existing array",
    np.median: r"^median has no derivative rule: .*labkit\.custom_vjp\(median",
    (lambda x: np.interp(x, X, X)): r"^interp has no derivative rule",
    (lambda x: np.exp(x, dtype=float)): r"^exp\(\.\.\., dtype=\) has no derivative rule for argument 0",
    (lambda x: x.copy()): r"has no \.copy\. Write np\.copy\(x\), of autograd\.numpy",
    (lambda x: x.tolist()): r"has no \.tolist\. Use the functions of autograd\.numpy",
    (lambda x: onp.median(x)): "cannot branch|code that takes plain numbers, so its gradient would be lost",
    (lambda x: onp.array([x[0], x[1]], dtype=float)): "its gradient would be lost",
    (lambda x: f"{x[0]:.2f}"): "a value that is being differentiated. Use the functions of autograd.numpy",
    (lambda x: x | 1): "a value that is being differentiated and 'int'", (lambda x: x(1)): "is not callable. Use the functions",
    (lambda x: np.sum(labkit.stop_gradient([x, x])[0])): r"stop_gradient: expected a number or a NumPy array, but got list",
}  # fmt: skip
RUNS = {
    "grad": lambda f: grad(f)(X), "nested": lambda f: grad(lambda x: np.sum(grad(f)(x)))(X), "vjp": lambda f: vjp(f, X)[1](),
    "jvp": lambda f: jvp(f, (X,), (X,)), "trace": lambda f: labkit.trace(f)(X), "show": lambda f: labkit.show(f, X),
    "jacrev": lambda f: jacrev(f)(X), "jacfwd": lambda f: jacfwd(f)(X),
    "memory_report": lambda f: labkit.memory_report(f, X),
    "program": lambda f: labkit.compile_program(grad(f), X),
}  # fmt: skip


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("fun", FAILURES, ids=lambda fun: fun.__name__)
def test_what_cannot_be_done_under_a_derivative_is_told_in_words(fun, run):
    with pytest.raises((TypeError, ValueError, AttributeError, NotImplementedError), match=FAILURES[fun]) as caught:
        run(fun)
    assert not re.search(r"Box\b|VJP of|setting an array", str(caught.value))
    everything_is_right()


def test_the_traceback_ends_at_the_students_line_and_the_first_error_is_kept():
    with pytest.raises(TypeError) as caught:
        grad(changed)(X)
    assert caught.traceback[-1].name == "changed" and "item assignment" in str(caught.value.__cause__)


def test_errors_of_the_function_itself_are_passed_on_as_they_are():
    with pytest.raises(ValueError, match=r"^matmul: Input operand"):
        grad(lambda x: x @ onp.ones((2, 2)))(X)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'") as caught:
        grad(lambda x, y: x)(X)
    assert caught.value.__cause__ is None
    buffer, words = onp.zeros(3), "setting an array element with a sequence"
    with pytest.raises(ValueError, match=words):
        grad(lambda x: buffer.__setitem__(0, [1, 2]))(X)


def test_a_loop_over_a_single_number_is_refused_whichever_way_it_came():
    for x in (2.0, onp.float64(2.0), onp.array(2.0)):
        with pytest.raises(TypeError, match="one number"):
            grad(lambda x: sum(x))(x)
    assert grad(lambda x: sum(x))(X).tolist() == [1, 1, 1]


def test_a_wrong_rule_is_told_what_it_is_to_return():
    for rule, words in [
        (lambda ans, g, x: g, "expected the rule to return a tuple with one gradient per argument, but got"),
        (lambda ans, g, x: (g, g), "expected 1 gradients, one per argument, but got 2"),
        (lambda ans, g, x: ("g",), "expected a number or a NumPy array, but got str"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            grad(labkit.custom_vjp(lambda x: 2 * x, rule))(1.0)
    with pytest.raises(TypeError, match="custom_vjp: expected a function, but got int"):
        labkit.custom_vjp(lambda x: x, 3)


def test_several_outputs_have_no_one_jacobian():
    for jacobian in (jacrev, jacfwd):
        with pytest.raises(TypeError, match="expected one array to be returned, but got a tuple of 2"):
            jacobian(lambda x: (x, x))(X)


# ---- one answer at the edges ----

EDGES = {
    "sqrt": (np.sqrt, 0.0), "1 / x": (lambda x: 1 / x, 0.0), "x / x": (lambda x: x / x, 0.0), "log": (np.log, 0.0),
    "log of -1": (lambda x: np.log(x) * x, -1.0), "x ** 0.5": (lambda x: x**0.5, 0.0), "x ** -1": (lambda x: x**-1, 0.0),
    "(-1) ** 0.5": (lambda x: x**0.5, -1.0), "0 ** x": (lambda x: 0.0**x, -1.0), "x ** x": (lambda x: x**x, 0.0),
    "x ** 10, large": (lambda x: x**10, 1e200), "exp": (np.exp, 1000.0), "arccos": (np.arccos, 1.0),
    "arcsin": (np.arcsin, -1.0), "arctanh": (np.arctanh, 1.0), "arccosh": (np.arccosh, 1.0), "log1p": (np.log1p, -1.0),
    "tan": (np.tan, onp.pi / 2), "reciprocal": (np.reciprocal, 0.0), "sinc": (np.sinc, 0.0), "abs": (np.abs, 0.0),
    "x % 0": (lambda x: x % 0.0, 1.0), "arctan2": (lambda x: np.arctan2(x, x), 0.0), "hypot": (lambda x: np.hypot(x, x), 0.0),
    "inf - inf": (lambda x: x - x, onp.inf), "nan": (np.sin, onp.nan),
}  # fmt: skip
WAYS = {
    "grad": lambda f, x: grad(f)(x), "vjp": lambda f, x: vjp(f, x)[1]()[0], "jvp": lambda f, x: jvp(f, (x,), (x * 0 + 1,))[1],
    "jacrev": lambda f, x: jacrev(f)(x), "jacfwd": lambda f, x: jacfwd(f)(x),
    "trace": lambda f, x: record(f, x, names=["x"]).gradients["x"],
    "show": lambda f, x: labkit.show(f, x, program=False).story.steps[-1].sent[-1].total,
    "program": lambda f, x: labkit.compile_program(grad(f), x)(x),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_at_the_edge_of_a_function_there_is_one_answer_without_a_warning(name):
    f, edge = EDGES[name]
    tangent = 1.0 if onp.isfinite(edge) else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = {
            (way, type(x).__name__, onp.ndim(x)): float(onp.ravel(run(f, x))[0])
            for way, run in WAYS.items()
            for x in (edge, onp.float64(edge), onp.array(edge), onp.array([edge]))
            if way != "jvp" or tangent
        }
    assert onp.allclose(list(answers.values()), answers["trace", "ndarray", 1], rtol=1e-12, equal_nan=True), answers


def test_a_line_of_a_description_is_wrapped_and_ends_where_it_ends():
    first, last = Prose(f"{'word ' * 30}end\nlast").splitlines()
    assert first.endswith("word end") and max(map(len, str(first).split("\n"))) <= WIDTH and last == "last"
