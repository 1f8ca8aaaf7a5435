"""The story of a run has the values, gradients and slopes of that run, worked out here by other means."""

import autograd.numpy as np
import ml_dtypes
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import nn
from labkit.widgets.explorer.run.recorded import checked_slope, of_function, of_graph


def story_of(program):
    return of_function(program, program.leaves, program=False)


@drawn(20)
@given(programs(ends=3))
def test_every_value_and_every_step_is_that_of_the_chain_rule(program):
    story = story_of(program)
    assert [float(n.value) for n in story.nodes] == pytest.approx([float(v) for v in program.values])
    steps, _ = program.walk()
    assert [step.node for step in story.steps] == [node for node, _, _ in steps]
    for told, (_, gradient, sent) in zip(story.steps, steps, strict=True):
        assert told.gradient == pytest.approx(gradient)
        assert [s.parent for s in told.sent] == [parent for parent, _, _, _ in sent]
        assert [s.place for s in told.sent] == list(range(len(sent)))
        assert [s.slope for s in told.sent] == pytest.approx([slope for _, slope, _, _ in sent])
        assert [float(s.value) for s in told.sent] == pytest.approx([value for _, _, value, _ in sent])
        assert [float(s.total) for s in told.sent] == pytest.approx([total for _, _, _, total in sent])


@drawn(20)
@given(programs(ends=2))
def test_the_last_totals_at_the_leaves_are_labkits_gradients(program):
    story, places = story_of(program), tuple(range(len(program.leaves)))
    last = {i: n.seed for i, n in enumerate(story.nodes) if n.output}
    last |= {s.parent: s.total for step in story.steps for s in step.sent}
    gradients = labkit.grad(program, places)(*program.leaves)
    assert [float(last.get(i, 0.0)) for i in places] == pytest.approx([float(g) for g in gradients])


@drawn(20)
@given(programs(ends=3))
def test_outputs_start_with_a_one_for_each_time_they_are_returned(program):
    story = story_of(program)
    assert {n.index: float(n.seed) for n in story.outputs} == {i: program.ends.count(i) for i in set(program.ends)}


@drawn(20)
@given(programs())
def test_titles_are_the_ops_and_the_story_is_the_same_twice(program):
    story, again = story_of(program), story_of(program)
    assert [n.title for n in story.nodes if not n.leaf] == program.titles
    assert [(n.title, n.parents, n.saved, n.keeps) for n in story.nodes] == [
        (n.title, n.parents, n.saved, n.keeps) for n in again.nodes
    ]


def test_constants_stand_in_the_titles_on_their_side():
    story = of_function(lambda x: ((2 - x) / 4) ** 3 * np.array([1.0, 2.0]), [1.0])
    assert [n.title for n in story.nodes] == ["x", "2 −", "÷ 4", "pow 3", "×"]


def test_names_of_the_users_variables_and_lines_of_the_users_code():
    def f(x):
        h = np.sin(x)
        return h * h

    story = of_function(f, [0.3])
    assert [n.name for n in story.nodes if not n.leaf] == ["h", ""]
    first = f.__code__.co_firstlineno
    assert [n.line for n in story.nodes] == [
        "",
        f"test_recorded.py, line {first + 1}",
        f"test_recorded.py, line {first + 2}",
    ]


def test_matrices_have_gradients_of_their_shapes_and_no_slopes():
    x, w = onp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), onp.array([[1.0], [-1.0]])
    story = of_function(lambda x, w: np.sum((x @ w) ** 2), [x, w])
    (_, square, product) = story.steps
    assert all(s.slope is None for s in (*square.sent, *product.sent))
    g = 2 * (x @ w)
    assert product.gradient == pytest.approx(g)
    assert product.sent[0].value == pytest.approx(g @ w.T) and product.sent[1].value == pytest.approx(x.T @ g)


def test_a_rule_that_is_no_product_has_no_slope():
    limited = labkit.custom_vjp(lambda x: x + 0.0, lambda ans, g, x: (np.clip(g, -1.0, 1.0),))
    story = of_function(lambda x: 5.0 * limited(x), [2.0])
    times, limiting = story.steps
    assert times.sent[0].slope == 5.0 and limiting.sent[0].slope is None
    assert (float(limiting.gradient), float(limiting.sent[0].value)) == (5.0, 1.0)
    assert checked_slope(onp.float16(3), 1 / 3, onp.array(1, "float16")) == pytest.approx(1 / 3)


def test_one_element_of_an_array_has_a_slope_too():
    """Its gradient is sparse on the way: indexing answers with the element alone."""
    story = of_function(lambda x: np.sum(np.stack([x * i for i in range(3)])), [2.0])
    assert float(story.steps[-1].sent[0].total) == 3.0
    story = of_function(lambda x: x[0] * 3.0, [onp.array([2.0])])
    assert [s.slope for s in story.steps[-1].sent] == [1.0] and story.steps[-1].sent[0].value.shape == (1,)


