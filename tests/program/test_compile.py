"""A compiled function is readable NumPy, gives what the function gives, and says what it cannot hold."""

import random
import re
import time
from collections import deque

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
from labkit import ops as primitives
from labkit.engine import cast, custom_vjp, grad, hvp, jacrev, jvp, value_and_grad
from labkit.program import TraceError, compile_program

RNG = onp.random.default_rng(0)
X = RNG.normal(size=(3, 4))


def net(x, y, w):
    logits = np.squeeze(np.matmul(x, w.T))
    error = logits - y
    loss = np.mean(error**2)
    return loss


NET = (onp.float32([[1, 2, 3]]), onp.float32(19), onp.float32([[2, 3, 4]]))


def equal(one, other):
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return onp.array_equal(one, other) and onp.asarray(one).dtype == onp.asarray(other).dtype


FUNCTIONS = {
    "tanh chain": lambda x: np.sum(np.tanh(np.tanh(x) * x[0]) ** 2),
    "indexing": lambda x: np.sum(x[1:] * x[:-1] + x[[0, 0]]) + x[0, 1] * x[..., -1][2],
    "where": lambda x: np.sum(np.where(x > 0, x, x**2)),
    "concatenate": lambda x: np.sum(np.concatenate([x, 2 * x[:1]]) ** 3),
    "stack": lambda x: np.sum(np.array([x[0], x[1] * x[2]]) ** 2),
    "softmax": lambda x: np.sum(primitives.softmax(x, 1) * X),
    "sort": lambda x: np.sum(primitives.sort(x, 1)[0] * X),
    "largest": lambda x: np.sum(primitives.index_max(x, 1)[0] ** 2),
    "loop": lambda x: sum(np.sum(x * k) for k in range(4)),
    "norm": lambda x: primitives.norm(x) + primitives.logsumexp(x),
    "stopped": lambda x: np.sum(labkit.stop_gradient(x) * x),
    "constant": lambda x: np.sum(x) * 0 + 3.0,
    "transposes": lambda x: np.sum((x.T @ x).T @ np.swapaxes(np.transpose(x), 0, 1).T),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_equals_eager(name, dtype):
    function, x = FUNCTIONS[name], X.astype(dtype)
    for wanted in (value_and_grad(function), grad(lambda x: np.sum(grad(function)(x) ** 2))):
        for in_place in (False, True):
            program = compile_program(wanted, x, in_place=in_place)
            for given in (x, (x + 1).astype(dtype)):
                assert equal(program(given), wanted(given)), program.source


def test_other_derivatives_compile_too():
    def f(x):
        return np.sin(x) * x[::-1]

    x = onp.array([0.5, -1.0, 2.0])
    assert equal(compile_program(jacrev(f), x)(x + 1), jacrev(f)(x + 1))
    assert equal(compile_program(lambda x: jvp(f, (x,), (x,)), x)(x + 1), jvp(f, (x + 1,), (x + 1,)))
    assert equal(compile_program(lambda x: hvp(lambda x: np.sum(f(x)), x, x), x)(x), hvp(lambda x: np.sum(f(x)), x, x))


def test_the_gradient_of_a_small_function_is_a_few_lines():
    program = compile_program(
        value_and_grad(lambda x, y: primitives.power(x, 2) + y, (0, 1)), onp.float64(3), onp.float64(2)
    )
    body = [line.split("#")[0].strip() for line in program.source.splitlines() if not line.startswith("#")]
    assert body == [
        "def program(x, y):", "v1 = x ** 2", "v2 = v1 + y", "d_x = 2 * x", "return (v2, d_x, c1.copy(),)",
    ]  # fmt: skip


def test_names_are_the_users_and_comments_say_where_a_line_comes_from():
    source = compile_program(value_and_grad(net, (0, 1, 2)), *NET, names=["x", "y", "fc.weight"]).source
    assert "def program(x, y, fc_weight):" in source.splitlines()[:2]
    for name in ("logits =", "error =", "loss =", "d_error =", "d_x =", "d_y =", "d_fc_weight ="):
        assert name in source
    assert re.search(r"d_y = -d_error +# backward of subtract: g, -g", source)
    assert all("#" in line for line in source.splitlines()[1:-1] if not line.startswith("def"))


def test_lines_read_as_numpy_is_written():
    x, column = onp.float64([[1, 2], [3, 4]]), onp.float64([[1], [2]])
    source = lambda f, *args: compile_program(f, *args).source
    assert "x[1:, 0]" in source(lambda x: x[1:, 0], x) and "x[None]" in source(lambda x: x[None], x)
    assert "np.sum(x, axis=0)" in source(lambda x: primitives.sum_(x, 0), x)
    assert "np.s_[:1]" in source(grad(lambda x: np.sum(x[:1] ** 2)), x)
    assert "x.astype(np.float32)" in source(lambda x: cast(x, onp.float32), x)
    assert "c1: float64[2, 2] all 1.0" in source(grad(lambda x: np.sum(x)), x) + source(
        lambda x: x @ onp.ones((2, 2)), x
    )
    assert "np.stack" not in source(lambda x: np.stack([x, x]), column)


def test_an_input_may_have_any_name():
    program = compile_program(lambda x, y, z: x * y - z, 2.0, 3.0, 4.0, names=["0.weight", "class", "np"])
    assert program(2.0, 3.0, 4.0) == 2.0


POWERS = {
    "of a negative number": lambda x: (-1.5) ** (np.floor(x) + 2),
    "of a root": lambda x: np.sqrt(x * x) ** 3,
    "in a quotient": lambda x: 1 / (x * x + 1),
    "of two": lambda x: 2**x,
}


@pytest.mark.parametrize("x", [X, onp.float64(0.7), onp.asarray(0.7), onp.float32(0.7), onp.asarray(0.7, "f4")])
@pytest.mark.parametrize("name", POWERS)
def test_powers_round_as_they_do_eagerly(name, x):
    f = POWERS[name]
    with onp.errstate(all="ignore"):
        for wanted in (f, grad(lambda x: np.sum(f(x))), grad(lambda x: np.sum(grad(f)(x) ** 2))):
            program = compile_program(wanted, x)
            for given in (x, onp.asarray(x * 3, onp.asarray(x).dtype)[()]):
                assert onp.array_equal(program(given), wanted(given), equal_nan=True), program.source


def test_the_lines_of_a_node_are_known():
    program = compile_program(value_and_grad(net, (0, 1, 2)), *NET)
    for line in program.lines:
        assert program.source.splitlines()[line.number - 1].strip().startswith(f"{line.name} = ")
        assert line in program.lines_of(line.node)
    (matmul,) = [line for line in program.lines if line.node.op == "matmul" and line.node.step is None]
    assert {line.name for line in program.lines_of(matmul.node)} >= {matmul.name, "d_x"}


def test_dead_code_identities_and_repeated_expressions_are_gone():
    def f(x):
        np.exp(x)  # never used
        y = np.reshape(x * 1.0 + 0.0, (3, 4))
        return np.sin(y) * np.sin(y) + x.T.T

    source = compile_program(f, X).source
    assert "exp" not in source and "reshape" not in source and source.count("np.sin") == 1 and ".T" not in source


def test_large_values_are_released_and_written_over_only_where_asked():
    big = RNG.normal(size=(100, 100))

    def f(x):
        return np.sum(np.exp(np.tanh(x) + 1.0))

    plain, reusing = compile_program(f, big), compile_program(f, big, in_place=True)
    assert "del " in plain.source and "out=" not in plain.source and "out=" in reusing.source
    before = big.copy()
    assert equal(plain(big), reusing(big))
    assert equal(big, before)


def test_an_output_may_be_written_to_without_spoiling_the_program():
    program = compile_program(lambda x: (x, np.ones_like(x)), X)
    program(X.copy())[1][:] = 7
    assert equal(program(X)[1], onp.ones_like(X))


def test_outputs_keep_their_structure():
    program = compile_program(lambda x: {"a": [x * 2, (x, 5)], "b": None}, X)
    result = program(X)
    assert list(result) == ["a", "b"] and result["b"] is None and result["a"][1][1] == 5
    assert equal(result["a"][0], X * 2)


def branch(x):
    if x > 0:
        return x
    return -x


def loop(x):
    while x < 10:
        x = x * 2
    return x


def count_up(x):
    total = 0
    for _ in range(x):
        total = total + x
    return total


LOG, TOTAL, QUEUE, NUMBERS = [], 0, deque([1]), iter([1, 2])
GENERATOR = onp.random.default_rng(0)


def log(x):
    LOG.append(x)
    return x


def count_calls(x):
    global TOTAL
    TOTAL += 1
    return x


def closure():
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return x

    return f


REFUSED = {
    "branch": (branch, 2.0, "branch or loop"),
    "while": (loop, 2.0, "branch or loop"),
    "range": (count_up, onp.int64(3), "index or length"),
    "float": (lambda x: x * float(x), 2.0, "Python float"),
    "int": (lambda x: x * int(x), 2.0, "Python int"),
    "mask": (lambda x: x[x > 0], X, "shape depends on values"),
    "nonzero": (lambda x: np.nonzero(x)[0], X, "shape depends on values"),
    "list": (log, X, "change a list from outside"),
    "global": (count_calls, X, "write the outer variable 'TOTAL'"),
    "closure": (closure(), X, "write the outer variable 'calls'"),
    "deque": (lambda x: (QUEUE.popleft(), x)[1], X, "change a deque from outside"),
    "iterator": (lambda x: x * next(NUMBERS), X, "take the next of an iterator from outside"),
    "clock": (lambda x: x * time.perf_counter(), X, "read the clock"),
    "numpy random": (lambda x: x * onp.random.normal(), X, "draw random numbers"),
    "python random": (lambda x: x * random.random(), X, "draw random numbers"),
    "generator": (lambda x: x * GENERATOR.normal(), X, "draw random numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compiled_is_an_error_that_names_the_line(name):
    function, x, message = REFUSED[name]
    with pytest.raises(TraceError, match=message) as caught:
        compile_program(function, x)
    assert re.match(rf"{re.escape(__file__)}:\d+: ", str(caught.value))
    number = int(str(caught.value).split(":")[1])
    code = function.__code__
    assert code.co_firstlineno <= number <= code.co_firstlineno + 5
    assert equal(compile_program(np.sin, X)(X), onp.sin(X))  # and nothing is left behind


def test_what_a_function_does_to_its_own_things_is_its_business():
    def f(x):
        parts = []
        for k in range(3):
            parts.append(x * k)
        own = {"sum": sum(parts)}
        own.update(more=x)
        return own["sum"] + own["more"] * onp.random.default_rng(3).normal()

    assert equal(compile_program(f, X)(X + 1), f(X + 1))


def test_long_chains_compile_without_recursion():
    def chain(x):
        for _ in range(2000):
            x = x * 1.0001 + 0.1
        return x

    program = compile_program(value_and_grad(chain), 1.0)
    assert len(program.lines) >= 4_000
    assert equal(program(2.0), value_and_grad(chain)(2.0))


def test_two_functions_of_one_name_and_an_argument_called_like_them_have_names_of_their_own():
    def times(k):
        def f(x):
            return x * k

        return custom_vjp(f, lambda ans, g, x: (g * k,))

    double, triple = times(2.0), times(3.0)
    program = compile_program(lambda f: double(f) + triple(f) * f, 1.0)
    assert program(2.0) == 16.0
    assert compile_program(grad(lambda x: double(x) * triple(x)), 1.0)(2.0) == 24.0
