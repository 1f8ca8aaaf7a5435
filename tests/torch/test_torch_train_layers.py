"""Layers for images in the torch dialect. Figures and texts were printed by PyTorch 2.13."""

import numpy as np
import pytest

import labkit.torch as torch
from labkit.torch import nn
from labkit.torch.nn import functional as F

rng = np.random.default_rng(0)


def drawn(*shape, grad=True):
    return torch.tensor(rng.normal(size=shape).astype("float32")).requires_grad_(grad)


X, W, B, GROUPED = drawn(2, 4, 6, 7), drawn(6, 4, 3, 3), drawn(6), drawn(6, 2, 3, 3)

VALUES = [  # call, shape, first two elements, node
    (lambda: F.conv2d(X, W), (2, 6, 4, 5), [-1.0936, 5.5507], "ConvolutionBackward0"),
    (lambda: F.conv2d(X, W, B), (2, 6, 4, 5), [-0.7357, 5.9086], "ConvolutionBackward0"),
    (lambda: F.conv2d(X, W, B, 2, 1), (2, 6, 3, 4), [2.9381, 4.1662], "ConvolutionBackward0"),
    (lambda: F.conv2d(X, W, B, (2, 1), (1, 2), (1, 2)), (2, 6, 3, 7), [5.3071, 2.5596], "ConvolutionBackward0"),
    (lambda: F.conv2d(X, GROUPED, B, groups=2), (2, 6, 4, 5), [-4.6235, -0.9342], "ConvolutionBackward0"),
    (lambda: F.conv2d(X, W, padding="same"), (2, 6, 6, 7), [2.5801, 5.3738], "ConvolutionBackward0"),
    (lambda: F.conv2d(X[0], W, B), (6, 4, 5), [-0.7357, 5.9086], "SqueezeBackward1"),
    (lambda: F.max_pool2d(X, 2), (2, 4, 3, 3), [0.9471, 0.6404], "MaxPool2DWithIndicesBackward0"),
    (lambda: nn.MaxPool2d(3, 2, 1)(X), (2, 4, 3, 4), [0.9471, 0.6404], "MaxPool2DWithIndicesBackward0"),
    (lambda: F.max_pool2d(X, (3, 2), (2, 1), (1, 0), ceil_mode=True), (2, 4, 4, 6), [0.9471, 0.6404],
     "MaxPool2DWithIndicesBackward0"),
    (lambda: F.avg_pool2d(X, 2), (2, 4, 3, 3), [0.0592, -0.2858], "AvgPool2DBackward0"),
    (lambda: F.avg_pool2d(X, 3, 2, 1, True, False), (2, 4, 4, 4), [0.0592, -0.3299], "AvgPool2DBackward0"),
    (lambda: F.avg_pool2d(X, 3, 2, 1, False, True, 7), (2, 4, 3, 4), [0.0339, -0.2827], "AvgPool2DBackward0"),
    (lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False)(X), (2, 4, 3, 4), [0.0592, -0.3299], "AvgPool2DBackward0"),
    (lambda: nn.BatchNorm2d(4)(X), (2, 4, 6, 7), [0.1939, -0.095], "NativeBatchNormBackward0"),
    (lambda: nn.BatchNorm1d(4)(X[:, :, 0]), (2, 4, 7), [-0.7044, -1.1513], "NativeBatchNormBackward0"),
]  # fmt: skip


@pytest.mark.parametrize("make, shape, begins, node", VALUES)
def test_values_and_nodes(make, shape, begins, node):
    found = make()
    assert tuple(found.shape) == shape and found.grad_fn.name() == node
    assert found.detach().numpy().ravel()[:2].tolist() == pytest.approx(begins, abs=1.01e-4)
    assert found.is_contiguous()


def test_a_convolution_has_an_edge_for_input_weight_and_bias():
    def edges(made):
        return [node and node.name() for node, _ in made.grad_fn.next_functions]

    leaf = "torch::autograd::AccumulateGrad"
    assert edges(F.conv2d(X, W, B)) == [leaf] * 3
    assert edges(F.conv2d(X.detach(), W)) == [None, leaf, None]
    made = F.conv2d(X, W, B)
    assert made.grad_fn._saved_input is X and made.grad_fn._saved_stride == (1, 1)


def test_gradients_of_a_convolution():
    by_x, by_w, by_b = torch.autograd.grad(F.conv2d(X, W, B).sum(), (X, W, B))
    assert by_x.sum().item() == pytest.approx(288.729, rel=1e-5)
    assert by_w.sum().item() == pytest.approx(-675.407, rel=1e-5)
    assert by_b.tolist() == [40.0] * 6


def test_second_derivatives():
    gradients = torch.autograd.grad((F.conv2d(X, W, B) ** 2).sum(), (X, W), create_graph=True)
    assert gradients[0].grad_fn.name() == "ConvolutionBackwardBackward0"
    again = torch.autograd.grad(gradients[0].sum() + gradients[1].sum(), (X, W))
    assert [g.sum().item() for g in again] == pytest.approx([-5366.118, 2077.483], rel=1e-5)
    for pool, figures in ((F.max_pool2d, (136.7, 546.801)), (F.avg_pool2d, (-8.644, -8.644))):
        (once,) = torch.autograd.grad((pool(X, 2) ** 2).sum(), X, create_graph=True)
        (twice,) = torch.autograd.grad(once.pow(2).sum(), X)
        assert [once.sum().item(), twice.sum().item()] == pytest.approx(figures, rel=1e-4)


def test_backward_twice_finds_its_values_freed():
    made = F.max_pool2d(F.conv2d(X, W, B), 2).sum()
    made.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        made.backward()


