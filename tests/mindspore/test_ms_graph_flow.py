"""Control flow on tensors in graph mode: a program for each way through a function, with its derivatives.

What the real MindSpore prints for such functions is in `tests/real/mindspore_rows.txt`, under "in a graph".
"""

import threading
import traceback

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0, 3.0])
SIGNS = X, -X


def values(tensor):
    return tensor.asnumpy().tolist()


def body_of(program):
    lines = [line.partition("#")[0].rstrip() for line in str(program).splitlines()]
    return [line for line in lines if line]


def chosen(x):
    if x.sum() > 0:  # noqa: SIM108 - what a branch is
        y = ops.sin(x) * x
    else:
        y = x * x
    return y


def squared_until(x):
    while x.sum() < 50:
        x = x * x + 1
    return x


def test_each_side_of_a_branch_has_a_program_and_so_has_its_derivative():
    jitted = ms.jit(chosen)
    assert [values(jitted(x)) for x in (*SIGNS, *SIGNS)] == [values(chosen(x)) for x in SIGNS] * 2
    assert jitted.cache_info().misses == 1  # both sides are compiled at once, as in the real one
    begin = ["def program(x):", "    v1 = np.sum(x)", "    v2 = v1 > 0", "    holds_for(v2)"]
    assert body_of(jitted.program(X)) == [*begin, "    v3 = np.sin(x)", "    y = v3 * x", "    return (y,)"]
    assert body_of(jitted.program(-X)) == [*begin, "    y = x * x", "    return (y,)"]
    slope = ms.jit(lambda x: ms.grad(chosen)(x))
    assert [values(slope(x)) for x in SIGNS] == [values(ms.grad(chosen)(x)) for x in SIGNS]
    assert slope.cache_info().misses == 1


def test_a_loop_has_a_program_for_each_number_of_rounds_and_is_run_by_python_after_many():
    jitted, slope = ms.jit(squared_until), ms.jit(lambda x: ms.grad(squared_until)(x))
    for x in (X, X * 0.1, X * 100):
        assert values(jitted(x)) == values(squared_until(x))
        assert values(slope(x)) == values(ms.grad(squared_until)(x)) == values(ms.grad(jitted)(x))
    assert slope.cache_info().misses == 2 and body_of(slope.program(X)).count("    v2 = v1 < 50") == 1

    @ms.jit
    def counted(x, n):
        while n > 0:
            x, n = x + 1, n - 1
        return x

    for n in (*range(20), 500):
        assert values(counted(X, Tensor(n))) == [1 + n, 2 + n, 3 + n]
    assert counted.cache_info().size == 0


def test_the_other_side_is_looked_at_when_a_function_is_compiled():
    """What it says is MindSpore's."""

    def two_types(x):
        return x if x.sum() > 0 else x.astype(ms.float16)

    def raising(x):
        if x.sum() < 0:
            raise TypeError("of the user's own")
        return x

    with pytest.raises(TypeError, match="Type Join Failed: dtype1 = Float32, dtype2 = Float16"):
        ms.jit(two_types)(X)
    assert values(ms.jit(raising)(X)) == values(X)
    with pytest.raises(TypeError, match="of the user's own"):
        ms.jit(raising)(-X)


@pytest.mark.parametrize("function", [chosen, squared_until])
def test_other_derivatives_go_through_too(function):
    along = lambda x: ms.jvp(function, x, x)[1]
    second = lambda x: ms.jvp(ms.grad(function), x, x)[1]
    for derivative in (along, second, lambda x: ms.jacfwd(function)(x)):
        jitted = ms.jit(derivative)
        assert all(values(jitted(x)) == values(derivative(x)) for x in SIGNS[: 1 + (function is chosen)])


def test_gradients_of_gradients_of_a_branch():
    twice = lambda x: ms.grad(lambda x: (ms.grad(chosen)(x) ** 2).sum())(x)
    thrice = lambda x: ms.grad(lambda x: twice(x).sum())(x)
    for derivative in (twice, thrice):  # terms are added in another order
        jitted = ms.jit(derivative)
        assert all(np.allclose(values(jitted(x)), values(derivative(x)), rtol=1e-6) for x in SIGNS)


def test_the_side_that_is_not_taken_does_nothing():
    def logarithm(x):
        y = ops.sqrt(x) if x.min() > 0 else x * 0
        return y.sum()

    slope = ms.jit(lambda x: ms.grad(logarithm)(x))
    assert values(slope(-X)) == [0, 0, 0]  # not 0 times a slope that is nan
    assert values(slope(X)) == values(ms.grad(logarithm)(X))


class Trained:
    """A training step as tutorials write it: `body(loss, grads)` of a network with a loss scale."""

    def __init__(self, scaler, make):
        self.net = nn.Dense(3, 1, weight_init=Tensor([[1.0, 2.0, 3.0]]), bias_init="zeros")
        self.opt, self.scaler = nn.Momentum(self.net.trainable_params(), 0.125, 0.5), scaler
        self.grad_fn = ms.value_and_grad(self.forward, None, self.opt.parameters)
        self.step = make(self)

    def forward(self, x, y):
        return self.scaler.scale(((self.net(x) - y) ** 2).mean())

    def history(self, wrap):
        step, seen = wrap(self.step), []
        for k in range(6):
            loss = step(Tensor([[1.0, -1.0, 0.5]]) * (1e20 if k in (1, 4) else 1.0), Tensor([[1.0]]))
            state = [self.net.weight, self.net.bias, self.scaler.scale_value, *self.opt.moments]
            seen.append([loss.asnumpy().tolist(), *[p.asnumpy().tolist() for p in state]])
        return seen, step