def test_ops_of_a_derivative_inside_know_what_they_derive():
    story = of_function(labkit.grad(lambda x: np.sin(x) * 2), [0.5])
    derived = [(n.title, n.derives) for n in story.nodes if n.derives]
    assert ("cos", "sin") in derived and all(of in ("sin", "× 2") for _, of in derived)
    assert [n.derives for n in story.nodes if n.title == "sin"] == [""]
    assert not any(n.derives for n in of_function(np.sin, [0.5]).nodes)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_higher_derivatives_end_with_the_next_one(order):
    f, x = lambda x: x**5, 1.5
    for _ in range(order):
        f = labkit.grad(f)
    story = of_function(f, [x])
    coefficient = onp.prod([5 - k for k in range(order + 1)])
    assert float(story.steps[-1].sent[-1].total) == pytest.approx(coefficient * x ** (4 - order))


# ---- what the tape and the backward half keep ----


def kept(f, *args):
    story = of_function(f, args, program=False)
    return {n.title: tuple(story.nodes[k].called if isinstance(k, int) else k for k in n.keeps) for n in story.nodes}


def test_the_tape_keeps_what_pytorchs_formulas_need():
    """From derivatives.yaml of PyTorch."""
    both = (onp.ones((2, 2)), onp.ones((2, 2)))
    assert kept(lambda x, y: x * y, *both)["×"] == ("x", "y")
    assert kept(lambda x, y: x @ y, *both)["@"] == ("x", "y")
    assert kept(lambda x, y: x + y, *both)["+"] == ()
    assert kept(lambda x: np.exp(x), 1.0)["exp"] == ("the result of exp",)
    assert kept(lambda x: np.tanh(x), 1.0)["tanh"] == ("the result of tanh",)
    assert kept(lambda x: np.log(x), 1.0)["log"] == ("x",)
    assert kept(lambda x: x**3, 1.0)["pow 3"] == ("x",)
    assert kept(lambda x: 3 * x, 1.0)["3 ×"] == ()


def test_the_tapes_nodes_have_pytorchs_names():
    story = of_function(lambda x, y: np.tanh(x @ y) - x, [onp.ones((2, 2)), onp.ones((2, 2))])
    assert [n.grad_fn for n in story.nodes] == [
        "AccumulateGrad", "AccumulateGrad", "MmBackward0", "TanhBackward0", "SubBackward0"
    ]  # fmt: skip


def test_saved_values_are_those_that_the_recorded_backward_reads():
    story = of_function(lambda x, y: np.exp(x * y), [1.0, 2.0])
    assert [n.saved for n in story.nodes] == [(), (), (0, 1), (3,)] or story.nodes[2].saved == (1, 0)


# ---- what may be shown ----


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1)

    def construct(self, x):
        return self.fc(x).sum()


@pytest.mark.parametrize(
    "fun, args, ends",
    [
        (lambda x: x * 2 + 1, [3], [2.0]),
        (lambda x: np.sum(x * x), [onp.arange(4)], [[0, 2, 4, 6]]),
        (lambda x: x * 2, [onp.array(3.0)], [2.0]),
        (lambda x: np.sum(x * x), [onp.ones(3, "float16")], [[2.0] * 3]),
        (lambda x: np.sum(x * x), [onp.zeros((0, 3))], [onp.zeros((0, 3))]),
        (lambda x: x, [2.0], [1.0]),
        (lambda x: (x, x), [2.0], [2.0]),
        (lambda x: [x * x, {"a": x, "b": (x,)}], [3.0], [8.0]),
        (lambda x: x * x, [2.0], [4.0]),
        (lambda x, scale=3.0: x * scale, [2.0], [3.0]),
        (lambda x: labkit.stop_gradient(x) * x, [5.0], [5.0]),
        (lambda x: np.where(x > 0, x, -x), [onp.array([1.0, -2.0])], [[1.0, -1.0]]),
        (lambda x: np.max(x), [onp.array([2.0, 2.0, 1.0])], [[0.5, 0.5, 0.0]]),
        (lambda x, y: np.maximum(x, y), [2.0, 2.0], [0.5, 0.5]),
        (labkit.custom_vjp(onp.round, lambda ans, g, x: (g,)), [1.4], [1.0]),
        (lambda x: labkit.checkpoint(lambda y: y * y)(x), [3.0], [6.0]),
        (lambda x: x[0] * 2, [[1.0, 4.0]], [[2.0, 0.0]]),
        (lambda a: ms.ops.square(a).sum(), [ms.Tensor([1.0, 2.0])], [[2.0, 4.0]]),
        (lambda a: (a * a).sum(), [ms.Tensor([1.0, 2.0], ms.bfloat16)], [[2.0, 4.0]]),
        (lambda a, b: (a * b).sum(), [torch.tensor([1.0]), torch.tensor([3.0])], [[3.0], [1.0]]),
        (Net(), [ms.Tensor([[1.0, 2.0, 3.0]])], []),
        (torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1)), [torch.ones(4, 2)], []),
    ],
)  # fmt: skip
def test_all_kinds_of_functions_and_arguments(fun, args, ends):
    story = of_function(fun, args)
    totals = {n.index: n.seed for n in story.outputs} | {s.parent: s.total for step in story.steps for s in step.sent}
    for i, gradient in enumerate(ends):
        assert onp.asarray(totals[i], float) == pytest.approx(onp.asarray(gradient, float))
        assert onp.shape(totals[i]) == story.nodes[i].shape