def test_of_equal_elements_the_first_alone_gets_the_gradient():
    ones = torch.ones(1, 1, 3, 3, requires_grad=True)
    F.max_pool2d(ones, 2, 1).sum().backward()
    assert ones.grad.tolist() == [[[[1, 1, 0], [1, 1, 0], [0, 0, 0]]]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_types_are_kept(dtype):
    made = F.conv2d(X.to(dtype), W.to(dtype), B.to(dtype))
    assert made.dtype is dtype and F.max_pool2d(made, 2).dtype is dtype and F.avg_pool2d(made, 2).dtype is dtype


def test_integers_are_convolved_too():
    ones = torch.ones(1, 1, 3, 3, dtype=torch.int64)
    assert F.conv2d(ones, ones[:, :, :2, :2]).tolist() == [[[[4, 4], [4, 4]]]]


def test_batch_norm_moves_its_statistics_while_training():
    layer = nn.BatchNorm2d(4)
    (layer(X) ** 3).sum().backward()
    assert layer.running_var.tolist() == pytest.approx([0.9806, 1.0362, 1.0026, 0.9876], abs=1e-4)
    assert layer.num_batches_tracked.item() == 1
    assert layer.weight.grad.tolist() == pytest.approx([-32.4447, 28.8986, 34.6657, -228.5954], abs=1e-3)
    assert layer.bias.grad.tolist() == pytest.approx([251.9969, 251.9981, 251.9975, 251.9971], abs=1e-3)
    layer.eval()
    assert layer(X).detach().numpy().ravel()[:2].tolist() == pytest.approx([0.1317, -0.1286], abs=1e-4)
    assert list(layer.state_dict()) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]


def test_batch_norm_agrees_with_differences():
    x = torch.tensor(rng.normal(size=(3, 2, 2, 2)), requires_grad=True)
    w, b = (torch.tensor(rng.normal(size=2), requires_grad=True) for _ in range(2))

    def normalised(x, w, b):
        return F.batch_norm(x, None, None, w, b, training=True).sin()

    assert torch.autograd.gradcheck(normalised, (x, w, b))


PRINTED = [
    (lambda: nn.Conv2d(4, 6, 3), "Conv2d(4, 6, kernel_size=(3, 3), stride=(1, 1))"),
    (lambda: nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=2, groups=2, bias=False),
     "Conv2d(4, 6, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), dilation=(2, 2), groups=2, bias=False)"),
    (lambda: nn.Conv2d(4, 6, 3, padding="same"), "Conv2d(4, 6, kernel_size=(3, 3), stride=(1, 1), padding=same)"),
    (lambda: nn.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    (lambda: nn.AvgPool2d(2), "AvgPool2d(kernel_size=2, stride=2, padding=0)"),
    (lambda: nn.BatchNorm2d(4),
     "BatchNorm2d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"),
    (lambda: F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), torch.zeros(1, requires_grad=True)),
     "tensor([[[[4., 4.],\n          [4., 4.]]]], grad_fn=<ConvolutionBackward0>)"),
]  # fmt: skip


@pytest.mark.parametrize("make, text", PRINTED)
def test_printing(make, text):
    assert repr(make()) == text


MISUSES = [
    (lambda: F.conv2d(X, GROUPED), RuntimeError, r"expected input\[2, 4, 6, 7\] to have 2 channels, but got 4"),
    (lambda: F.conv2d(X[0][0], W), RuntimeError, r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d"),
    (lambda: F.conv2d(X, W.double()), RuntimeError, "expected scalar type Float but found Double"),
    (lambda: F.conv2d(X, drawn(6, 4, 9, 9)), RuntimeError, r"\(6 x 7\). Kernel size: \(9 x 9\)"),
    (lambda: F.conv2d(X, W, padding=-1), RuntimeError, "negative padding is not supported"),
    (lambda: F.conv2d(X, W, stride=0), RuntimeError, "non-positive stride is not supported"),
    (lambda: F.conv2d(X, W, padding="foo"), RuntimeError, "Invalid padding string: 'foo'"),
    (lambda: F.conv2d(X, W, drawn(5)), RuntimeError, r"expected bias to be 1-dimensional with 6 elements"),
    (lambda: F.conv2d(X, W, stride=2, padding="same"), RuntimeError, "not supported for strided convolutions"),
    (lambda: F.max_pool2d(X, 2, padding=2), RuntimeError, "pad should be at most half of effective kernel size"),
    (lambda: F.max_pool2d(X, 9), RuntimeError, r"\(4x6x7\). Calculated output size: \(4x0x0\)"),
    (lambda: F.max_pool2d(torch.tensor([1, 2]), 2), RuntimeError, "non-empty 3D or 4D"),
    (lambda: nn.Conv2d(4, 6, 3, groups=3), ValueError, "in_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 6, 3, padding="foo"), ValueError, "Invalid padding string 'foo'"),
    (lambda: nn.BatchNorm2d(3)(X), RuntimeError, "running_mean should contain 4 elements not 3"),
    (lambda: nn.BatchNorm2d(4)(X[0]), ValueError, r"expected 4D input \(got 3D input\)"),
    (lambda: nn.BatchNorm1d(7)(X[:1, 0, 0]), ValueError, "Expected more than 1 value per channel"),
]


@pytest.mark.parametrize("make, error, message", MISUSES)
def test_misuse_says_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_network_learns_with_them():
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2)
    )
    images = torch.tensor(rng.normal(size=(16, 1, 8, 8)).astype("float32"))
    classes = (images.sum((1, 2, 3)) > 0).long()
    losses = []
    for _ in range(30):
        network.zero_grad()
        loss = F.cross_entropy(network(images), classes)
        loss.backward()
        with torch.no_grad():
            for p in network.parameters():
                p -= 0.2 * p.grad
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
