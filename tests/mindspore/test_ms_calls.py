"""A call of a compiled function that is written out checks all that the general way does, and takes few calls."""

import sys
import threading
from collections import namedtuple

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit import engine
from labkit.mindspore import Parameter, Tensor, nn, ops
from labkit.mindspore.common.tensor import wrap
from labkit.mindspore.graph.call_writer import MISSED

X, PAIR = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0])
Point = namedtuple("Point", "x y")


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    """The documents' network."""

    def __init__(self):
        super().__init__()
        self.fc, self.loss = nn.Dense(3, 1, has_bias=False), nn.MSELoss()

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


def warm(function, *args, **kwargs):
    """A compiled form whose call is written out, for it found its program twice."""
    compiled = ms.jit(function)
    for _ in range(3):
        compiled(*args, **kwargs)
    assert compiled._ready(args, kwargs) is not MISSED
    return compiled


def counted(run):
    """The calls of Python functions and of builtins meanwhile."""
    made = {"call": 0, "c_call": 0}

    def see(frame, event, argument):
        if event in made:
            made[event] += 1

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(before)
    return made["call"], made["c_call"]


def test_a_warm_gradient_of_the_documents_net_takes_few_calls_besides_its_program(graph_mode):
    net, x, y = Net(), X.reshape(1, 3), Tensor(19.0)
    gradient = ms.value_and_grad(net, (0, 1), net.trainable_params(), has_aux=True)
    for _ in range(3):
        gradient(x, y)
    program = gradient.program(x, y)
    arrays = [t.asnumpy() for t in (x, y, net.fc.weight)]
    python, builtin = counted(lambda: gradient(x, y))
    of_program = counted(lambda: program.run(*arrays))
    assert python - of_program[0] <= 20 and builtin - of_program[1] <= 32


def test_its_source_can_be_read_and_says_what_is_checked():
    net = Net()
    source = warm(net, X.reshape(1, 3), Tensor(19.0))._ready.source
    for line in (
        "x_value.shape != (1, 3) or x_value.dtype != float32", "# Net.training", "# the hooks of fc.weight",
        "= program(x_value, y_value, fc_weight_value)",
    ):  # fmt: skip
        assert line in source


class Doubled(Tensor):
    pass


ARRAY = np.float32([1, 2])
HELD = Parameter(PAIR, name="held")
ARGUMENTS = {  # what a function is given at first, and then: another signature each
    "shape": ((X,), (PAIR,)),
    "dtype": ((X,), (X.astype(ms.float64),)),
    "dtype of a number": ((Tensor(1.0),), (Tensor(1),)),
    "rank": ((X,), (X.reshape(1, 3),)),
    "tensor and number": ((X, Tensor(2.0)), (X, 2.0)),
    "number": ((X, 2.0), (X, 3.0)),
    "type of a number": ((X, 1), (X, 1.0)),
    "truth": ((X, 1), (X, True)),
    "sign of zero": ((X, 0.0), (X, -0.0)),
    "array": ((X, ARRAY.copy()), (X, ARRAY + 1)),
    "set": ((X, {1, 2}), (X, {1, 3})),
    "text": ((X, "a"), (X, "b")),
    "nothing": ((X, None), (X, 0)),
    "tuple": ((X, (1, X)), (X, (1, PAIR))),
    "length": ((X, (1, X)), (X, (1, X, 1))),
    "list": ((X, (1, X)), (X, [1, X])),
    "named tuple": ((X, Point(1, X)), (X, (1, X))),
    "slice": ((X, slice(0, 2)), (X, slice(0, 3))),
    "key": ((X, {"a": X}), (X, {"b": X})),
    "entry": ((X, {"a": X}), (X, {"a": PAIR})),
    "order of keys": ((X, {"a": 1, "b": 2}), (X, {"b": 2, "a": 1})),
    "object": ((X, len), (X, max)),
    "parameter": ((X, HELD), (X, Parameter(PAIR, name="held"))),
    "parameter for a tensor": ((PAIR,), (HELD,)),
    "more": ((X,), (X, 1)),
    "fewer": ((X, 1), (X,)),
}


def shown(x, *more):
    """An output that depends on all that is given, by value where it is not a tensor."""
    inner = [part for value in more for part in _tensors(value)]
    return x * 2, len(more), [t * 3 for t in inner], repr([m for m in more if isinstance(m, (int, float, set, slice))])