def test_labels_may_be_an_index():
    story = of_function(lambda x, y: np.sum(x[np.arange(2), y]), [onp.ones((2, 3)), onp.array([2, 0])])
    assert [n.title for n in story.leaves] == ["x"]
    assert story.steps[-1].sent[0].total == pytest.approx(onp.array([[0, 0, 1], [1, 0, 0]])) and story.program
    with pytest.raises(IndexError, match="out of bounds"):
        of_function(lambda x, y: np.sum(x[y]), [onp.ones(2), onp.array([5])])


def test_parameters_of_networks_are_leaves_by_their_names():
    assert [n.title for n in of_function(Net(), [ms.Tensor([[1.0, 2.0, 3.0]])]).leaves] == ["x", "fc.weight", "fc.bias"]
    module = torch.nn.Sequential(torch.nn.Linear(2, 1))
    assert [n.title for n in of_function(module, [torch.ones(4, 2)]).leaves] == ["input", "0.weight", "0.bias"]


def test_bfloat16_values_keep_their_dtype():
    story = of_function(lambda a: a * a, [ms.Tensor([1.5], ms.bfloat16)])
    assert {n.dtype for n in story.nodes} == {"bfloat16"} and story.steps[0].gradient.dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize(
    "fun, args", [(lambda x: 3.0, [1.0]), (lambda x: x > 0, [1.0]), (lambda: 3.0, []), (lambda x: np.ones(3), [1])]
)
def test_a_result_that_depends_on_nothing_has_no_steps(fun, args):
    story = of_function(fun, args)
    assert story.steps == [] and story.outputs == [] and "does not depend on any input" in story.notices[0]


@pytest.mark.parametrize(
    "fun, args, kind, words",
    [
        (lambda x: x, ["a"], TypeError, "show: expected a real number, an array or a tensor for 'x', but got str"),
        (lambda x: None, [1.0], TypeError, "show: expected <lambda> to return a value, but it returned None"),
        (lambda x: 1 / 0, [1.0], ZeroDivisionError, "division by zero"),
        (
            lambda x: x,
            [{"a": 1}],
            TypeError,
            "show: expected a real number, an array or a tensor for 'x', but got dict",
        ),
    ],
)
def test_bad_input_raises_with_a_note_of_what_was_called(fun, args, kind, words):
    with pytest.raises(kind, match=words) as caught:
        of_function(fun, args)
    assert "labkit.show called your function with" in caught.value.__notes__[0]


def test_a_graph_already_recorded_can_be_told():
    graph = labkit.trace(lambda x: x**2)(3.0)
    assert float(of_graph(graph).steps[0].sent[0].value) == 6.0


def test_recording_leaves_arguments_and_parameters_alone():
    net, x = Net(), onp.array([1.0, 2.0])
    before = net.fc.weight.asnumpy().copy()
    of_function(net, [ms.Tensor([[1.0, 2.0, 3.0]])])
    of_function(lambda x: np.sum(x**2), [x])
    assert (net.fc.weight.asnumpy() == before).all() and (x == [1.0, 2.0]).all()


def test_a_network_is_as_it_was_in_both_dialects():
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5))
    state = torch.get_rng_state()
    of_function(net, [torch.ones(4, 2)])
    assert net[1].running_mean.tolist() == [0, 0, 0] and net[1].num_batches_tracked.item() == 0
    assert torch.equal(torch.get_rng_state(), state)
    cell = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3)).set_train()
    of_function(cell, [ms.Tensor(onp.ones((4, 2), onp.float32))])
    assert cell[1].moving_mean.asnumpy().tolist() == [0, 0, 0]


def test_an_index_of_several_arrays_is_among_what_is_saved():
    x = torch.arange(6.0).reshape(2, 3)
    story = of_function(lambda x: x[torch.tensor([0, 1]), :, None][..., torch.tensor([0])].sum(), [x])
    assert story.nodes[-1].title == "sum"
    rows = of_function(lambda x: (x[torch.tensor([0, 1, 1]), torch.tensor([2])] ** 2).sum(), [x])
    assert any("indices" in str(node.slots) for node in rows.nodes)
