"""LeNet-5 against figures computed with PyTorch 2.13 in float64: losses and first gradients, and weights after five steps.

Of each gradient and weight two numbers are compared: its length, and its product with the vector cos(0), cos(1), cos(2) ...
"""

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import Tensor, nn, ops

SHAPES = {
    "conv1.weight": (6, 1, 5, 5), "conv2.weight": (16, 6, 5, 5), "fc1.weight": (120, 400), "fc1.bias": (120,),
    "fc2.weight": (84, 120), "fc2.bias": (84,), "fc3.weight": (10, 84), "fc3.bias": (10,),
}  # fmt: skip
LOSSES = [2.420586708051405, 2.3674453757425487, 2.303310641002591, 2.2734122038973763, 2.28437872476621]
GRADIENTS = {
    "conv1.weight": (0.03547855255197244, -0.03726837663274041), "conv2.weight": (0.0962691792151104, 0.13623829402453122),
    "fc1.weight": (0.1921208309357445, -0.0036360768622660106), "fc1.bias": (0.023320420977284102, -0.005778679634109746),
    "fc2.weight": (0.27934231399203613, 0.008358628966627663), "fc2.bias": (0.058703207515456664, 0.005979136097874671),
    "fc3.weight": (0.6620590132560711, -0.8103540253243633), "fc3.bias": (0.15441759831862417, 0.046070447196184874),
}  # fmt: skip
AFTER = {
    "conv1.weight": (1.373728461019256, 0.4610153197828181), "conv2.weight": (2.3088820971845845, 0.812374599627106),
    "fc1.weight": (6.325332332162889, -2.6900264446314575), "fc1.bias": (6.471582569304761, -2.5014295932787327),
    "fc2.weight": (5.2955778348504445, -1.8654611499671465), "fc2.bias": (5.25220044481852, 3.2750912333798405),
    "fc3.weight": (1.8666839416801686, 2.413185864048488), "fc3.bias": (1.324323209150912, -0.6791421467189572),
}  # fmt: skip

rng = np.random.default_rng(5)
IMAGES = rng.normal(size=(32, 1, 32, 32)).astype("float32")
CLASSES = rng.integers(0, 10, 32).astype("int32")
WEIGHTS = {n: (rng.uniform(-1, 1, s) / np.sqrt(np.prod(s[1:]) or 10)).astype("float32") for n, s in SHAPES.items()}
RATE, MOMENTUM = 0.1, 0.9


def assert_like(array, figures, what):
    """The array's norm and its product with cos(0), cos(1) ... are the figures, to 1e-5 of the norm."""
    flat = np.asarray(array, "float64").ravel()
    found = np.linalg.norm(flat), flat @ np.cos(np.arange(flat.size))
    np.testing.assert_allclose(found, figures, rtol=0, atol=1e-5 * figures[0], err_msg=what)


class LeNet5(nn.Cell):
    """The network of the r1.1 training document, for any batch."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init=Tensor(WEIGHTS["conv1.weight"]))
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", weight_init=Tensor(WEIGHTS["conv2.weight"]))
        for name, (out, inputs) in (("fc1", (120, 400)), ("fc2", (84, 120)), ("fc3", (10, 84))):
            setattr(self, name, nn.Dense(inputs, out, *(Tensor(WEIGHTS[f"{name}.{p}"]) for p in ("weight", "bias"))))
        self.relu, self.max_pool2d, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


class Step(nn.Cell):
    """One step of gradient descent with momentum, written out."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.moments = self.weights.clone("moments", "zeros")
        self.differentiated = ms.value_and_grad(self.network, None, self.weights)

    def construct(self, x, y):
        loss, gradients = self.differentiated(x, y)
        for weight, moment, gradient in zip(self.weights, self.moments, gradients, strict=True):
            moved = ops.assign(moment, MOMENTUM * moment + gradient)
            ops.assign_sub(weight, RATE * moved)
        return loss


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "compiled"])
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_the_first_loss_and_gradients(mode):
    network = LeNet5()
    loss_of = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    loss, gradients = ms.value_and_grad(loss_of, None, network.trainable_params())(Tensor(IMAGES), Tensor(CLASSES))
    assert loss.item() == pytest.approx(LOSSES[0], rel=1e-5)
    for parameter, gradient in zip(network.trainable_params(), gradients, strict=True):
        assert gradient.dtype is ms.float32
        assert_like(gradient.asnumpy(), GRADIENTS[parameter.name], parameter.name)


def test_five_steps_with_momentum(mode):
    network = LeNet5()
    step = Step(network)
    losses = [step(Tensor(IMAGES), Tensor(CLASSES)).item() for _ in LOSSES]
    assert losses == pytest.approx(LOSSES, rel=1e-5)
    for name, parameter in network.parameters_and_names():
        assert_like(parameter.asnumpy(), AFTER[name], name)


def test_compiled_and_eager_steps_are_the_same_bit_for_bit_in_float64():
    def run(mode):
        ms.set_context(mode=mode)
        try:
            network = LeNet5()
            for p in network.get_parameters():
                p.set_dtype(ms.float64)
            step = Step(network)
            losses = [step(Tensor(IMAGES.astype("float64")), Tensor(CLASSES)).item() for _ in range(3)]
            return losses, [p.asnumpy() for p in network.get_parameters()]
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    (eager, before), (compiled, after) = run(ms.PYNATIVE_MODE), run(ms.GRAPH_MODE)
    assert eager == compiled
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_the_same_network_in_the_other_dialect():
    functional = torch.nn.functional
    weights = {name: torch.tensor(w, requires_grad=True) for name, w in WEIGHTS.items()}

    def network(x):
        for name in ("conv1", "conv2"):
            x = functional.max_pool2d(functional.relu(functional.conv2d(x, weights[f"{name}.weight"])), 2)
        x = x.view(-1, 400)
        for name in ("fc1", "fc2"):
            x = functional.relu(functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"]))
        return functional.linear(x, weights["fc3.weight"], weights["fc3.bias"])

    loss = functional.cross_entropy(network(torch.tensor(IMAGES)), torch.tensor(CLASSES.astype("int64")))
    loss.backward()
    assert loss.item() == pytest.approx(LOSSES[0], rel=1e-5)
    for name, weight in weights.items():
        assert_like(weight.grad.numpy(), GRADIENTS[name], name)
