"""Every recorded op knows in which calls of a network's parts it ran."""

import threading

import autograd.numpy as np
import pytest

from labkit.engine import Scope, current, grad, jvp, record


class Part:
    """The least that a part of a network is: named parts, and a call that is a scope while a graph is recorded."""

    def __init__(self, compute, **parts):
        self.compute, self.parts = compute, parts
        self.__dict__.update(parts)

    def __engine_parts__(self):
        return self.parts.items()

    def __call__(self, *args, **kwargs):
        if current.scopes is not None and current.scopes.part is not self:
            return current.scopes.call(self, self, args, kwargs)
        return self.compute(self, *args, **kwargs)


def double():
    return Part(lambda self, x: x * 2)


def scopes(graph):
    """`{op: scopes}` of the forward ops, a scope written as its names."""
    found = {}
    for node in graph.forward:
        found.setdefault(node.op, []).append(".".join(s.name for s in node.scope))
    return found


def test_a_plain_function_has_no_scope():
    graph = record(lambda x: np.exp(x) * 2, 1.0)
    assert [node.scope for node in graph.joint] == [()] * len(graph.joint)


def test_a_part_called_is_a_scope_and_the_one_recorded_is_not():
    net = Part(lambda self, x: np.exp(self.first(x)), first=double())
    inputs, product, exponential = record(net, 1.0).forward
    assert product.scope == (Scope("first", "Part", 1),)
    assert inputs.scope == exponential.scope == ()


def test_scopes_are_listed_from_the_outside_in():
    block = Part(lambda self, x: self.dense(x) + 1, dense=double())
    net = Part(lambda self, x: np.tanh(self.block(x)), block=block)
    assert scopes(record(net, 1.0)) == {"input": [""], "multiply": ["block.dense"], "add": ["block"], "tanh": [""]}


def test_two_calls_of_one_part_are_told_apart():
    net = Part(lambda self, x: self.block(self.block(x)), block=Part(lambda self, x: self.dense(x), dense=double()))
    first, second = (node.scope for node in record(net, 1.0).forward[1:])
    assert first == (Scope("block", "Part", 1), Scope("dense", "Part", 1))
    assert second == (Scope("block", "Part", 2), Scope("dense", "Part", 1))


def test_every_recording_counts_calls_anew():
    net = Part(lambda self, x: self.first(x), first=double())
    assert record(net, 1.0).forward[1].scope == record(net, 1.0).forward[1].scope == (Scope("first", "Part", 1),)


def test_a_part_that_is_nowhere_in_its_caller_goes_by_its_class():
    made_on_the_way = lambda x: double()(double()(x))
    assert [node.scope for node in record(made_on_the_way, 1.0).forward[1:]] == [
        (Scope("Part", "Part", 1),),
        (Scope("Part", "Part", 2),),
    ]


def test_a_method_belongs_to_its_object_and_a_wrapper_to_what_it_wraps():
    net = Part(lambda self, x: self.first(x), first=double())
    net.both = lambda x: net(x)
    net.both.__wrapped__ = net
    for fun in (net.__call__, net.both):
        assert record(fun, 1.0).forward[1].scope == (Scope("first", "Part", 1),)


def test_backward_ops_are_in_the_scope_of_their_forward_op():
    net = Part(lambda self, x: np.exp(self.first(x)), first=double())
    graph = record(net, 1.0)
    for step in graph.steps:
        assert {node.scope for node in step.backward} == {step.node.scope}
    assert graph.backward[0].op == "ones_like" and graph.backward[0].scope == ()


def test_a_derivative_taken_inside_keeps_to_its_forward_ops():
    net = Part(lambda self, x: np.sin(self.first(x)), first=Part(lambda self, x: np.exp(x)))
    graph = record(grad(net), 1.0)
    where = {node.op: [s.name for s in node.scope] for node in graph.forward}
    assert where["exp"] == ["first"] and where["sin"] == where["cos"] == []
    assert [node.scope[0].name for node in graph.forward if node.scope] == ["first", "first"]  # exp, and g * exp(x)
    (third,) = record(grad(grad(net)), 1.0).gradients.values()
    assert third == pytest.approx(grad(grad(grad(net)))(1.0))


def test_a_forward_derivative_runs_in_the_scope_of_its_op():
    net = Part(lambda self, x: self.first(x) + x, first=Part(lambda self, x: np.sin(x)))
    found = scopes(record(lambda x: jvp(net, (x,), (1.0,))[1], 1.0))
    assert found["sin"] == found["cos"] == ["Part.first"] and found["add"] == ["Part"] * 2


def test_an_exception_leaves_no_scope():
    def fail(self, x):
        raise ValueError("no")

    net = Part(lambda self, x: self.block(x), block=Part(lambda self, x: self.bad(x * 3), bad=Part(fail)))
    for _ in range(2):
        with pytest.raises(ValueError):
            record(net, 1.0)
        assert current.scopes is None
        assert record(lambda x: x * 2, 1.0).forward[1].scope == ()


def test_an_exception_caught_inside_leaves_its_scope():
    def careful(self, x):
        try:
            return self.bad(x)
        except ZeroDivisionError:
            return x * 2

    net = Part(careful, bad=Part(lambda self, x: 1 // 0))
    assert record(net, 1.0).forward[1].scope == ()


def test_recording_within_a_recording_starts_outside_of_any_scope():
    def inner(self, x):
        seen.append(record(Part(lambda self, y: self.first(y), first=double()), 3.0))
        return x * 2

    seen = []
    graph = record(Part(lambda self, x: self.outer(x), outer=Part(inner)), 1.0)
    assert [s.name for s in seen[0].forward[1].scope] == ["first"] and seen[0].inputs[0].scope == ()
    assert [s.name for s in graph.forward[1].scope] == ["outer"]


def test_another_thread_has_scopes_of_its_own():
    def slow(self, x):
        inside.set()
        assert done.wait(20)
        return x * 2

    def other():
        inside.wait(20)
        seen.append(current.scopes)
        seen.append(record(lambda x: double()(x) + 1, 1.0))
        seen.append(double()(3.0))
        done.set()

    inside, done, seen = threading.Event(), threading.Event(), []
    thread = threading.Thread(target=other)
    thread.start()
    graph = record(Part(lambda self, x: self.slow(x), slow=Part(slow)), 1.0)
    thread.join()
    assert scopes(graph) == {"input": [""], "multiply": ["slow"]}
    assert seen[0] is None and seen[2] == 6.0 and scopes(seen[1]) == {"input": [""], "multiply": ["Part"], "add": [""]}


def test_a_thread_started_inside_a_part_is_in_no_scope():
    def in_a_thread(self, x):
        thread = threading.Thread(target=lambda: results.append(x * 2))
        thread.start()
        thread.join()
        return results[-1] + 1

    results = []
    graph = record(Part(lambda self, x: self.inner(x), inner=Part(in_a_thread)), 1.0)
    assert scopes(graph) == {"input": [""], "multiply": [""], "add": ["inner"]}
