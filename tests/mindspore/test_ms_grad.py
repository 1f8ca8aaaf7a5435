"""`grad`, `value_and_grad`, `GradOperation`: what they return, what they refuse, and what they leave untouched."""

import threading

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, ParameterTuple, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


X, Y = Tensor([[1, 2, 3]], ms.float32), Tensor(19, ms.float32)


@pytest.fixture
def net():
    made = Net()
    made.fc.weight.set_data(Tensor([[2, 3, 4]], ms.float32))
    return made


def plain(tree):
    """The result with lists of numbers for tensors."""
    if isinstance(tree, Tensor):
        return tree.tolist()
    return type(tree)(plain(b) for b in tree) if isinstance(tree, (tuple, list)) else tree


# Net: loss 1, logits 20; the derivatives of the loss, and of the sum of loss and logits.
LOSS = {"x": [[4.0, 6.0, 8.0]], "y": -2.0, "w": [[2.0, 4.0, 6.0]]}
BOTH = {"x": [[6.0, 9.0, 12.0]], "y": -2.0, "w": [[3.0, 6.0, 9.0]]}
ROWS = [  # grad_position, weights, the structure of the result
    (0, None, lambda g: g["x"]),
    (1, None, lambda g: g["y"]),
    ((0,), None, lambda g: g["x"]),
    ((0, 1), None, lambda g: (g["x"], g["y"])),
    ((1, 0), None, lambda g: (g["y"], g["x"])),
    (True, None, lambda g: g["y"]),
    (None, list, lambda g: (g["w"],)),
    (None, tuple, lambda g: (g["w"],)),
    (None, ParameterTuple, lambda g: (g["w"],)),
    (None, "single", lambda g: g["w"]),
    (0, list, lambda g: (g["x"], (g["w"],))),
    (0, "single", lambda g: (g["x"], g["w"])),
    ((0,), list, lambda g: (g["x"], (g["w"],))),
    ((0, 1), list, lambda g: ((g["x"], g["y"]), (g["w"],))),
]


def weights_of(net, kind):
    if kind is None:
        return None
    return net.fc.weight if kind == "single" else kind(net.trainable_params())


@pytest.mark.parametrize("positions, kind, structure", ROWS)
def test_every_row_of_the_table(net, positions, kind, structure):
    weights = weights_of(net, kind)
    assert plain(ms.grad(net, positions, weights)(X, Y)) == structure(BOTH)
    assert plain(ms.grad(net, positions, weights, has_aux=True)(X, Y)) == (structure(LOSS), (20.0,))
    assert plain(ms.value_and_grad(net, positions, weights)(X, Y)) == ((1.0, 20.0), structure(BOTH))
    assert plain(ms.value_and_grad(net, positions, weights, has_aux=True)(X, Y)) == ((1.0, 20.0), structure(LOSS))


REFUSED_AT_ONCE = [
    (None, ValueError, "`grad_position` and `weight` can not be None at the same time."),
    (-1, ValueError, "grad_position must be >= 0."),
    ((0, -1), ValueError, "The element in grad_position must be >= 0."),
    ((0, 0), ValueError, "There are duplicate positions in `grad_position`, please check it"),
    (1.5, TypeError, "For 'F.grad', the 'grad_position' must be int or tuple."),
    ([0, 1], TypeError, "For 'F.grad', the 'grad_position' must be int or tuple."),
    (np.int64(0), TypeError, "For 'F.grad', the 'grad_position' must be int or tuple."),
    ((0, "1"), TypeError, "For 'F.grad', the element in 'grad_position' must be int."),
]


@pytest.mark.parametrize("position, error, message", REFUSED_AT_ONCE)
@pytest.mark.parametrize("transform", [ms.grad, ms.value_and_grad])
def test_senseless_positions_are_refused_at_once(net, transform, position, error, message):
    with pytest.raises(error) as raised:
        transform(net, position)
    assert str(raised.value) == message


REFUSED_AT_THE_CALL = [
    (2, RuntimeError, IndexError, "Position index 2 is exceed input size.\n"),
    ((0, 2), RuntimeError, IndexError, "Position index 2 is exceed input size.\n"),
]


@pytest.mark.parametrize("position, error, graph_error, message", REFUSED_AT_THE_CALL)
def test_positions_out_of_range_are_refused_at_the_call(net, position, error, graph_error, message):
    with pytest.raises(error) as raised:
        ms.grad(net, position)(X, Y)
    assert str(raised.value) == message