def _tensors(value):
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [t for part in parts for t in _tensors(part)]


def same(one, other):
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Tensor):
        return one.dtype == other.dtype and np.array_equal(one.asnumpy(), other.asnumpy())
    return one == other


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_of_another_signature_are_not_taken_for_the_first(name):
    first, then = ARGUMENTS[name]
    compiled = warm(shown, *first)
    assert same(compiled(*first), shown(*first))
    assert compiled._ready(then, {}) is MISSED
    hits = compiled.cache_info().hits
    assert same(compiled(*then), shown(*then)) and compiled.cache_info()[:2] == (hits, 2)
    assert same(compiled(*first), shown(*first)) and compiled.cache_info()[:2] == (hits + 1, 2)


def test_named_arguments_are_told_apart():
    compiled = warm(lambda x, y=1.0, z=1.0: x - y * 2 - z, X, y=PAIR[0])
    assert compiled._ready((X,), {"y": PAIR[0]}) is not MISSED
    for kwargs in ({}, {"z": PAIR[0]}, {"y": 1.0}, {"y": PAIR[0], "z": PAIR[0]}, {"y": X}):
        assert compiled._ready((X,), kwargs) is MISSED
    assert compiled._ready((X, PAIR[0]), {}) is MISSED


def test_contents_that_change_in_place_are_seen():
    array, names = ARRAY.copy(), {"a"}
    compiled = warm(lambda x, array, names: x * Tensor(array) * len(names), PAIR, array, names)
    array[0] = 5
    assert compiled(PAIR, array, names).asnumpy().tolist() == [5, 4]
    names.add("b")
    assert compiled(PAIR, array, names).asnumpy().tolist() == [10, 8]


def test_arguments_of_unusual_kinds_go_the_general_way():
    class Backwards(tuple):
        def __iter__(self):
            return reversed([self[i] for i in range(len(self))])

    doubled = Doubled([1.0, 2.0])
    for value in (doubled, Backwards((PAIR, PAIR * 2)), {1: PAIR}):
        compiled = ms.jit(lambda x, value: x + 1)
        assert [compiled(PAIR, value).asnumpy().tolist() for _ in range(4)] == [[2, 3]] * 4
        assert compiled.cache_info()[:2] == (3, 1) and compiled._ready((PAIR, value), {}) is MISSED


def test_zero_dimensional_arrays_and_scalars_are_one_signature():
    compiled = warm(lambda x: x * 2, Tensor(3.0))
    assert float(compiled(Tensor(np.float32(4)))) == 8 and float(compiled((X * X).sum())) == 28
    assert compiled.cache_info().misses == 1


CHANGES = {  # of the network's weight or its parts, which the program does not see
    "requires_grad": lambda net: setattr(net.fc.weight, "requires_grad", False),
    "hook": lambda net: net.fc.weight.register_hook(lambda g: g * 10),
    "weight replaced": lambda net: setattr(net.fc, "weight", Parameter(Tensor([[1.0, 1.0, 1.0]]), name="fc.weight")),
    "part replaced": lambda net: setattr(net, "loss", nn.L1Loss()),
    "part's attribute": lambda net: setattr(net.loss, "reduction", "sum"),
    "part's parameter": lambda net: setattr(net.fc, "bias_of_mine", Parameter(PAIR)),
    "training": lambda net: net.set_train(),
    "hook of a part": lambda net: net.fc.register_forward_hook(lambda cell, args, output: output * 10),
}


def test_a_weight_of_another_dtype_is_seen(graph_mode):
    net, x, y = Net(), X.reshape(1, 3), Tensor(19.0)
    gradient = ms.grad(net, 0, net.fc.weight, has_aux=True)
    for _ in range(3):
        gradient(x, y)
    net.fc.weight.set_dtype(ms.float64)
    with pytest.raises(TypeError, match="type of 'x2' should be same as 'x1'"):
        gradient(x, y)


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_network_is_not_seen_and_the_call_written_anew_no_longer_looks(name, graph_mode):
    net, x, y = Net(), X.reshape(1, 3), Tensor(19.0)
    gradient = ms.grad(net, 0, net.fc.weight, has_aux=True)
    found = [gradient(x, y) for _ in range(3)]
    (compiled,) = net._labkit_compiled.values()
    source = compiled._ready.source
    CHANGES[name](net)
    with pytest.warns(UserWarning, match="has changed since Net was compiled"):
        assert same(gradient(x, y), found[0])
    assert same(gradient(x, y), found[0]) and gradient.cache_info()[:2] == (4, 1)
    assert len(compiled._ready.source) < len(source) / 2


