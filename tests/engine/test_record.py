"""What one run leaves behind: the forward graph, op by op, under the names the user gave."""

import autograd.numpy as np
import numpy as onp
import pytest

from labkit.engine import dtype_of, getval, isbox, new_box, new_level, record, shape_of


def ops(graph):
    return [node.op for node in graph.forward]


def labels(graph):
    return [node.label for node in graph.forward]


def node_of(graph, label):
    return next(node for node in graph.forward if node.label == label)


# ---- ops, parents, values ----


def test_every_op_is_kept_in_the_order_it_ran_inputs_first():
    graph = record(lambda x, y: np.exp(x) * y - x, 1.0, 2.0)
    assert ops(graph) == ["input", "input", "exp", "multiply", "subtract"]
    assert [node.id for node in graph.forward] == sorted(node.id for node in graph.forward)


def test_parents_are_the_nodes_of_the_arguments_at_argnums():
    graph = record(lambda x, y: np.where(x > 0, y, 2 * x), 1.0, 5.0)
    x, y, double, chosen = graph.forward
    assert double.argnums == (1,) and double.parents == (x,) and double.args[0] == 2
    assert chosen.argnums == (1, 2) and chosen.parents == (y, double)


def test_an_argument_used_twice_is_two_parents():
    square = record(lambda x: x * x, 3.0).forward[-1]
    assert square.argnums == (0, 1) and square.parents[0] is square.parents[1]


def test_constants_are_kept_in_args_and_keywords_in_kwargs():
    table = onp.arange(6.0).reshape(2, 3)
    graph = record(lambda x: np.sum(np.matmul(table, x), axis=0, keepdims=True), onp.ones((3, 4)))
    product, total = graph.forward[1:]
    assert product.args[0] is table and product.argnums == (1,)
    assert total.kwargs == {"axis": 0, "keepdims": True}


def test_a_function_of_no_traced_op_has_only_its_inputs():
    graph = record(lambda x: np.array([1.0, 2.0]), 3.0)
    assert ops(graph) == ["input"] and graph.backward == [] and graph.gradients["x"] == 0


def test_the_identity_differentiates_to_one():
    graph = record(lambda x: x, onp.ones(2))
    assert ops(graph) == ["input"] and graph.gradients["x"].tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64"])
def test_values_dtypes_and_shapes_are_those_of_numpy(dtype):
    x, y = onp.arange(1, 7, dtype=dtype).reshape(2, 3), onp.array([2, 3, 4], dtype)

    def f(a, b):
        c = a * b
        return np.sum(c, axis=1)

    graph = record(f, x, y)
    for label, expected in {"x": x, "y": y, "c": x * y, "v1": onp.sum(x * y, axis=1)}.items():
        node = node_of(graph, {"x": "a", "y": "b"}.get(label, label))
        onp.testing.assert_array_equal(getval(node.value), expected)
        assert node.dtype == expected.dtype and node.shape == expected.shape


def test_running_under_the_recorder_changes_no_result():
    def f(x):
        h = np.tanh(np.matmul(x, x.T)) + x[0, 1]
        return {"loss": np.mean(h), "rest": (h, [x[::-1], 7])}

    x = onp.linspace(-1, 1, 6).reshape(2, 3)
    plain, recorded = f(x), record(f, x).value
    assert recorded["loss"] == plain["loss"] and recorded["rest"][1][1] == 7
    onp.testing.assert_array_equal(recorded["rest"][0], plain["rest"][0])
    onp.testing.assert_array_equal(recorded["rest"][1][0], x[::-1])
    assert not isbox(recorded["loss"])


def test_a_branch_on_a_value_records_the_side_that_ran():
    def relu(x):
        return x if x > 0 else 0.1 * x

    assert ops(record(relu, 2.0)) == ["input"]
    assert ops(record(relu, -2.0)) == ["input", "multiply"]


def test_keyword_arguments_pass_through_unrecorded():
    def f(x, scale=1.0):
        return x * scale

    graph = record(f, 2.0, scale=5.0)
    assert ops(graph) == ["input", "multiply"] and graph.value == 10


def test_op_names_are_plain_words():
    graph = record(lambda x: np.concatenate([x[1:], np.abs(x)]), onp.array([1.0, -2.0]))
    assert ops(graph) == ["input", "getitem", "absolute", "concatenate"]


def test_text_is_refused_with_its_argument_named():
    with pytest.raises(TypeError, match="number or a numeric array for 'word', but got str"):
        record(lambda word: word, "hello")


# ---- the user's names ----


