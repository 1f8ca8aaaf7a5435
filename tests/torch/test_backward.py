"""`backward` and `autograd.grad`: what is accumulated, kept, let go and refused."""

import copy
import pickle
import threading
import weakref

import numpy as np
import pytest

import labkit.torch as torch

FREED = "Trying to backward through the graph a second time"


def leaf(*values):
    return torch.tensor(values[0] if len(values) == 1 else list(values), requires_grad=True)


@pytest.fixture
def xy():
    return leaf(1.0), leaf(2.0)


def test_gradients_add_up_until_they_are_cleared():
    x = leaf(1.0)
    seen = []
    for _ in range(3):
        (x**2).backward()
        seen.append(x.grad.item())
    assert seen == [2.0, 4.0, 6.0]
    grad = x.grad
    grad.zero_()
    (x**2).backward()
    assert grad is x.grad and grad.item() == 2.0


def test_a_graph_that_saved_values_runs_once(xy):
    z = xy[0] ** 2 + xy[1]
    z.backward()
    with pytest.raises(RuntimeError, match=FREED):
        z.backward()


def test_a_graph_that_saved_nothing_runs_again(xy):
    z = xy[0] + xy[1]
    z.backward()
    z.backward()
    assert xy[0].grad.item() == xy[1].grad.item() == 2.0


def test_multiplying_by_a_number_counts_as_saving():
    y = leaf(1.0) * 2
    y.backward()
    with pytest.raises(RuntimeError, match=FREED):
        y.backward()


def test_retain_graph_keeps_the_saved_values(xy):
    z = xy[0] ** 2 + xy[1]
    z.backward(retain_graph=True)
    z.backward()
    assert (xy[0].grad.item(), xy[1].grad.item()) == (4.0, 2.0)
    with pytest.raises(RuntimeError, match=FREED):
        z.backward()


def test_only_the_nodes_on_the_way_to_the_inputs_run_and_are_freed(xy):
    z = xy[0] ** 2 + xy[1]
    assert torch.autograd.grad(z, xy[0])[0].item() == 2.0
    assert torch.autograd.grad(z, xy[1])[0].item() == 1.0
    with pytest.raises(RuntimeError, match=FREED):
        torch.autograd.grad(z, xy[0])


def test_saved_values_are_really_released():
    x = torch.ones(1000, requires_grad=True)
    z = x.exp().sum()
    node = z.grad_fn.next_functions[0][0]
    saved = weakref.ref(node.value)
    z.backward()
    assert saved() is None
    with pytest.raises(RuntimeError, match=FREED):
        _ = node._saved_result


def test_grad_leaves_the_leaves_alone(xy):
    assert str(torch.autograd.grad(xy[0] ** 2 + xy[1], xy)) == "(tensor(2.), tensor(1.))"
    assert xy[0].grad is None


def test_several_outputs_add_up(xy):
    z = xy[0] ** 2 + xy[1]
    assert str(torch.autograd.grad([z, z * 2], xy)) == "(tensor(6.), tensor(3.))"
    torch.autograd.backward((xy[0] ** 2 + xy[1], xy[0]), (torch.tensor(10.0), torch.tensor(1.0)))
    assert (xy[0].grad.item(), xy[1].grad.item()) == (21.0, 10.0)


def test_unused_inputs(xy):
    x, _y = xy
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        torch.autograd.grad(x**2, xy)
    assert torch.autograd.grad(x**2, xy, allow_unused=True)[1] is None
    assert torch.autograd.grad(x**2, xy, materialize_grads=True)[1].item() == 0.0


def test_inputs_limit_where_gradients_go(xy):
    (xy[0] ** 2 + xy[1]).backward(inputs=[xy[0]])
    assert xy[0].grad.item() == 2.0 and xy[1].grad is None