@pytest.mark.parametrize("position, error, graph_error, message", REFUSED_AT_THE_CALL)
def test_in_graph_mode_they_are_index_errors(net, graph_mode, position, error, graph_error, message):
    with pytest.raises(graph_error) as raised:
        ms.grad(net, position)(X, Y)
    assert str(raised.value) == message


def test_an_empty_tuple_of_positions_is_refused(net):
    with pytest.raises(RuntimeError, match=r"grad_position should not be empty when grad by position!"):
        ms.grad(net, ())(X, Y)


@pytest.mark.parametrize("weights", [5, "w", {}])
def test_weights_must_be_parameters(net, weights):
    with pytest.raises(TypeError, match="The weights you provided is expected to be a tensor, or a list or tuple"):
        ms.grad(net, None, weights)(X, Y)


@pytest.mark.parametrize("option", ["has_aux", "return_ids", "sens_param"])
def test_options_are_true_or_false(option):
    with pytest.raises(TypeError, match=f"For '_Grad', the '{option}' should be bool, but got int"):
        ms.grad(abs, **{option: 1})


def test_what_is_not_a_function_is_refused():
    with pytest.raises(TypeError, match="The fn should be callable, but got NoneType"):
        ms.grad(None)(X)


def test_an_unused_or_repeated_weight_has_its_place(net):
    unused = Parameter(Tensor([1.0, 2.0]), name="unused")
    w = net.fc.weight
    assert plain(ms.grad(net, None, [w, unused, w])(X, Y)) == (BOTH["w"], [0.0, 0.0], BOTH["w"])
    assert ms.grad(net, None, [])(X, Y) == ()


V = Tensor([1.0, 2.0])
OUTPUTS = [
    (lambda v: v**2, [2.0, 4.0]),
    (lambda v: (v**2, v * 10), [12.0, 14.0]),
    (lambda v: ((v**2, v * 10), [v * 100]), [112.0, 114.0]),
    (lambda v: {"loss": v**2, "other": v}, [3.0, 5.0]),
    (lambda v: (v**2, 3, None, "text"), [2.0, 4.0]),
    (lambda v: (v**2, v.astype(ms.int32)), [3.0, 5.0]),
    (lambda v: (v**2, v > 1), [2.0, 4.0]),
    (lambda v: Tensor(5.0), [0.0, 0.0]),
]


@pytest.mark.parametrize("fn, gradient", OUTPUTS)
def test_several_outputs_count_as_their_sum(fn, gradient):
    assert ms.grad(fn)(V).tolist() == gradient


@pytest.mark.parametrize("fn", [lambda v: v**2, lambda v: (v**2,), lambda v: [v**2, v]])
def test_has_aux_needs_more_than_one_output(fn):
    with pytest.raises(ValueError, match="When has_aux is True, origin fn requires more than one outputs"):
        ms.grad(fn, has_aux=True)(V)


def test_graph_mode_takes_any_tuple_with_has_aux(graph_mode):
    assert plain(ms.grad(lambda v: (v**2,), has_aux=True)(V)) == ([2.0, 4.0], ())
    assert plain(ms.grad(lambda v: (v**2, 5), has_aux=True)(V)) == ([2.0, 4.0], (5,))
    with pytest.raises(RuntimeError, match="requires more than one outputs"):
        ms.grad(lambda v: v**2, has_aux=True)(V)


def test_without_a_graph_other_outputs_must_be_tensors():
    with pytest.raises(RuntimeError, match="that forward function should be multi output"):
        ms.grad(lambda v: (v**2, 5), has_aux=True)(V)
    assert plain(ms.grad(lambda v: (v**2, (v, v)), has_aux=True)(V)) == ([2.0, 4.0], (([1.0, 2.0], [1.0, 2.0]),))


INPUTS = [
    (Tensor(3), 6, "Int64"), (Tensor([1, 2], ms.int32), [2, 4], "Int32"), (Tensor(3.0, ms.float16), 6.0, "Float16"),
    (Tensor(3.0, ms.float64), 6.0, "Float64"), (Tensor([3.0], ms.bfloat16), [6.0], "BFloat16"),
    (Tensor(True), True, "Bool"), (Tensor(3.0, ms.bfloat16), 6.0, "BFloat16"),
]  # fmt: skip


@pytest.mark.parametrize("x, gradient, dtype", INPUTS)
def test_a_gradient_has_the_type_of_its_input(x, gradient, dtype):
    found = ms.grad(lambda x: x * x)(x)
    assert (found.tolist(), str(found.dtype)) == (gradient, dtype)


