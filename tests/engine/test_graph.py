"""The chain rule, recorded: the backward graph, the joint graph, and every step between them."""

import gc
import weakref

import autograd.numpy as np
import numpy as onp
import pytest
from autograd.extend import defvjp_argnums, primitive

from labkit.engine import Summary, dense, getval, grad, record

X = onp.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
W = onp.array([[1.0, 2.0], [-0.5, 0.4], [0.3, -1.2]])


def net(x, w):
    z = np.matmul(x, w)
    h = np.tanh(z)
    loss = np.sum(h * h) + np.mean(z)
    return loss


def fan_out(x):
    a = x * 2
    b = x * 3
    c = x * 5
    d = x * 7
    return np.sum(a + b + c + d)


def several(x, y):
    return {"sum": x + y, "rest": [x * y, (y, np.exp(x))]}


PROGRAMS = {
    "net": (net, X, W),
    "fan-out": (fan_out, X),
    "several outputs": (several, X, X + 3),
    "indexing": (lambda x: x[0] * x[1] + x[0, 1], X),
    "concatenate": (lambda x, y: np.concatenate([x, y * x], axis=1) ** 2, X, X * 2),
    "broadcasting": (lambda x, b: np.exp(x + b[0]) / b[1], X, onp.array([0.5, 2.0])),
    "reductions": (lambda x: np.max(x, axis=1) * np.var(x) + np.std(x, axis=0)[:2] + np.prod(x), X),
    "where": (lambda x: np.where(x > 0, x**2, np.abs(x) ** 3), X),
    "scalars": (lambda x, y: x**2 + np.sin(y) / x, 3.0, 2.0),
    "linear algebra": (lambda x: np.linalg.det(np.dot(x, x.T)) + np.linalg.norm(x), X),
}
every_program = pytest.mark.parametrize("fun, args", [(f, a) for f, *a in PROGRAMS.values()], ids=list(PROGRAMS))


def rerun(graph, *args):
    """Execute the joint graph anew, in its order, on other inputs: `{node: value}`."""
    values = dict(zip((node for node in graph.joint if node.op == "input"), args, strict=True))
    for node in graph.joint:
        if node not in values:
            given = list(node.args)
            for place, parent in zip(node.argnums, node.parents, strict=True):
                given[place] = values[parent]
            values[node] = node.fun(*given, **node.kwargs)
    return values


# ---- forward and backward ----


@every_program
def test_the_gradients_are_those_of_grad(fun, args):
    graph = record(fun, *args)
    for gradient, expected in zip(graph.gradients.values(), grad(fun, tuple(range(len(args))))(*args), strict=True):
        onp.testing.assert_allclose(gradient, expected, rtol=1e-12)


@every_program
def test_the_joint_graph_is_forward_then_backward(fun, args):
    graph = record(fun, *args)
    forward = [node.value._node for node in graph.forward]
    assert graph.joint == forward + graph.backward
    assert [node.label for node in forward] == [node.label for node in graph.forward]


@every_program
def test_the_joint_graph_holds_plain_values_and_every_parent_comes_before_its_children(fun, args):
    seen = set()
    for node in record(fun, *args).joint:
        assert getval(node.value) is node.value
        assert set(node.parents) <= seen
        seen.add(node)


@every_program
def test_running_the_joint_graph_again_gives_the_same_values(fun, args):
    graph = record(fun, *args)
    for node, value in rerun(graph, *args).items():
        onp.testing.assert_allclose(dense(value), dense(node.value), rtol=1e-12)


@pytest.mark.parametrize("name", ["net", "fan-out", "broadcasting", "linear algebra"])
def test_running_the_joint_graph_on_other_inputs_gives_their_gradient(name):
    fun, *args = PROGRAMS[name]
    graph, others = record(fun, *args), [a * 1.1 + 0.05 for a in args]
    values, expected = rerun(graph, *others), grad(fun, tuple(range(len(args))))(*others)
    for label, want in zip(graph.gradients, expected, strict=True):
        final = next(node for node in graph.joint if node.value is graph.gradients[label])
        onp.testing.assert_allclose(values[final], want, rtol=1e-12)