REFUSED = [
    (
        "torch.ones(2, 2, requires_grad=True).mul(2).backward()",
        "grad can be implicitly created only for scalar outputs",
    ),
    ("torch.tensor(1.0).backward()", "element 0 of tensors does not require grad and does not have a grad_fn"),
    (
        "torch.autograd.grad(leaf(1.0) ** 2, torch.tensor(1.0))",
        "One of the differentiated Tensors does not require grad",
    ),
    ("leaf(1.0, 2.0).mul(2).backward(torch.ones(3))", r"Mismatch in shape: grad_output\[0\] has a shape of"),
    ("leaf(1.0).mul(2).requires_grad_(False)", "you can only change requires_grad flags of leaf variables"),
    ("leaf(1.0).numpy()", r"Can't call numpy\(\) on Tensor that requires grad"),
    ("copy.deepcopy(leaf(1.0) * 2)", "Only Tensors created explicitly by the user"),
    ("torch.tensor(1, requires_grad=True)", "Only Tensors of floating point and complex dtype can require gradients"),
    ("leaf(1.0).sum().backward(inputs=[])", "argument to `backward"),
]


@pytest.mark.parametrize("expression, message", REFUSED)
def test_what_cannot_be_differentiated_says_why(expression, message):
    with pytest.raises(RuntimeError, match=message):
        eval(expression, {"torch": torch, "leaf": leaf, "copy": copy})


def test_derivatives_of_derivatives():
    x = leaf(3.0)
    texts, value = [], x**3
    for _ in range(3):
        (value,) = torch.autograd.grad(value, x, create_graph=True)
        texts.append(str(value))
    assert texts == [f"tensor({n}., grad_fn=<MulBackward0>)" for n in (27, 18, 6)]


def test_backward_with_create_graph_leaves_a_gradient_that_can_be_differentiated():
    x = leaf(3.0)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**3).backward(create_graph=True)
    assert str(x.grad) == "tensor(27., grad_fn=<CopyBackwards>)"
    g, x.grad = x.grad, None
    g.backward()
    assert x.grad.item() == 18.0


def test_a_gradient_is_a_copy_of_its_own():
    x, seed = leaf(1.0, 2.0), torch.ones(2)
    (x + 0).backward(seed)
    seed += 5
    assert x.grad.tolist() == [1.0, 1.0]


def test_retain_grad_keeps_the_gradient_of_a_result():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    (y**2).backward()
    assert (y.grad.item(), x.grad.item(), y.retains_grad) == (4.0, 8.0, True)


def test_reading_grad_of_a_result_warns():
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf"):
        assert (leaf(1.0) * 2).grad is None


def test_the_leaf_is_reached_from_the_graph():
    x, y = leaf(1.0), leaf(2.0)
    (power, _), (end, _) = (x**2 + y).grad_fn.next_functions
    assert (power.name(), end.name()) == ("PowBackward0", "torch::autograd::AccumulateGrad")
    assert end.variable is y and (y * 3).grad_fn.next_functions[0][0] is end
    assert repr(type(power)) == "<class 'PowBackward0'>"


def test_outputs_of_one_op_are_numbered():
    pieces = leaf(1.0, 2.0, 3.0).split(1)
    assert [p.output_nr for p in pieces] == [0, 1, 2]


def test_saved_values_can_be_read_until_they_are_freed():
    x = leaf(3.0)
    z = x**2
    assert z.grad_fn._saved_self is x and z.grad_fn._saved_exponent == 2
    z.backward()
    with pytest.raises(RuntimeError, match=FREED):
        _ = z.grad_fn._saved_self


def test_a_long_chain_is_walked_without_recursion():
    x = y = leaf(1.0)
    for _ in range(5000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1.0


def test_gradients_have_the_dtype_of_their_tensor():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    h = torch.ones(2, dtype=torch.float16, requires_grad=True)
    (x * y + h).sum().backward()
    assert (x.grad.dtype, y.grad.dtype, h.grad.dtype) == (torch.float32, torch.float64, torch.float16)


def test_anomaly_detection_names_the_op_and_the_line_of_the_forward_pass():
    x = leaf(-1.0)
    with pytest.warns(UserWarning) as warned, torch.autograd.detect_anomaly():
        y = torch.sqrt(x)
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values"):
            y.backward()
    assert "Anomaly Detection has been enabled" in str(warned[0].message)
    assert "y = torch.sqrt(x)" in str(warned[1].message)


def test_the_error_for_a_changed_view_names_its_type_and_shape():
    w = leaf(1.0, 2.0)
    loss = (w.view(2, 1) * w.view(2, 1)).sum()
    with torch.no_grad():
        w.add_(1)
    with pytest.raises(
        RuntimeError, match=r"\[torch.FloatTensor \[2, 1\]\], which is output 0 of AsStrided, is at version 1"
    ):
        loss.backward()


def test_threads_do_not_mix():
    failures = []

    def work():
        for _ in range(30):
            x = leaf(1.0, 2.0)
            with torch.no_grad():
                off = (x * 2).requires_grad
            (x**3).sum().backward()
            if off or x.grad.tolist() != [3.0, 12.0]:
                failures.append(x.grad)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_leaves_can_be_copied_and_pickled():
    x = leaf(1.0, 2.0)
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert str(twin) == str(x) and twin is not x


def test_variable_is_the_old_name_of_a_tensor():
    x0 = x = torch.autograd.Variable(torch.ones(2, 2), requires_grad=True)
    x = x * 2
    y = x - 1
    assert y.backward(x) is None
    assert isinstance(x0, torch.autograd.Variable) and type(x0) is torch.Tensor
    assert x0.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]


