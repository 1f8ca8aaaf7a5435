"""Layers and losses that training needs. Figures without a formula beside them were printed by MindSpore 2.10."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, nn, ops

rng = np.random.default_rng(0)
X = Tensor(rng.normal(size=(2, 4, 6, 7)).astype("float32"))
SCORES = Tensor(rng.normal(size=(3, 5)).astype("float32"))
CLASSES = Tensor([1, 0, 4], ms.int32)
SHARES = ops.softmax(SCORES)
WEIGHTS = Tensor([1.0, 2.0, 3.0, 4.0, 5.0])
CHANCES, TRUTH = Tensor([0.2, 0.5, 1.0, 0.0]), Tensor([0.0, 1.0, 1.0, 0.0])


def first(tensor, n=2):
    return tensor.asnumpy().ravel()[:n].tolist()


# ---- convolution and pooling ----

LAYERS = [  # layer, shape of its result for X, first two elements
    (lambda: nn.Conv2d(4, 6, 3, weight_init="ones"), (2, 6, 6, 7), [4.6752, 3.4254]),
    (lambda: nn.Conv2d(4, 6, 3, stride=2, weight_init="ones"), (2, 6, 3, 4), [1.8436, -0.8988]),
    (lambda: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), pad_mode="pad", padding=(1, 2, 0, 1), dilation=2, group=2,
                       has_bias=True, weight_init="ones", bias_init="ones"), (2, 6, 3, 6), [1.7519, 2.1766]),
    (lambda: nn.Conv2d(4, 6, 2, stride=3, weight_init="ones"), (2, 6, 2, 3), [4.6752, 3.0842]),
    (lambda: nn.MaxPool2d(2, 2), (2, 4, 3, 3), [0.9471, 0.6404]),
    (lambda: nn.MaxPool2d(3, 2, pad_mode="same"), (2, 4, 3, 4), [0.9471, 0.6404]),
    (lambda: nn.MaxPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True), (2, 4, 4, 4), [0.9471, 0.6404]),
    (lambda: nn.AvgPool2d(3, 2, pad_mode="same"), (2, 4, 3, 4), [-0.2902, -0.3969]),
    (lambda: nn.AvgPool2d(3, 2, pad_mode="pad", padding=1), (2, 4, 3, 4), [0.0263, -0.2199]),
    (lambda: nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, count_include_pad=False), (2, 4, 3, 4), [0.0592, -0.3299]),
    (lambda: nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, divisor_override=5), (2, 4, 3, 4), [0.0474, -0.3958]),
    (lambda: nn.AvgPool2d((3, 2), (2, 1)), (2, 4, 2, 6), [-0.2902, -0.4562]),
    (lambda: nn.AdaptiveMaxPool2d((3, 1)), (2, 4, 3, 1), [X.asnumpy()[0, 0, :2].max(), X.asnumpy()[0, 0, 2:4].max()]),
]  # fmt: skip


@pytest.mark.parametrize("make, shape, begins", LAYERS)
def test_layers_for_images(make, shape, begins):
    found = make()(X)
    assert found.shape == shape and first(found) == pytest.approx(begins, abs=1.01e-4)


@pytest.mark.parametrize("make", [layer[0] for layer in LAYERS])
def test_their_gradients_are_the_same_compiled(make, graph_mode):
    layer = make()
    gradient = ms.grad(lambda x: (layer(x) ** 2).sum(), 0, layer.trainable_params())
    compiled = gradient(X)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    for a, b in zip(_flat(compiled), _flat(gradient(X)), strict=True):
        assert np.array_equal(a.asnumpy(), b.asnumpy())


def _flat(tree):
    return [leaf for part in tree for leaf in _flat(part)] if isinstance(tree, tuple) else [tree]


def test_a_single_image_can_be_pooled_too():
    assert nn.MaxPool2d(2, 2)(X[0]).shape == (4, 3, 3)


def test_functions():
    assert ops.conv2d(X, ops.ones((6, 4, 3, 3))).shape == (2, 6, 4, 5)
    assert ops.bias_add(X, Tensor([1.0, 2.0, 3.0, 4.0])).sum().item() == pytest.approx(825.941, abs=1e-3)


MISUSES = [
    (lambda: nn.Conv2d(4, 6, 3, padding=2), ValueError, "the 'pad' must be zero when 'pad_mode' is not 'pad', but got 'pad': 2"),
    (lambda: nn.Conv2d(4, 6, 3, pad_mode="foo"), ValueError, r"must be in '\['valid', 'same', 'pad'\]', but got 'foo'"),
    (lambda: nn.Conv2d(4, 6, 3, stride=0), ValueError, "the 'stride item' must be int and must > 0, but got '0'"),
    (lambda: nn.Conv2d(4, 6, 3, group=3), ValueError, "should be divisible by 'in_channels' and 'out_channels'"),
    (lambda: nn.Conv2d(4, 6, 3, weight_init=ops.ones((6, 4, 2, 2))), ValueError, "and the 'shape' .6, 4, 3, 3."),
    (lambda: nn.Conv2d(3, 6, 3)(X), RuntimeError, "'weight' shape: 3, but got 'C_in' of input 'x' shape: 4"),
    (lambda: nn.Conv2d(4, 6, 3)(X[0]), ValueError, "the x shape size must be equal to 4, but got 3"),
    (lambda: nn.Conv2d(4, 6, 3)(X.half()), TypeError, "the input type must be same"),
    (lambda: nn.Conv2d(4, 6, 9, pad_mode="valid")(X), ValueError, "must be greater than or equal to kernel_size's"),
    (lambda: nn.MaxPool2d(2.0), TypeError, r"should be one of '\['int', 'tuple'\]', but got type 'float'"),
    (lambda: nn.MaxPool2d(2, 2, "foo"), ValueError, "but got 'FOO'"),
    (lambda: nn.MaxPool2d(2, 2, padding=1), ValueError, "can not be set to non-default value when pad_mode is not 'pad'"),
    (lambda: nn.MaxPool2d(9, 2)(X), ValueError, "the each element of the output shape must be larger than 0"),
    (lambda: nn.Dropout(p=1.5), ValueError, r"must be a number in range \[0, 1\), but got 1.5"),
    (lambda: nn.Dropout(p="a"), TypeError, r"should be one of '\['float', 'int'\]', but got type 'str'"),
    (lambda: nn.BatchNorm2d(4)(X[0]), ValueError, "the in_shape must have 4 dims, but got 3"),
    (lambda: nn.BatchNorm2d(3)(X), ValueError, r"should be equal to input_x's channel dimension: 4"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(reduction="foo"), ValueError, "but got foo"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits()(SCORES, CLASSES), TypeError, r"name:\[label_type\]:Tensor\[Int32\]"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits()(SCORES, SCORES[:2]), ValueError, "must be consistent with 'logits' shape"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(True)(SCORES, SHARES), TypeError, r"but got Tensor\[Float32\]"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(SCORES, CLASSES[:2]), ValueError, "Labels shape value"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(SCORES, CLASSES + 5), RuntimeError, r"label\[index\] = 6"),
    (lambda: nn.CrossEntropyLoss()(SCORES, Tensor([1, 0, 2])), TypeError, "should be Int32, but got 'mindspore.int64'"),
    (lambda: nn.CrossEntropyLoss()(SCORES, CLASSES + 5), RuntimeError, r"must be in \[-5, 5\), but got: 6"),
    (lambda: nn.CrossEntropyLoss()(SCORES, CLASSES[:2]), ValueError, r"'labels' shape: \(2,\)"),
    (lambda: ops.mse_loss(CHANCES, TRUTH, "foo"), ValueError, "`reduction` value should be either 'mean', 'none' or 'sum'"),
]  # fmt: skip


@pytest.mark.parametrize("make, error, message", MISUSES)
def test_misuse_says_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_layers_print_as_the_real_ones():
    shown = str(nn.Conv2d(4, 6, 3, weight_init="ones"))
    assert shown == (
        "Conv2d(input_channels=4, output_channels=6, kernel_size=(3, 3), stride=(1, 1), pad_mode=same, padding=0, "
        "dilation=(1, 1), group=1, has_bias=False, weight_init=ones, bias_init=None, format=NCHW)"
    )
    assert str(nn.MaxPool2d(2, 2)) == "MaxPool2d(kernel_size=2, stride=2, pad_mode=VALID)"
    assert str(nn.Dropout(p=0.5)) == "Dropout(p=0.5)" and str(nn.Dropout()) == "Dropout(keep_prob=0.5)"
    assert (
        str(nn.WithLossCell(nn.ReLU(), nn.MSELoss()))
        == "WithLossCell(\n  (_backbone): ReLU()\n  (_loss_fn): MSELoss()\n)"
    )


def test_a_convolution_begins_within_one_over_the_root_of_its_inputs():
    layer = nn.Conv2d(16, 64, 5, has_bias=True)
    for p in layer.get_parameters():
        assert 0.9 * 0.05 < abs(p.asnumpy()).max() <= 0.05


# ---- dropout ----


def test_dropout_works_only_while_training():
    layer, ones = nn.Dropout(p=0.4), ops.ones((100, 100))
    assert layer(ones) is ones
    ms.set_seed(1)
    kept = layer.set_train()(ones).asnumpy()
    assert np.unique(kept).tolist() == [0, np.float32(1 / 0.6)]
    assert (kept == 0).mean() == pytest.approx(0.4, abs=0.02)
    assert layer.set_train(False)(ones) is ones


def test_a_compiled_network_draws_anew_at_every_run(graph_mode):
    def drawn():
        ms.set_seed(3)
        layer = nn.Dropout(p=0.5).set_train()
        gradient = ms.grad(lambda x: layer(x).sum())
        return layer, [tuple(gradient(ones).tolist()) for _ in range(4)]

    ones = ops.ones((50,))
    layer, masks = drawn()
    assert len(set(masks)) == 4 and {0.0, 2.0} == {v for mask in masks for v in mask}
    assert drawn()[1] == masks
    layer.set_train(False)
    assert ms.grad(lambda x: layer(x).sum())(ones).tolist() == [1.0] * 50


# ---- batch normalisation ----


def test_batch_norm_as_the_real_one(mode):
    layer = nn.BatchNorm2d(4).set_train(False)
    assert first(layer(X)) == pytest.approx([0.1257, -0.1321], abs=1e-4)
    layer.set_train()
    assert first(layer(X)) == pytest.approx([0.1939, -0.095], abs=1e-4)
    assert first(layer.moving_mean.value()) == pytest.approx([-0.0047, 0.009], abs=1e-4)
    assert first(layer.moving_variance.value()) == pytest.approx([0.9806, 1.0362], abs=1e-4)
    gradient = ms.grad(lambda x: (layer(x) ** 3).sum())(X)
    assert first(gradient) == pytest.approx([-3.152, -3.3732], abs=1e-4)
    assert first(layer.moving_variance.value()) == pytest.approx([0.9631, 1.0687], abs=1e-4)
    assert first(layer.set_train(False)(X)) == pytest.approx([0.1373, -0.1255], abs=1e-4)


def test_batch_norm_trains_gamma_and_beta_only():
    network = nn.SequentialCell(nn.BatchNorm1d(7))
    assert [p.name for p in network.trainable_params()] == ["0.gamma", "0.beta"]
    assert nn.BatchNorm2d(4, affine=False).trainable_params() == []


# ---- losses ----

FIGURES = [
    (lambda: nn.CrossEntropyLoss()(SCORES, CLASSES), 2.793),
    (lambda: nn.CrossEntropyLoss(reduction="sum")(SCORES, CLASSES), 8.379),
    (lambda: nn.CrossEntropyLoss(weight=WEIGHTS)(SCORES, CLASSES), 3.2754),
    (lambda: nn.CrossEntropyLoss(ignore_index=0)(SCORES, CLASSES), 3.2723),
    (lambda: nn.CrossEntropyLoss(label_smoothing=0.1)(SCORES, CLASSES), 2.7237),
    (lambda: nn.CrossEntropyLoss(weight=WEIGHTS, label_smoothing=0.1)(SCORES, CLASSES), 3.2101),
    (lambda: nn.CrossEntropyLoss()(SCORES, SHARES), 1.183),
    (lambda: nn.CrossEntropyLoss(weight=WEIGHTS, label_smoothing=0.1)(SCORES, SHARES), 3.5793),
    (lambda: nn.BCEWithLogitsLoss()(CHANCES, TRUTH), 0.5697),
    (lambda: ops.l1_loss(CHANCES, TRUTH, "sum"), 0.7),
]


@pytest.mark.parametrize("make, figure", FIGURES)
def test_figures_of_losses(make, figure):
    assert make().item() == pytest.approx(figure, abs=1e-4)
    assert ms.jit(make)().item() == pytest.approx(make().item(), rel=1e-6)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_softmax_cross_entropy_of_class_numbers_is_that_of_their_rows(reduction):
    rows = ops.eye(5)[CLASSES]
    dense, sparse = (nn.SoftmaxCrossEntropyWithLogits(s, reduction) for s in (False, True))
    assert dense(SCORES, rows).tolist() == pytest.approx(sparse(SCORES, CLASSES).tolist(), rel=1e-6)
    gradients = [ms.grad(dense)(SCORES, rows), ms.grad(sparse)(SCORES, CLASSES)]
    np.testing.assert_allclose(*(g.asnumpy() for g in gradients), rtol=1e-6)


def test_its_gradient_is_softmax_minus_label_whatever_the_labels_sum_to():
    loss, zeros = nn.SoftmaxCrossEntropyWithLogits(), ops.zeros_like(SCORES)
    assert str(loss(SCORES, zeros)) == "[-0. -0. -0.]"
    assert ms.grad(loss)(SCORES, zeros).tolist() == ops.softmax(SCORES).tolist()
    assert not ms.grad(loss, 1)(SCORES, SHARES).asnumpy().any()


def test_a_wrong_class_is_found_by_the_compiled_loss_too():
    loss = ms.jit(nn.SoftmaxCrossEntropyWithLogits(True, "mean"))
    assert loss(SCORES, CLASSES).item() == pytest.approx(2.793, abs=1e-4)
    with pytest.raises(RuntimeError, match=r"label\[index\] = 6 and class_num = 5"):
        loss(SCORES, CLASSES + 5)
    assert loss(SCORES, CLASSES).item() == pytest.approx(2.793, abs=1e-4)


def test_gradients_of_binary_cross_entropy():
    by_score = ms.grad(nn.BCEWithLogitsLoss())(CHANCES, TRUTH).tolist()
    assert by_score == pytest.approx([0.1375, -0.0944, -0.0672, 0.125], abs=1e-4)


def test_with_loss_cell_is_the_loss_of_the_network():
    network = nn.Dense(5, 5, "ones", "zeros")
    whole = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(True, "mean"))
    assert whole(SCORES, CLASSES).item() == pytest.approx(np.log(5))
    assert [p.name for p in whole.trainable_params()] == ["weight", "bias"]


# ---- functions over tuples of gradients ----

product = ops.MultitypeFuncGraph("product")


@product.register("Number", "Tensor")
def _by_number(a, b):
    return b * a + 1


@product.register("Tensor", "Tensor")
def _by_tensor(a, b):
    return a * b


PAIR = (Tensor(1.0), Tensor(2.0))


@pytest.mark.parametrize(
    "make, values",
    [
        (lambda: ops.HyperMap()(product, PAIR, PAIR), [1.0, 4.0]),
        (lambda: ops.HyperMap(product)(list(PAIR), PAIR), [1.0, 4.0]),
        (lambda: ops.HyperMap()(ops.partial(product, 2.0), PAIR), [3.0, 5.0]),
        (lambda: ops.HyperMap()(ops.partial(product, Tensor(2.0)), PAIR), [2.0, 4.0]),
        (lambda: ops.Map()(lambda a, b: a + b, PAIR, PAIR), [2.0, 4.0]),
        (lambda: ops.HyperMap()(product, PAIR, (Tensor(5.0),)), [5.0]),
    ],
)
def test_functions_chosen_by_type_and_mapped(make, values):
    assert [t.item() for t in make()] == values


def test_hyper_map_goes_into_nested_tuples_and_map_does_not():
    assert ops.HyperMap()(lambda x: x * 2, (1, (2, 3))) == (2, (4, 6))
    assert ops.Map()(lambda x: x * 2, (1, (2, 3))) == (2, (2, 3, 2, 3))


def test_mapped_functions_compile(graph_mode):
    scaled = ms.jit(lambda x, y: ops.HyperMap()(ops.partial(product, 3.0), (x, y)))
    assert [t.item() for t in scaled(*PAIR)] == [4.0, 7.0]
    with pytest.raises(RuntimeError, match="The tuples in HyperMap should have the same length"):
        ops.HyperMap()(product, PAIR, PAIR[:1])


def test_no_function_for_these_types():
    with pytest.raises(ValueError, match=r"cannot find fn match given args.*\(mindspore.string_,\)"):
        product("a")
    with pytest.raises(TypeError, match="expected type names among"):
        product.register("Tensr")


# ---- small ops of the documents ----


def test_fill_and_conversions():
    loss = Tensor([1.0, 2.0])
    assert ops.Fill()(ops.DType()(loss), ops.Shape()(loss), 1.5).tolist() == [1.5, 1.5]
    assert ops.fill(ms.float16, (2,), Tensor(3.0)).dtype is ms.float16
    filled = ms.jit(lambda x, scale: ops.Fill()(x.dtype, x.shape, scale) * x)
    assert filled(loss, Tensor(4.0)).tolist() == [4.0, 8.0]
    kinds = [t.dtype for t in (loss.int(), loss.long(), loss.half(), loss.double(), loss.short(), loss.byte())]
    assert kinds == [ms.int32, ms.int64, ms.float16, ms.float64, ms.int16, ms.uint8]


def test_a_loss_that_pairs_all_with_all_is_computed_and_a_warning_says_so():
    with pytest.warns(UserWarning, match=r"shapes \(4, 1\) and \(4,\) broadcasts to \(4, 4\)"):
        loss = nn.MSELoss()(Tensor(np.ones((4, 1), np.float32)), Tensor(np.zeros(4, np.float32)))
    assert float(loss) == 1


def test_a_recurrent_network_is_its_steps_one_after_the_other():
    net, x = nn.RNN(3, 2), Tensor(rng.normal(size=(4, 2, 3)).astype("float32"))
    w, u, b, c = (p.asnumpy() for p in net.trainable_params())
    state, found = np.zeros((2, 2), np.float32), []
    for step in x.asnumpy():
        state = np.tanh(step @ w.T + b + state @ u.T + c)
        found.append(state)
    outputs, last = net(x)
    np.testing.assert_allclose(outputs.asnumpy(), found, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last.asnumpy()[0], state, rtol=1e-5, atol=1e-6)
