"""Layers by their mechanisms: ops that are compositions, modules that are functions, layers that wait for an input."""

import copy
import pickle

import pytest

import labkit.torch as torch
from labkit.torch import nn

F = nn.functional


def drawn(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


COMPOSED = {
    "layer_norm": (lambda x, w: F.layer_norm(x, (3,), w), (2, 3), (3,)),
    "conv1d": (F.conv1d, (1, 2, 3), (2, 2, 2)),
    "conv2d": (lambda x, w: F.conv2d(x, w, stride=2, padding=1), (1, 2, 3, 4), (2, 2, 2, 2)),
    "conv_transpose1d": (lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=1), (1, 2, 3), (2, 2, 2)),
    "conv_transpose2d": (lambda x, w: F.conv_transpose2d(x, w, stride=2), (1, 2, 2, 2), (2, 1, 2, 2)),
    "adaptive_avg_pool2d": (lambda x, w: F.adaptive_avg_pool2d(x * w, 2), (1, 1, 3, 3), (3,)),
    "embedding": (lambda w, x: F.embedding(torch.tensor([0, 1, 0]), w) * x, (2, 2), (2,)),
    "binary_cross_entropy_with_logits": (
        lambda x, w: F.binary_cross_entropy_with_logits(x * w, torch.ones(2).double(), pos_weight=torch.ones(2)), (2,), (2,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSED)
def test_an_op_that_is_a_composition_has_derivatives_of_first_and_second_order(name):
    torch.manual_seed(0)
    fun, *shapes = COMPOSED[name]
    given = tuple(drawn(*shape) for shape in shapes)
    assert torch.autograd.gradcheck(fun, given) and torch.autograd.gradgradcheck(fun, given)


def test_forward_mode_and_vmap_go_through_a_composition():
    x, step = torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([[1.0, 0.0, 0.0]])
    norm = lambda x: F.layer_norm(x, (3,))
    _, tangent = torch.func.jvp(norm, (x,), (step,))
    row = torch.func.jacrev(norm)(x)[0, :, 0, 0]
    assert torch.allclose(tangent[0], row) and torch.equal(torch.func.vmap(norm)(x), norm(x))


def test_a_module_of_a_function_takes_its_options_in_their_order_and_by_name():
    assert repr(nn.LeakyReLU(0.2, True)) == "LeakyReLU(negative_slope=0.2, inplace=True)"
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert nn.MSELoss(False).reduction == "sum"
    with pytest.raises(TypeError, match="slope"):
        nn.LeakyReLU(slope=0.1)


def test_a_lazy_layer_draws_what_the_layer_draws_and_is_that_layer_afterwards():
    torch.manual_seed(0)
    lazy = nn.LazyLinear(2)
    lazy.bias.data.fill_(0)  # an empty tensor, until there is a shape
    lazy(torch.ones(1, 3))
    torch.manual_seed(0)
    assert type(lazy) is nn.Linear and torch.equal(lazy.weight, nn.Linear(3, 2).weight)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copied", "pickled"])
def test_a_lazy_layer_can_be_copied_before_it_has_a_shape(copied):
    other = copied(nn.LazyLinear(2, dtype=torch.float64))
    assert other.weight.dtype is torch.float64 and other(torch.ones(1, 3).double()).shape == (1, 2)
    assert type(other) is nn.Linear


def test_an_embedding_has_no_sparse_gradients():
    with pytest.raises(NotImplementedError, match="no sparse gradients"):
        nn.Embedding(2, 2, sparse=True)