def plain(t):
    def step(x, y):
        loss, grads = t.grad_fn(x, y)
        is_finite = ms.amp.all_finite(grads)
        if is_finite:
            grads = t.scaler.unscale(grads)
            t.opt(grads)
        t.scaler.adjust(is_finite)
        return t.scaler.unscale(loss)

    return step


def returning(t):
    def step(x, y):
        loss, grads = t.grad_fn(x, y)
        if not ms.amp.all_finite(grads):
            t.scaler.adjust(Tensor(False))
            return loss * 0
        loss = ops.depend(loss, t.opt(t.scaler.unscale(grads)))
        t.scaler.adjust(Tensor(True))
        return loss

    return step


def nested(t):
    count = Parameter(Tensor(0.0), name="count")

    def update(grads):
        if ms.amp.all_finite(grads):
            t.opt(t.scaler.unscale(grads))
            if count > 1:
                ops.assign(count, Tensor(0.0))
                ops.assign(t.scaler.scale_value, t.scaler.scale_value * 4)
        elif count == 0:
            ops.assign(t.scaler.scale_value, t.scaler.scale_value / 2)
        ops.assign_add(count, Tensor(1.0))

    def step(x, y):
        loss, grads = t.grad_fn(x, y)
        update(grads)
        return loss + count

    return step


@pytest.mark.parametrize("make", [plain, returning, nested])
@pytest.mark.parametrize(
    "scaler", [lambda: ms.amp.DynamicLossScaler(1024.0, 2, 2), lambda: ms.amp.StaticLossScaler(64.0)]
)
def test_a_training_step_that_branches_on_finite_gradients_trains_as_eagerly(make, scaler):
    compiled, step = Trained(scaler(), make).history(ms.jit)
    assert repr(compiled) == repr(Trained(scaler(), make).history(lambda step: step)[0])  # nan is nan
    assert step.cache_info().misses <= 2


def test_prints_come_from_the_side_taken_in_the_order_of_the_run(capsys):
    @ms.jit
    def f(x):
        print("before")
        if x.sum() > 0:
            print("pos", x.sum())
        else:
            print("neg")
        k = x.max() * 0
        while k < 2:
            print(k)
            k = k + 1
        return x

    for x in SIGNS:
        f(x)
    assert capsys.readouterr().out.split() == ["before", "pos", "6", "0", "1", "before", "neg", "-0", "1"]


def test_what_a_side_does_to_lists_dicts_and_elements_counts_when_it_is_taken():
    @ms.jit
    def f(x):
        found, table, y = [x], {"a": x}, x * 1
        if x.sum() > 0:
            found.append(x * 2)
            table["a"] = x + 1
        else:
            found.append(x * 3)
            y[0] = 10.0
        return found[1], table["a"], y

    assert [values(t) for t in f(X)] == [[2, 4, 6], [2, 3, 4], [1, 2, 3]]
    assert [values(t) for t in f(-X)] == [[-3, -6, -9], [-1, -2, -3], [10, -2, -3]]


def test_what_differs_in_shape_or_kind_has_a_program_for_each():
    @ms.jit
    def f(x, cut):
        if x.sum() > 0:
            return x[x > cut]
        return None

    for _ in range(2):
        assert [values(f(X, Tensor(cut))) for cut in (0.5, 1.5, 2.5)] == [[1, 2, 3], [2, 3], [3]]
        assert f(-X, Tensor(0.5)) is None
    assert f.cache_info().misses == 3
    slope = ms.jit(lambda x: ms.grad(lambda x: (x[x > 0] ** 2).sum())(x))
    assert [values(slope(Tensor(v))) for v in ([1.0, -2.0, 3.0], [-1.0, 2.0, -3.0])] == [[2, 0, 6], [0, 4, 0]]


UNDEFINED = "The local variable 'y' is not defined in false branch, but defined in true branch."
OUTSIDE = (
    "The local variable 'y' defined in the 'while' loop body cannot be used outside of the loop body. Please define "
    "variable 'y' before 'while'."
)


def one_side(x):
    if x.sum() > 0:
        y = x
    return y * 2


def in_the_loop(x):
    while x.sum() < 10:
        y = x * 2
        x = y + 1
    return y


@pytest.mark.parametrize("function, words", [(one_side, UNDEFINED), (in_the_loop, OUTSIDE)])
def test_a_name_that_is_not_there_on_every_way_is_refused_in_the_words_of_graph_mode(function, words):
    with pytest.raises(UnboundLocalError) as caught:
        ms.jit(function)(X)
    assert str(caught.value).splitlines()[0] == words