def test_what_is_no_tensor_gets_no_gradient_and_a_warning_says_so():
    with pytest.warns(UserWarning, match=r"position 0 is of type float, and only a Tensor gets a gradient"):
        assert ms.grad(lambda x: x * x)(3.0) == ()
    with pytest.warns(UserWarning, match=r"position 1 is of type float.* Pass ms\.Tensor"):
        assert ms.grad(lambda x, y: x * y, (0, 1))(Tensor(3.0), 2.0).item() == 2.0
    with pytest.warns(UserWarning, match="position 0 is of type tuple.* its tensors one by one"):
        assert ms.grad(lambda t: t[0] * t[1])((Tensor(3.0), Tensor(4.0))) == ()


def test_a_forgotten_return_gives_zeros_and_a_warning():
    with pytest.warns(UserWarning, match="the function returned None, so every gradient is 0") as warned:
        assert ms.grad(lambda v: None)(V).tolist() == [0.0, 0.0]
    assert warned[0].filename == __file__


def test_keyword_arguments_count_in_the_order_given():
    product = lambda x, y: x * y * y
    assert plain(ms.grad(product, (0, 1))(Tensor(3.0), y=Tensor(5.0))) == (25.0, 30.0)
    assert plain(ms.grad(product, (0, 1))(y=Tensor(5.0), x=Tensor(3.0))) == (30.0, 25.0)


def test_a_tensor_passed_twice_gets_the_total_at_each_place():
    t = Tensor(3.0)
    assert plain(ms.grad(lambda x, y: x * y, (0, 1))(t, t)) == (6.0, 6.0)


def test_in_graph_mode_each_place_gets_its_own(graph_mode):
    t = Tensor(3.0)
    assert plain(ms.grad(lambda x, y: x * y, (0, 1))(t, t)) == (3.0, 3.0)
    assert plain(ms.grad(lambda p: p[0] * p[1])(ms.mutable((t, Tensor(4.0))))) == (4.0, 3.0)


def test_a_frozen_parameter_gets_zeros_and_its_gradient_in_graph_mode(net):
    net.fc.weight.requires_grad = False
    assert plain(ms.grad(net, None, [net.fc.weight])(X, Y)) == ([[0.0, 0.0, 0.0]],)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert plain(ms.grad(net, None, [net.fc.weight])(X, Y)) == (BOTH["w"],)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_ids_name_every_gradient(net):
    result = ms.grad(net, (0, 1), net.trainable_params(), return_ids=True)(X, Y)
    assert plain(result) == (((0, BOTH["x"]), (1, -2.0)), (("fc.weight", BOTH["w"]),))


def test_the_cotangent_is_the_last_argument_or_sens():
    weighted = ms.grad(lambda x: x**2, sens_param=True)
    assert weighted(V, Tensor([1.0, 10.0])).tolist() == weighted(V, sens=Tensor([1.0, 10.0])).tolist() == [2.0, 40.0]
    two = ms.grad(lambda x: (x**2, x * 3), sens_param=True)
    assert two(Tensor(3.0), (Tensor(10.0), Tensor(1.0))).item() == 63.0


@pytest.mark.parametrize("sens, error, message", [
    (Tensor([1.0, 2.0, 3.0]), ValueError, r"The shape should be \[const vector\]\{2\}, but got \[const vector\]\{3\}"),
    (Tensor(1.0), RuntimeError, "grad tensor should be broadcast to expected shape"),
    (Tensor([1.0, 2.0], ms.float16), TypeError, "The dtype should be Float32, but got Float16"),
    ((V, V), RuntimeError, "size should be same as out of network"),
])  # fmt: skip
def test_a_cotangent_has_the_shape_and_type_of_the_output(sens, error, message):
    with pytest.raises(error, match=message):
        ms.grad(lambda x: x**2, sens_param=True)(V, sens)


def test_gradients_of_gradients():
    cube = lambda x: x**3
    x = Tensor(3.0)
    assert ms.grad(ms.grad(cube))(x).item() == 18.0
    assert ms.grad(ms.grad(ms.grad(ms.grad(cube))))(x).item() == 0.0
    assert ms.grad(lambda x: ms.grad(cube)(x) * x)(x).item() == 81.0
    mixed = ms.grad(ms.grad(lambda x, y: x**2 * y**3, (0, 1)), (0, 1))
    assert plain(mixed(Tensor(2.0), Tensor(3.0))) == (162.0, 180.0)