def test_a_value_written_is_what_the_next_call_reads():
    w = Parameter(PAIR, name="w")
    step = warm(lambda x: ops.assign_add(w, x), PAIR)
    expected = w.asnumpy() + PAIR.asnumpy()
    assert np.array_equal(step(PAIR).asnumpy(), expected) and np.array_equal(w.asnumpy(), expected)
    w.set_data(Tensor([0.0, 0.0]))
    assert step(PAIR).asnumpy().tolist() == [1, 2]


def test_the_mode_and_the_weights_are_asked_for_at_every_call():
    def f(x):
        ran.append(1)
        return (x * w * v).sum()

    ran, w, v = [], Parameter(PAIR, name="w"), Parameter(PAIR * 3, name="v")
    weights = [w]
    gradient = ms.grad(lambda x: (x * w * v).sum(), None, weights)
    eager = gradient(PAIR)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert [same(gradient(PAIR), eager) for _ in range(3)] == [True] * 3
        weights.append(v)
        assert len(gradient(PAIR)) == 2
        weights.pop()
        assert same(gradient(PAIR), eager) and gradient.cache_info() == (3, 1, 1)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert same(gradient(PAIR), eager)
    ms.grad(f)(PAIR), ms.grad(f)(PAIR)
    assert len(ran) == 2


def test_inside_a_derivative_or_another_program_it_is_part_of_that():
    square = warm(lambda x: x * x, PAIR)
    hits = square.cache_info()
    assert ms.grad(lambda x: square(x).sum())(PAIR).asnumpy().tolist() == [2, 4]
    assert engine.grad(lambda a: square(wrap(a))._value.sum())(PAIR.asnumpy()).tolist() == [2, 4]
    outer = ms.jit(lambda x: square(x) + 1)
    assert outer(PAIR).asnumpy().tolist() == [2, 5] and square.cache_info() == hits
    w = Parameter(PAIR, name="w")
    times = warm(lambda x: x * w, PAIR)
    assert ms.grad(lambda x: times(x).sum(), None, w)(X[:2]).asnumpy().tolist() == [1, 2]


def test_prints_random_numbers_and_structures_are_those_of_the_general_way(capsys):
    def f(x):
        print("sum", x.sum())
        return {"twice": x * 2, "point": Point(x, 1)}, [ops.dropout(x, p=0.5), "text"]

    compiled = warm(f, PAIR)
    capsys.readouterr()
    found = compiled(PAIR)
    assert capsys.readouterr().out.split() == ["sum", "3"]
    assert found[0]["point"]._fields == ("x", "y") and found[0]["point"].y == 1 and found[1][1] == "text"
    drawn = {tuple(compiled(X)[1][0].asnumpy().tolist()) for _ in range(40)}
    assert len(drawn) > 1 and type(found[0]) is dict and type(found[1]) is list


def test_programs_take_turns():
    compiled = warm(lambda x: x + 1, PAIR)
    for _ in range(4):
        assert compiled(X).shape == (3,) and compiled(PAIR).shape == (2,)
    assert compiled.cache_info()[1:] == (2, 2)


def test_threads_call_at_once_each_with_its_own_shape():
    compiled, wrong = warm(lambda x: x * 2, PAIR), []

    def call(n):
        x = Tensor(np.full(n, 1.0, "f4"))
        for _ in range(200):
            if compiled(x).asnumpy().tolist() != [2.0] * n:
                wrong.append(n)

    threads = [threading.Thread(target=call, args=(n,)) for n in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_copy_compiles_for_itself():
    import copy

    class Holder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")
            self.step = ms.jit(self.times)

        def times(self, x):
            return x * self.w

    one = Holder()
    for _ in range(3):
        one.step(PAIR)
    other = copy.deepcopy(one)
    other.w.set_data(Tensor(10.0))
    for _ in range(3):
        assert one.step(PAIR).asnumpy().tolist() == [2, 4] and other.step(PAIR).asnumpy().tolist() == [10, 20]