def test_an_error_names_the_line_that_the_user_wrote():
    def f(x):
        if x.sum() > 0:  # noqa: SIM108
            y = x
        else:
            y = ops.concat((x, Tensor("nothing")))
        return y

    with pytest.raises(TypeError) as caught:
        ms.jit(f)(X)
    last = [frame for frame in traceback.extract_tb(caught.tb) if frame.filename == __file__][-1]
    assert last.lineno == f.__code__.co_firstlineno + 4 and last.line == 'y = ops.concat((x, Tensor("nothing")))'


def test_functions_are_as_they_were_afterwards_also_for_other_threads():
    before, seen = chosen.__code__, []
    jitted = ms.jit(lambda x: chosen(x))
    thread = threading.Thread(target=lambda: seen.extend(values(chosen(-X)) for _ in range(20)))
    thread.start()
    jitted(X)
    thread.join()
    assert chosen.__code__ is before and seen == [values(chosen(-X))] * 20


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.__hidden, self.dense = 2.0, nn.Dense(3, 3, weight_init="ones")

    def construct(self, x):
        return self.dense(x) * self.__hidden if x.sum() > 0 else x


class Derived(Base):
    def construct(self, x):
        y = super().construct(x)
        for k in range(3):
            if y.sum() > 100 * k:
                y = y + k
        return y


def test_methods_of_classes_with_super_and_private_names():
    net, x = Derived(), Tensor([[1.0, 2.0, 3.0]])
    wanted = [values(net(t)) for t in (x, -x)]
    jitted = ms.jit(net)
    assert [values(jitted(t)) for t in (x, -x)] == wanted


def deep(x):
    s, k = x * 1, 0
    while k < x.max() * 0 + 3:
        if s.sum() > 1:
            j = s.max() * 0
            while j < 2:
                s = s * x + ops.tanh(s)
                if s.sum() > 4:
                    s = s * 0.5
                j = j + 1
        else:
            s = s * s + x
        k = k + 1
    return s


def leaving(x):
    y = x
    while y.sum() < 30:
        y = y * y + 0.5
        if y.max() > 5:
            return y * 3
        y = y + x
    return y - 1


DERIVATIVES = {
    "gradient": lambda f: lambda x: ms.grad(f)(x),
    "gradient of the gradient": lambda f: lambda x: ms.grad(lambda x: (ms.grad(f)(x) ** 2).sum())(x),
    "forwards over reverse": lambda f: lambda x: ms.jvp(ms.grad(f), x, x)[1],
    "reverse over forwards": lambda f: lambda x: ms.grad(lambda x: ms.jvp(f, x, x)[1].sum())(x),
}


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize("function", [deep, leaving])
def test_loops_in_branches_in_loops_have_all_derivatives(function, name):
    derivative = DERIVATIVES[name](function)
    jitted = ms.jit(derivative)
    for x in ([0.5, 0.8], [1.5, 1.2], [-0.5, 0.1], [0.1, 0.2]):
        found, wanted = values(jitted(Tensor(x))), values(derivative(Tensor(x)))
        assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6)  # terms may be added in another order
    assert jitted.cache_info().misses <= 4


def test_a_choice_through_numpy_values_is_the_same_bits():
    rng = np.random.default_rng(0)
    jitted = ms.jit(lambda x: ms.value_and_grad(chosen)(x))
    for _ in range(5):
        x = Tensor(rng.normal(size=3).astype(np.float32))
        assert [t.asnumpy().tobytes() for t in jitted(x)] == [
            t.asnumpy().tobytes() for t in ms.value_and_grad(chosen)(x)
        ]


# ---- names without a value (the words are MindSpore's, of a file) ----


def defined_on_one_side(x):
    if x.sum() > 100:
        y = x * 2
    return ops.sin(y)


def defined_in_what_is_not_taken(x, flag=False):
    if flag:
        y = x
    return y


@pytest.mark.parametrize("function", [defined_on_one_side, defined_in_what_is_not_taken])
def test_a_name_with_a_value_on_one_side_is_refused_wherever_it_is_used(function):
    words = "The local variable 'y' is not defined in false branch, but defined in true branch.\nIn file "
    with pytest.raises(UnboundLocalError, match=words):
        ms.jit(function)(X)


def test_what_attributes_hold_are_inputs_and_outputs_of_one_program():
    class Steps(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def construct(self, x):
            self.steps = self.steps + 1
            return x * self.steps

    net = Steps()
    jitted = ms.jit(net)
    assert [values(jitted(X)) for _ in range(3)] == [[1, 2, 3], [2, 4, 6], [3, 6, 9]]
    assert net.steps == 3 and tuple(jitted.cache_info()) == (2, 1, 1)
    lines = body_of(jitted.program(X))
    assert lines[:2] == ["def program(x, steps):", "    v1 = steps + 1"] and lines[-1] == "    return (v3, v1,)"


def test_an_error_leaves_attributes_as_they_were():
    class Failing(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = 4

        def construct(self, x):
            self.steps = self.steps + 1
            raise ValueError("no")

    net = Failing()
    with pytest.raises(ValueError, match="no"):
        ms.jit(net)(X)
    assert net.steps == 4
