"""Nesting, exceptions and threads in both dialects, and across them."""

import sys
import threading

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch


def number(result):
    """The number of a tensor of either dialect, without PyTorch's warning about a tensor that requires grad."""
    return result.item() if hasattr(result, "item") else result


def d_mindspore(f):
    return lambda x: ms.grad(f)(ms.Tensor(x) if isinstance(x, float) else x)


def d_torch(f):
    """The derivative as a function, by the tape; differentiable again."""

    def derivative(x):
        if isinstance(x, float) or not x.requires_grad:
            x = torch.tensor(float(x), requires_grad=True)
        (g,) = torch.autograd.grad(f(x), x, create_graph=True, allow_unused=True)
        return torch.zeros(()) if g is None else g

    return derivative


def d_torch_func(f):
    return lambda x: torch.func.grad(f)(torch.tensor(x) if isinstance(x, float) else x)


DERIVATIVES = {"mindspore": d_mindspore, "torch": d_torch, "torch.func": d_torch_func}
every_dialect = pytest.mark.parametrize("d", DERIVATIVES.values(), ids=DERIVATIVES.keys())


@every_dialect
def test_an_inner_derivative_does_not_see_the_outer_variable(d):
    assert number(d(lambda x: x * d(lambda y: x + y)(1.0))(1.0)) == 1
    assert number(d(lambda x: x * d(lambda y: x * y)(2.0))(3.0)) == 6
    assert number(d(lambda x: d(lambda y: y * y * x)(2.0))(3.0)) == 4
    assert number(d(lambda x: x * d(lambda y: d(lambda z: x * y * z)(5.0))(7.0))(3.0)) == 6


@every_dialect
@pytest.mark.parametrize("order", range(1, 5))
def test_derivatives_of_any_order_equal_the_closed_form(d, order):
    derivative = lambda x: x**5
    for _ in range(order):
        derivative = d(derivative)
    factor = np.prod(range(5, 5 - order, -1))
    assert number(derivative(2.0)) == factor * 2 ** (5 - order)


def test_the_dialects_do_not_disturb_each_other():
    def f(x):
        inner = number(d_torch(lambda y: y**3)(2.0)) + labkit.grad(lambda y: y**2)(3.0)
        return x * x * inner

    assert float(ms.grad(f)(ms.Tensor(1.0))) == 36
    t = torch.tensor(1.0, requires_grad=True)
    (t * t * float(ms.grad(lambda x: x**3)(ms.Tensor(2.0)))).backward()
    assert float(t.grad) == 24


# ---- exceptions ----


def failing(d, error, depth):
    def f(x):
        if depth == 0:
            raise error
        return x * d(failing(d, error, depth - 1))(x)

    return f


@every_dialect
@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()], ids=["ValueError", "KeyboardInterrupt"])
def test_after_an_exception_everything_works_and_is_right(d, error, depth):
    for _ in range(3):
        with pytest.raises(type(error)):
            d(failing(d, error, depth))(2.0)
        for other in DERIVATIVES.values():
            assert number(other(other(lambda x: x**3))(2.0)) == 12


def test_an_exception_leaves_parameters_and_modes_as_they_were():
    net = ms.nn.Dense(2, 1)
    weight = net.weight.asnumpy().copy()

    def broken(x):
        net(x)
        raise ValueError

    with pytest.raises(ValueError):
        ms.grad(broken, None, net.trainable_params())(ms.Tensor([[1.0, 2.0]]))
    with pytest.raises(ValueError), torch.no_grad():
        raise ValueError
    assert torch.is_grad_enabled() and (net.weight.asnumpy() == weight).all()
    x = ms.Tensor([[1.0, 2.0]])
    assert ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(x)[0].asnumpy().tolist() == [[1, 2]]


# ---- threads ----


def in_threads(jobs, rounds=60):
    """Run `(function, right answer)` jobs at once, with threads switching often; the number of wrong answers."""
    wrong, start = [], threading.Barrier(len(jobs))

    def work(function, expected):
        start.wait()
        for _ in range(rounds):
            try:
                if not np.allclose(function(), expected, rtol=1e-5):
                    wrong.append(expected)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=job) for job in jobs]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    return wrong


def nested(d, k):
    return lambda: number(d(d(d(lambda x: x**3 * k)))(0.5)), 6 * k


@pytest.mark.parametrize("count", [2, 8])
def test_threads_may_differentiate_in_all_dialects_at_once(count):
    ways = list(DERIVATIVES.values())
    assert in_threads([nested(ways[i % 3], i + 1.0) for i in range(count)]) == []


def test_threads_may_share_a_network():
    net = ms.nn.Dense(2, 1, has_bias=False)
    net.weight.set_data(ms.Tensor([[2.0, 3.0]]))
    layer = torch.nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[2.0, 3.0]]))

    def by_mindspore(k):
        gradient = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), 0, net.trainable_params())
        return lambda: float(gradient(ms.Tensor([[k, 1.0]]))[1][1][0][0, 0]), 2 * (2 * k + 3) * k

    def by_torch(k):
        def weight_gradient():
            value = (layer(torch.tensor([[k, 1.0]])) ** 2).sum()
            return number(torch.autograd.grad(value, layer.weight)[0][0, 0])

        return weight_gradient, 2 * (2 * k + 3) * k

    assert in_threads([by_mindspore(1.0), by_mindspore(2.0), by_torch(3.0), by_torch(4.0)], rounds=150) == []


def test_no_grad_in_one_thread_leaves_the_others_recording():
    def silent():
        with torch.no_grad():
            return float((torch.tensor(2.0, requires_grad=True) ** 2).requires_grad)

    def recording():
        x = torch.tensor(2.0, requires_grad=True)
        (x**2).backward()
        return float(x.grad)

    assert in_threads([(silent, 0), (recording, 4), (silent, 0), (recording, 4)], rounds=200) == []