AT_THE_EDGE = [
    ("x**0", 0.0), ("x.abs()", 0.0), ("x.relu()", 0.0), ("x.sqrt()", float("inf")), ("torch.sign(x)", 0.0),
    ("torch.max(x, torch.zeros_like(x))", 0.5), ("torch.clamp(x, 0, 1)", 1.0), ("torch.pow(x, 0.5)", float("inf")),
    ("x.norm()", 0.0),
]  # fmt: skip


@pytest.mark.parametrize("expression, slope", AT_THE_EDGE)
def test_the_derivative_at_zero(expression, slope):
    x = leaf(0.0)
    eval(expression).backward()
    assert x.grad.item() == slope


def test_ties_share_the_gradient_of_max_but_not_of_max_along_a_dim():
    x = leaf(1.0, 1.0)
    assert torch.autograd.grad(x.max(), x)[0].tolist() == [0.5, 0.5]
    assert torch.autograd.grad(x.max(0)[0], x)[0].tolist() == [1.0, 0.0]


AWAY = [  # what has no slope at a point, or several: the exponent of 0, one of all with others like it or with nan
    ("(0.0 ** x).sum()", [-1.0, 0.0, 1.0], [float("-inf"), 0.0, 0.0]),
    ("x.max()", [float("nan"), 1.0, float("nan")], [0.5, 0.0, 0.5]),
]


@pytest.mark.parametrize("expression, values, slopes", AWAY)
def test_the_gradient_where_there_is_no_single_slope(expression, values, slopes):
    x = leaf(*values)
    eval(expression).backward()
    assert x.grad.tolist() == pytest.approx(slopes)


def test_a_gradient_lies_in_memory_as_what_it_is_of():
    dense, turned = torch.nn.Linear(4, 3), torch.ones(2, 3, 4).transpose(0, 2).detach().requires_grad_()
    cut = torch.ones(4, 4)[:, ::2].requires_grad_()
    (dense(torch.ones(2, 4)).sum() + (turned * 2).sum() + cut.exp().sum()).backward()
    assert [t.grad.stride() for t in (dense.weight, turned, cut)] == [(4, 1), (1, 4, 12), (2, 1)]
    assert tuple(dense.weight.grad.view(-1).shape) == (12,)


def test_an_array_is_handed_out_where_nothing_is_recorded():
    x = leaf(1.0, 2.0)
    with torch.no_grad():
        assert x.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        x.numpy()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: torch.nn.functional.softmax(torch.ones(2, 2)), "Implicit dimension choice for softmax"),
        (lambda: torch.nn.LogSoftmax()(torch.ones(2)), "Implicit dimension choice for log_softmax"),
        (lambda: torch.ones(1).std(), r"std\(\): degrees of freedom is <= 0"),
        (lambda: torch.ones(1, 3).var(0), r"var\(\): degrees of freedom is <= 0"),
        (lambda: torch.ones(2, 2, 2).T, "The use of `x.T` on tensors of dimension other than 2"),
        (lambda: torch.tensor(1.0).T, "Tensor.T is deprecated on 0-D tensors"),
        (lambda: float(leaf(1.0)), "Converting a tensor with requires_grad=True to a scalar"),
        (lambda: torch.meshgrid(torch.ones(2), torch.ones(3)), "torch.meshgrid: in an upcoming release"),
        (lambda: torch.from_numpy(np.broadcast_to(1.0, 2)), "The given NumPy array is not writable"),
    ],
)
def test_pytorchs_warnings_are_given(call, words):
    with pytest.warns(UserWarning, match=words):
        call()