def test_every_op_of_the_derivative_is_an_ordinary_node():
    graph = record(lambda x: np.exp(x) * 3, onp.ones(2))
    assert [node.op for node in graph.backward] == ["ones_like", "multiply", "multiply"]
    start, times_three, times_exp = graph.backward
    output, exp = graph.forward[-1].value._node, graph.forward[1].value._node
    assert start.parents == (output,) and times_three.parents == (start,)
    assert set(times_exp.parents) == {times_three, exp}  # exp(x) as the forward run left it


def test_gradients_are_labelled_after_the_value_they_belong_to():
    def f(x):
        h = np.exp(x)
        return np.sin(h)

    labels = [node.label for node in record(f, 1.0).backward]
    assert labels == ["d_v1", "v2", "d_h", "d_x"]  # 1, cos(h), 1 * cos(h), that * exp(x)


def test_both_gradients_of_one_op_carry_their_own_labels():
    graph = record(net, X, W)
    for label in ("x", "w", "h", "z"):
        (node,) = [n for n in graph.joint if n.label == f"d_{label}"]
        assert node.shape == next(n for n in graph.forward if n.label == label).shape


# ---- steps ----


@every_program
def test_steps_visit_children_before_parents_and_each_op_once(fun, args):
    graph = record(fun, *args)
    visited = [step.node for step in graph.steps]
    assert [n.id for n in visited] == sorted((n.id for n in visited), reverse=True)
    assert all(node.op != "input" for node in visited)
    start = graph.backward[: len(graph.outputs)]
    assert {node.op for node in start} == {"ones_like"}
    assert graph.backward == start + [node for step in graph.steps for node in step.backward]


@every_program
def test_what_arrives_at_a_node_is_the_sum_of_what_was_sent_to_it(fun, args):
    graph, sent = record(fun, *args), {}
    for step in graph.steps:
        if step.node in sent:
            onp.testing.assert_allclose(step.gradient - (step.node in graph.outputs), sent[step.node])
        for c in step.contributions:
            sent[c.parent] = sent.get(c.parent, 0) + c.value
            onp.testing.assert_allclose(c.total - (c.parent in graph.outputs), sent[c.parent], rtol=1e-12, atol=1e-12)
    for node in graph.inputs:
        if node not in graph.outputs:
            onp.testing.assert_allclose(graph.gradients[node.label], sent.get(node, onp.zeros(node.shape)))


@every_program
def test_gradients_have_the_shape_and_dtype_of_what_they_belong_to(fun, args):
    for step in record(fun, *(onp.float32(a) for a in args)).steps:
        assert (step.gradient.shape, step.gradient.dtype) == (step.node.shape, step.node.dtype)
        for c in step.contributions:
            assert c.value.shape == c.total.shape == c.parent.shape
            assert c.value.dtype == c.total.dtype == c.parent.dtype


def test_contributions_and_running_sums_at_a_fan_out():
    graph = record(fan_out, onp.ones(2))
    to_x = [c for step in graph.steps for c in step.contributions if c.parent.label == "x"]
    assert [c.value.tolist() for c in to_x] == [[7, 7], [5, 5], [3, 3], [2, 2]]
    assert [c.total.tolist() for c in to_x] == [[7, 7], [12, 12], [15, 15], [17, 17]]


def test_an_argument_used_twice_contributes_twice():
    (step,) = record(lambda x: x * x, 3.0).steps
    assert [(c.argnum, float(c.value), float(c.total)) for c in step.contributions] == [(0, 3, 3), (1, 3, 6)]


