"""Attention and the layers of a transformer: the numbers are the real MindSpore's, from the same first values."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, nn, ops


@pytest.fixture
def drawn():
    ms.set_seed(0)
    np.random.seed(0)
    rng = np.random.default_rng(0)
    return lambda *shape: Tensor(rng.normal(size=shape).astype(np.float32))


def test_attention_gives_the_numbers_of_mindspore(drawn):
    attention = nn.MultiheadAttention(4, 2)
    q, k, v = drawn(3, 2, 4), drawn(3, 2, 4), drawn(3, 2, 4)
    output, weights = attention(q, k, v)
    np.testing.assert_allclose(
        output[0].asnumpy(),
        [[0.656564355, 0.164993674, -0.273338318, -0.0357114375], [0.388139695, -0.486237705, 0.176872745, 0.434547663]],
        rtol=2e-6, atol=1e-7,
    )  # fmt: skip
    np.testing.assert_allclose(weights[0, 0].asnumpy(), [0.412272304, 0.317208886, 0.270518780], rtol=2e-6)
    later = Tensor(np.triu(np.ones((3, 3)), 1).astype(bool))
    masked = attention(q, k, v, attn_mask=later)[0]
    np.testing.assert_allclose(masked[0, 0].asnumpy(), [0.7688801, 0.6260373, -0.52297086, -0.43102032], rtol=2e-6)


def test_slopes_of_all_weights_are_those_of_mindspore(drawn):
    attention, _ = nn.MultiheadAttention(4, 2), [drawn(3, 2, 4) for _ in range(3)]
    x = Tensor(np.random.default_rng(0).normal(size=(3, 2, 4)).astype(np.float32))

    def squares(x):
        output = attention(x, x, x, need_weights=False)[0]
        return (output * output).sum()

    found = ms.grad(squares, None, attention.trainable_params())(x)
    sizes = {p.name: float((g * g).sum()) for p, g in zip(attention.trainable_params(), found, strict=True)}
    expected = {"in_proj_weight": 24.6142, "in_proj_bias": 46.1795, "out_proj.weight": 40.0469, "out_proj.bias": 97.225}
    assert sizes == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("batch_first", [False, True])
def test_what_is_masked_has_no_weight(drawn, batch_first):
    attention = nn.MultiheadAttention(4, 2, batch_first=batch_first, kdim=3, vdim=5, add_zero_attn=True)
    query, key, value = drawn(2, 2, 4), drawn(2, 2, 3), drawn(2, 2, 5)
    _, weights = attention(query, key, value, key_padding_mask=Tensor([[False, True], [False, False]]))
    assert weights.shape == (2, 2, 3) and (weights[0, :, 1] == 0).all()
    np.testing.assert_allclose(weights.sum(-1).asnumpy(), np.ones((2, 2)), rtol=1e-6)


def test_a_batch_of_one_is_no_batch(drawn):
    attention, x = nn.MultiheadAttention(4, 2), drawn(3, 4)
    one, many = attention(x, x, x)[0], attention(*[x.expand_dims(1)] * 3)[0]
    np.testing.assert_allclose(one.asnumpy(), many[:, 0].asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("how", [{}, {"norm_first": True, "activation": "gelu"}])
def test_a_decoder_that_may_not_look_ahead_does_not(drawn, how):
    net = nn.Transformer(4, 2, 1, 2, 8, dropout=0.0, **how)
    source, target, later = drawn(3, 2, 4), drawn(3, 2, 4), Tensor(np.triu(np.ones((3, 3)), 1).astype(bool))
    whole, part = net(source, target, tgt_mask=later), net(source, target[:2], tgt_mask=later[:2, :2])
    np.testing.assert_allclose(whole[:2].asnumpy(), part.asnumpy(), rtol=1e-4, atol=1e-5)
    layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, **how), 2, nn.LayerNorm((4,)))
    first, second = (p.asnumpy() for p in layers.get_parameters() if "in_proj_weight" in p.name)
    assert (first == second).all() and layers(source).shape == (3, 2, 4)


def test_what_does_not_fit_is_refused(drawn):
    attention = nn.MultiheadAttention(4, 2)
    for call, said in (
        (lambda: nn.MultiheadAttention(5, 2), "'embed_dim' must be divisible by 'num_heads'"),
        (lambda: attention(drawn(3), drawn(3), drawn(3)), "should be unbatched 2D or batched 3D"),
        (lambda: attention(drawn(3, 4), drawn(3, 2, 4), drawn(3, 4)), "For unbatched `query`"),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"), "must be relu/gelu, but get tanh"),
        (lambda: nn.Transformer(4, 2, 1, 1, 8)(drawn(3, 1, 4), drawn(3, 2, 4)), "number of batch size"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


# ---- other layers, and classes that are a function ----


def test_windows_in_one_and_three_dimensions_are_those_of_two():
    x = ops.arange(24).reshape(1, 2, 3, 4).float()
    flat, deep = x.reshape(1, 2, 12), x.reshape(1, 2, 1, 3, 4)
    assert nn.MaxPool1d(2, 2)(flat).tolist() == [[[1, 3, 5, 7, 9, 11], [13, 15, 17, 19, 21, 23]]]
    assert (nn.AvgPool3d((1, 2, 2))(deep).squeeze(2) == nn.AvgPool2d(2)(x)).all()
    values, places = nn.MaxPool2d(2, pad_mode="pad", return_indices=True)(x)
    assert (values[0, 0] == places[0, 0]).all()
    weight = ops.ones((1, 2, 2, 2))
    assert (ops.conv3d(deep, weight.expand_dims(2)).squeeze(2) == ops.conv2d(x, weight)).all()
    assert ops.fold(ops.unfold(x, 3), (3, 4), 3)[0, 0].tolist()[0] == [0, 2, 4, 3]


def test_padding_layers_put_elements_around():
    row = Tensor([[[1.0, 2.0, 3.0]]])
    assert nn.ReflectionPad1d((2, 1))(row).tolist() == [[[3, 2, 1, 2, 3, 2]]]
    assert nn.ReplicationPad1d(1)(row).tolist() == [[[1, 1, 2, 3, 3]]]
    assert ops.pad(row, (1, 2), "circular").tolist() == [[[3, 1, 2, 3, 1, 2]]]
    assert ops.pad(row, (-1, 1), value=7.0).tolist() == [[[2, 3, 7]]]
    assert nn.ConstantPad2d((0, 1, 1, 0), 5.0)(row)[0].tolist() == [[5, 5, 5, 5], [1, 2, 3, 5]]
    assert nn.Pad(((0, 0), (0, 0), (2, 0)), "SYMMETRIC")(row).tolist() == [[[2, 1, 1, 2, 3]]]
    slope = ms.grad(lambda x: (ops.pad(x, (1, 1), "reflect") ** 2).sum())(row)
    assert slope.tolist() == [[[2, 12, 6]]]


def test_dropout_of_channels_drops_them_whole():
    ms.set_seed(1)
    x = ops.ones((8, 8, 2, 2))
    layer = nn.Dropout2d(0.5)
    assert (layer(x) == x).all() and repr(layer) == "Dropout2d(p=0.5)"
    made = layer.set_train()(x).reshape(64, 4).asnumpy()
    assert set(made.ravel()) == {0.0, 2.0} and (made == made[:, :1]).all()
    kept, mask = ops.Dropout2D(0.5)(x)
    assert ((kept != 0) == mask).all()


def test_a_class_that_is_a_function_takes_its_options_beforehand():
    x, y = Tensor([[1.0, 2.0], [4.0, 3.0]]), Tensor([[0.5, 2.0], [1.0, 9.0]])
    assert (ops.Sort(axis=1, descending=True)(x)[0] == ops.sort(x, 1, True)[0]).all()
    assert (ops.Renorm(p=1, dim=0, maxnorm=2.0)(x) == ops.renorm(x, 1, 0, 2.0)).all()
    assert ops.Einsum("ij,ij->i")((x, y)).tolist() == [4.5, 31.0]
    assert ops.Tril()(x).tolist() == [[1, 0], [4, 3]] and ops.Fmax()(x, y).tolist() == [[1, 2], [4, 9]]
    assert ops.TopK()(x, 1)[1].tolist() == [[1], [0]] and ops.Cummin(axis=0)(x)[1].dtype == ms.int32
    with pytest.raises(TypeError):
        ops.Cummax()(x)
    assert ops.unsorted_segment_sum(x, Tensor([1, 1]), 3).tolist() == [[0, 0], [5, 5], [0, 0]]