def test_assigned_variables_name_their_values():
    def net(x, w):
        z = np.matmul(x, w)
        h = np.tanh(z)
        loss = np.sum(h)
        return loss

    assert labels(record(net, onp.ones((1, 2)), onp.ones((2, 1)))) == ["x", "w", "z", "h", "loss"]


def test_a_line_of_several_ops_gives_its_name_to_the_last():
    def f(x):
        y = np.exp(x) * 2 + 1
        return y

    assert labels(record(f, 1.0)) == ["x", "v1", "v2", "y"]


def test_the_parts_of_one_library_call_are_not_all_called_alike():
    def f(x):
        y = np.stack([x, x])
        return y

    graph = record(f, onp.ones(2))
    assert labels(graph)[-1] == "y" and labels(graph).count("y") == 1


def test_rebinding_numbers_the_later_values():
    def f(x):
        x = x * 2
        x = x + 1
        return x

    assert labels(record(f, 1.0)) == ["x", "x_2", "x_3"]


def test_a_loop_numbers_its_rounds():
    def f(x):
        total = x
        for _ in range(3):
            total = total * x
        return total

    assert labels(record(f, 2.0)) == ["x", "total", "total_2", "total_3"]


def test_augmented_assignment_names_its_result():
    def f(x):
        y = x * 2
        y += x
        y **= 2
        return y

    assert labels(record(f, 1.0)) == ["x", "y", "y_2", "y_3"]


def test_names_inside_a_called_function_are_its_own():
    def layer(v):
        z = v * 2
        return z

    def f(x):
        first = layer(x)
        second = layer(first)
        out = first + second
        return out

    assert labels(record(f, 1.0)) == ["x", "z", "z_2", "out"]


def test_unnamed_results_are_counted():
    assert labels(record(lambda x: np.sin(np.cos(x)), 1.0)) == ["x", "v1", "v2"]


def test_values_made_in_a_comprehension_are_unnamed():
    def f(x):
        powers = [x**k for k in (2, 3)]
        total = powers[0] + powers[1]
        return total

    assert labels(record(f, 2.0)) == ["x", "v1", "v2", "total"]


def test_closure_and_global_variables_name_their_values():
    def f(x):
        captured = x * 2

        def inner():
            return captured + 1

        global shared_name
        shared_name = inner() * 3
        return np.exp(shared_name) + captured

    graph = record(f, 0.0)
    assert labels(graph)[0:2] == ["x", "captured"] and "shared_name" in labels(graph)


def test_module_level_code_names_its_values():
    space = {"np": np, "record": record}
    source = "def f(x):\n    h = x * 2\n    return h\ngraph = record(f, 1.0)"
    exec(compile(source, "<cell>", "exec"), space)
    assert labels(space["graph"]) == ["x", "h"]


def test_the_names_of_parameters_or_given_names_name_the_inputs():
    assert labels(record(lambda alpha, beta: alpha, 1.0, 2.0)) == ["alpha", "beta"]
    assert labels(record(lambda *many: many[0], 1.0, 2.0)) == ["arg0", "arg1"]
    assert labels(record(lambda a, b: a, 1.0, 2.0, names=["x", "y"])) == ["x", "y"]
    assert labels(record(np.tanh, 1.0))[0] in ("arg0", "x")


def test_labels_are_unique():
    def f(x):
        v1 = x * 2
        x = v1 + np.exp(v1)
        v1 = x * x
        return v1

    graph = record(f, 1.0)
    every = [node.label for node in graph.joint]
    assert len(set(every)) == len(every) and len(set(labels(graph))) == len(graph.forward)


def test_each_op_knows_the_line_that_ran_it():
    def f(x):
        y = x * 2
        return y

    x, y = record(f, 1.0).forward
    assert x.line is None
    assert y.line == f"{__file__}:{f.__code__.co_firstlineno + 1}"


def test_the_table_prints_ops_values_and_steps():
    def f(x, y):
        z = x**2 + y
        return z

    text = str(record(f, 3.0, 2.0))
    for part in (
        "f: forward",
        "power(x, 2)",
        "add(v1, y)",
        "f: backward",
        "upstream gradient 1. at z (add)",
        "to x        6.",
    ):
        assert part in text


# ---- boxes and levels ----


def test_levels_only_grow():
    first, second = new_level(), new_level()
    assert second > first


def test_dtype_and_shape_are_seen_through_boxes():
    root = record(lambda x: x, 1.0).forward[0]
    box = new_box(new_box(onp.ones((2, 3), "float16"), new_level(), root), new_level(), root)
    assert isbox(box) and dtype_of(box) == onp.float16 and shape_of(box) == (2, 3)
    assert dtype_of(2.0) == onp.float64 and shape_of(2) == () and dtype_of((1, 2)) is None