def test_partial_sums_are_copies_so_that_changing_one_changes_nothing_else():
    graph, untouched = record(fan_out, onp.ones(2)), record(fan_out, onp.ones(2))
    shown = [array for step in graph.steps for c in step.contributions for array in (c.value, c.total)]
    for array in [*shown, *(step.gradient for step in graph.steps)]:
        before = [other.copy() for other in shown if other is not array]
        array += 100
        after = [other for other in shown if other is not array]
        assert all(onp.array_equal(a, b) for a, b in zip(after, before, strict=True))
    assert graph.gradients["x"].tolist() == untouched.gradients["x"].tolist() == [17, 17]
    assert [n.value.tolist() for n in graph.joint] == [n.value.tolist() for n in untouched.joint]


def test_the_gradient_of_several_outputs_is_that_of_their_sum():
    graph = record(several, X, X + 3)
    assert len(graph.outputs) == 4
    expected = grad(lambda x, y: np.sum(x + y) + np.sum(x * y) + np.sum(y) + np.sum(np.exp(x)), (0, 1))(X, X + 3)
    for gradient, want in zip(graph.gradients.values(), expected, strict=True):
        onp.testing.assert_allclose(gradient, want)


def test_an_output_returned_twice_counts_twice():
    def f(x):
        y = x * 3
        return y, y

    assert record(f, 1.0).gradients["x"] == grad(f)(1.0) == 6


def test_ops_off_the_way_to_the_output_take_no_step():
    def f(x):
        unused = np.exp(x)  # noqa: F841
        return x * 2

    graph = record(f, 1.0)
    assert "unused" in [node.label for node in graph.forward]
    assert [step.node.op for step in graph.steps] == ["multiply"]


def test_recording_may_be_nested_in_a_derivative():
    def inner_gradient(x):
        graph = record(lambda y: y**3, float(getval(x)))
        return x * graph.gradients["y"]

    assert grad(inner_gradient)(2.0) == 12


def test_the_graph_of_a_gradient_is_recorded_like_any_other():
    graph = record(grad(lambda x: x**3), 2.0)
    assert graph.value == 12 and graph.gradients["x"] == 12


def test_recording_keeps_nothing_of_the_function_alive_once_the_graph_is_gone():
    class Data:
        pass

    def run():
        data = Data()
        graph = record(lambda x: x * 2 if data else x, 1.0)
        assert graph.value == 2
        return weakref.ref(data)

    data = run()
    gc.collect()
    assert data() is None


def test_a_value_under_differentiation_is_recorded_by_its_plain_value():
    def f(x):
        graph = record(lambda y: y * y, x)
        assert all(getval(node.value) is node.value for node in graph.joint)
        return x * graph.gradients["y"]

    assert grad(f)(3.0) == 6


def test_a_rule_may_send_nothing_to_a_parent():
    """The step then has a contribution to the others alone, each with the place of its argument."""
    chosen = primitive(lambda x, y, z: x + y + 2 * z)
    defvjp_argnums(chosen, lambda argnums, ans, args, kwargs: lambda g: [(g, None, 2 * g)[i] for i in argnums])
    graph = record(lambda x, y: chosen(x, y, x * y), 3.0, 5.0)
    step = graph.steps[0]
    assert [(c.argnum, float(c.value)) for c in step.contributions] == [(0, 1.0), (2, 2.0)]
    assert {name: float(g) for name, g in graph.gradients.items()} == {"x": 11.0, "y": 6.0}
    assert graph.table()


def test_an_output_that_is_an_input_takes_no_step():
    assert "no backward pass, because each output is an input" in record(lambda x: x, 1.0).table()
    assert "no backward pass, because no output depends on an input" in record(lambda x: 2.0, 1.0).table()


def test_the_seeds_of_large_outputs_are_summaries_as_all_of_the_way_back():
    graph = record(lambda x: x * 2.0, onp.ones(1_000_001))
    assert {type(node.value) for node in graph.backward} == {Summary}


def test_a_table_shows_as_many_ops_as_were_asked_for():
    chain = record(lambda x: x * 2 * 3 * 4 * 5, 1.0)
    for most in (1, 2, 3):
        lines = chain.table(most).partition("<lambda>: backward")[0].splitlines()[1:]
        assert len([line for line in lines if "left out" not in line]) == most