def test_python_decides_and_loops():
    assert ms.grad(lambda x: x * 2 if x > 0 else x * 3)(Tensor(-1.0)).item() == 3.0

    def power(x):
        y = x
        for _ in range(3):
            y = y * x
        return y

    assert ms.grad(power)(Tensor(2.0)).item() == 32.0


def test_assigned_elements_pass_their_gradient():
    def f(x):
        y = x * 2
        y[0] = x[1] * x[1]
        return y

    assert ms.grad(f)(V).tolist() == [0.0, 6.0]


def test_a_gradient_function_can_be_called_again_and_changes_nothing(net):
    gradient = ms.grad(net, None, net.trainable_params())
    assert plain(gradient(X, Y)) == plain(gradient(X, Y)) == (BOTH["w"],)
    assert net.fc.weight.asnumpy().tolist() == [[2.0, 3.0, 4.0]]


def test_a_value_assigned_while_differentiating_stays_and_is_still_the_parameter():
    w = Parameter(Tensor([2.0, 3.0]), name="w")

    def f(x):
        ops.assign(w, w * 2)
        return (x * w).sum()

    assert plain(ms.grad(f, 0, [w])(V)) == ([4.0, 6.0], ([1.0, 2.0],))
    assert w.value().tolist() == [4.0, 6.0]


def test_an_exception_leaves_parameters_as_they_were(net):
    def broken(x):
        net(x, Y)
        raise KeyError("in the middle")

    with pytest.raises(KeyError):
        ms.grad(broken, None, net.trainable_params())(X)
    assert net.fc.weight.asnumpy().tolist() == [[2.0, 3.0, 4.0]]
    assert plain(ms.grad(net, None, net.trainable_params())(X, Y)) == (BOTH["w"],)


def test_two_threads_differentiate_the_same_network(net):
    found = {}

    def work(k):
        p = Parameter(Tensor(float(k)), name="p")
        f = lambda x: (x * net.fc.weight * p).sum()
        for _ in range(30):
            found[k] = plain(ms.grad(f, None, [net.fc.weight, p])(X))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert found == {k: ([[k, 2.0 * k, 3.0 * k]], 20.0) for k in range(1, 5)}


def test_hooks_change_the_gradient_of_a_tensor_and_of_a_parameter():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 10)
        return y**2

    assert ms.grad(f)(Tensor(3.0)).item() == 240.0
    w = Parameter(Tensor(2.0), name="w")
    handle = w.register_hook(lambda g: g * 2)
    assert ms.grad(lambda x: x * w, None, w)(Tensor(3.0)).item() == 6.0
    handle.remove()
    assert ms.grad(lambda x: x * w, None, w)(Tensor(3.0)).item() == 3.0


# ---- GradOperation ----


@pytest.mark.parametrize("sens, scale", [(False, BOTH), (True, {k: np.multiply(LOSS[k], 10).tolist() for k in LOSS})])
def test_grad_operation_in_all_combinations(net, sens, scale):
    args = (X, Y, (Tensor(10.0), Tensor(0.0))) if sens else (X, Y)
    weights = ParameterTuple(net.trainable_params())
    found = {
        (all_, by_list): plain(ops.GradOperation(all_, by_list, sens)(net, weights)(*args))
        for all_ in (False, True)
        for by_list in (False, True)
    }
    x, y, w = scale["x"], scale["y"], scale["w"]
    assert found == {
        (False, False): x, (False, True): (w,), (True, False): (x, y), (True, True): ((x, y), (w,)),
    }  # fmt: skip


def test_grad_operation_without_weights_takes_the_trainable_ones(net):
    assert plain(ops.GradOperation(get_by_list=True)(net)(X, Y)) == (BOTH["w"],)
    assert plain(ops.GradOperation(get_by_list=True)(net, net.fc.weight)(X, Y)) == BOTH["w"]


def test_grad_operation_refuses_what_is_no_switch():
    with pytest.raises(TypeError, match="For 'GradOperation', the 'get_all' should be bool, but got int"):
        ops.GradOperation(get_all=1)


def test_an_inserted_gradient_is_clipped_on_its_way_back():
    clip = ops.InsertGradientOf(lambda g: ops.clip_by_value(g, Tensor(-1.0), Tensor(1.0)))
    assert ms.grad(lambda x: clip(x) ** 2)(Tensor(3.0)).item() == 1.0
