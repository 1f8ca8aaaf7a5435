"""Optimizers: their formulas, their state, groups, learning rates; figures measured with the real framework."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor, nn, ops


def parameter(values, name="p", dtype=ms.float32):
    return Parameter(Tensor(values, dtype), name=name)


def on_squares(make, steps=3, dtype=ms.float32):
    """The parameter after each step on sum(p**2), from [1, 2]."""
    p = parameter([1.0, 2.0], dtype=dtype)
    optimizer, seen = make([p]), []
    for _ in range(steps):
        optimizer((Tensor(2 * p.asnumpy()),))
        seen.append(p.asnumpy().tolist())
    return seen


MEASURED = [
    (lambda p: nn.SGD(p, 0.1), [[0.8, 1.6], [0.64, 1.28], [0.512, 1.024]]),
    (lambda p: nn.SGD(p, 0.1, momentum=0.9), [[0.8, 1.6], [0.46, 0.92], [0.062, 0.124]]),
    (lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True),
     [[0.62, 1.24], [0.2224, 0.4448], [-0.10835198, -0.21670395]]),
    (lambda p: nn.SGD(p, 0.1, momentum=0.9, dampening=0.1), [[0.8, 1.6], [0.476, 0.952], [0.09872, 0.19744]]),
    (lambda p: nn.SGD(p, 0.1, weight_decay=0.01), [[0.799, 1.598], [0.638401, 1.276802], [0.51008242, 1.02016485]]),
    (lambda p: nn.SGD(p, 0.1, loss_scale=2.0), [[0.9, 1.8], [0.81, 1.62], [0.729, 1.458]]),
    (lambda p: nn.Momentum(p, 0.1, 0.9), [[0.8, 1.6], [0.46, 0.92], [0.062, 0.124]]),
    (lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.01),
     [[0.799, 1.598], [0.457501, 0.915002], [0.05819422, 0.11638844]]),
    (lambda p: nn.Momentum(p, 0.1, 0.9, loss_scale=2.0), [[0.9, 1.8], [0.72, 1.44], [0.486, 0.972]]),
    (lambda p: nn.Adam(p, 0.1), [[0.9, 1.9], [0.8004126, 1.80016685], [0.70158732, 1.70062447]]),
    (lambda p: nn.Adam(p, 0.1, use_amsgrad=True), [[0.9, 1.9], [0.8004126, 1.80016685], [0.70158732, 1.70062447]]),
    (lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.01),
     [[0.68277514, 1.68177259], [0.26859695, 1.25861788], [-0.1636904, 0.77817613]]),
]  # fmt: skip


@pytest.mark.parametrize("make, expected", MEASURED)
def test_the_first_steps_are_those_of_the_real_framework(make, expected):
    np.testing.assert_allclose(on_squares(make), expected, rtol=2e-6, atol=1e-7)


def test_momentum_with_nesterov_follows_the_documented_formula():
    nesterov = on_squares(lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True))
    np.testing.assert_array_equal(nesterov, on_squares(lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True)))


def test_an_optimizer_returns_a_true_per_parameter_and_counts_its_steps():
    p = parameter([1.0, 2.0])
    optimizer = nn.Momentum([p], 0.1, 0.9)
    assert optimizer((Tensor([1.0, 1.0]),)) == (True,)
    assert optimizer.global_step.asnumpy() == [1]


@pytest.mark.parametrize(
    "make, names",
    [
        (lambda p: nn.Momentum(p, 0.1, 0.9), ["global_step", "learning_rate", "p", "momentum", "moments.p"]),
        (lambda p: nn.SGD(p), ["global_step", "learning_rate", "p", "momentum", "accum.p", "stat.p"]),
        (lambda p: nn.Adam(p),
         ["global_step", "learning_rate", "p", "beta1_power", "beta2_power", "moment1.p", "moment2.p"]),
    ],
)  # fmt: skip
def test_all_state_is_in_parameters(make, names):
    assert [q.name for q in make([parameter([1.0])]).get_parameters()] == names


def test_adam_keeps_the_powers_and_moments_of_the_real_one():
    p = parameter([1.0])
    optimizer = nn.Adam([p], 0.1)
    optimizer((Tensor([2.0]),))
    state = {q.name: float(q.asnumpy().ravel()[0]) for q in optimizer.get_parameters()}
    assert state["beta1_power"] == np.float32(0.9) and state["moment1.p"] == pytest.approx(0.2, rel=1e-6)
    assert state["moment2.p"] == pytest.approx(0.004, rel=2e-5)


@pytest.mark.parametrize("name, after", [("fc.weight", 0.95), ("fc.bias", 0.95), ("bn.gamma", 1.0), ("bn.beta", 1.0)])
def test_weight_decay_spares_beta_and_gamma(name, after):
    p = parameter([1.0], name)
    nn.Momentum([p], 0.1, 0.0, weight_decay=0.5)((Tensor([0.0]),))
    assert p.asnumpy() == np.float32(after)


def test_in_a_group_weight_decay_spares_nothing():
    p = parameter([1.0], "bn.gamma")
    nn.SGD([{"params": [p]}], 0.1, weight_decay=0.5)((Tensor([0.0]),))
    assert p.asnumpy() == np.float32(0.95)


def test_weight_decay_is_not_divided_by_the_loss_scale():
    decayed = [parameter([1.0]), parameter([1.0])]
    nn.SGD([decayed[0]], 0.1, weight_decay=0.5)((Tensor([3.0]),))
    nn.SGD([decayed[1]], 0.1, weight_decay=0.5, loss_scale=1024.0)((Tensor([3.0 * 1024]),))
    np.testing.assert_allclose(decayed[0].asnumpy(), decayed[1].asnumpy(), rtol=1e-6)


# ---- learning rates and groups ----


def after_steps(optimizer, parameters, steps=3):
    for _ in range(steps):
        optimizer(tuple(Tensor(np.ones(p.shape, np.float32)) for p in parameters))
    return [p.asnumpy().tolist() for p in parameters]


def test_each_group_has_its_learning_rate():
    q, r = parameter([1.0], "q"), parameter([1.0], "r")
    optimizer = nn.SGD([{"params": [q], "lr": 0.01}, {"params": [r]}], 0.1)
    np.testing.assert_allclose(after_steps(optimizer, [q, r], 1), [[0.99], [0.9]], rtol=1e-6)
    assert [p.name for p in optimizer.learning_rate] == ["learning_rate_group_0", "learning_rate"]


def test_groups_are_put_in_the_order_asked_for():
    q, r = parameter([1.0], "q"), parameter([1.0], "r")
    optimizer = nn.SGD([{"params": [r], "lr": 0.5}, {"params": [q]}, {"order_params": [q, r]}], 0.1)
    assert [p.name for p in optimizer.parameters] == ["q", "r"]
    np.testing.assert_allclose(after_steps(optimizer, [q, r], 1), [[0.9], [0.5]], rtol=1e-6)


def test_a_list_of_learning_rates_gives_one_per_step_and_ends():
    p = parameter([1.0])
    optimizer = nn.SGD([p], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(after_steps(optimizer, [p]), [[0.4]], rtol=1e-6)
    with pytest.raises(RuntimeError, match=r"should be in the range \[0, 3\), but got 3"):
        optimizer((Tensor([1.0]),))
    assert p.asnumpy() == np.float32(0.39999998)


def test_a_schedule_is_asked_at_every_step():
    p = parameter([1.0])
    optimizer = nn.SGD([p], nn.ExponentialDecayLR(0.1, 0.5, 1))
    np.testing.assert_allclose(after_steps(optimizer, [p]), [[1 - 0.1 - 0.05 - 0.025]], rtol=1e-6)


def test_a_group_may_have_a_schedule_and_the_other_a_number():
    q, r = parameter([1.0], "q"), parameter([1.0], "r")
    optimizer = nn.SGD([{"params": [q], "lr": nn.ExponentialDecayLR(0.1, 0.5, 1)}, {"params": [r]}], 0.1)
    np.testing.assert_allclose(after_steps(optimizer, [q, r], 2), [[0.85], [0.8]], rtol=1e-6)
    assert str(optimizer).splitlines()[3] == "    (1): _ConvertToCell()"


SCHEDULES = [
    (nn.ExponentialDecayLR(0.1, 0.9, 4), [0.1, 0.09740037, 0.09486832, 0.09240211, 0.09, 0.08766034]),
    (nn.ExponentialDecayLR(0.1, 0.9, 4, True), [0.1, 0.1, 0.1, 0.1, 0.09, 0.09]),
    (nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5), [0.1, 0.0879423, 0.0736396, 0.055, 0.01, 0.01]),
    (nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, True), [0.1, 0.0879423, 0.0736396, 0.055, 0.01, 0.0651135]),
]


@pytest.mark.parametrize("schedule, expected", SCHEDULES)
def test_schedules(schedule, expected):
    found = [float(schedule(Tensor(step, ms.int32)).asnumpy()) for step in range(6)]
    np.testing.assert_allclose(found, expected, rtol=2e-6)


class Growing(nn.Cell):
    def construct(self, step):
        return (0.1 * (step + 1).astype(ms.float32)).reshape(())


def test_weight_decay_may_depend_on_the_step(mode):
    p = parameter([1.0])
    optimizer = nn.Momentum([p], 0.5, 0.0, weight_decay=Growing(), loss_scale=2.0)
    for _ in range(2):
        optimizer((Tensor([0.0]),))
    np.testing.assert_allclose(p.asnumpy(), [(1 - 0.05) * (1 - 0.1)], rtol=1e-6)


def test_the_learning_rate_can_be_changed_by_hand(mode):
    p = parameter([1.0])
    optimizer = nn.SGD([p], 0.1)
    optimizer((Tensor([1.0]),))
    optimizer.learning_rate.set_data(Tensor(0.5))
    optimizer((Tensor([1.0]),))
    np.testing.assert_allclose(p.asnumpy(), [0.4], rtol=1e-6)


def test_a_training_step_as_a_function_is_one_program():
    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    optimizer, loss_fn = nn.Adam(net.trainable_params(), nn.PolynomialDecayLR(0.1, 0.001, 10, 1.0)), nn.MSELoss()
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
        return loss

    losses = [float(step(Tensor([[1.0, 2.0]]), Tensor([[0.0]]))) for _ in range(5)]
    assert losses == sorted(losses, reverse=True) and step.cache_info() == (4, 1, 1)
    assert optimizer.global_step.asnumpy() == [5]


# ---- errors ----

P = parameter([1.0, 2.0])
ERRORS = [
    (lambda: nn.Momentum([], 0.1, 0.9), ValueError, "the argument parameters must not be empty."),
    (lambda: nn.Momentum(None, 0.1, 0.9), ValueError, "the argument parameters can not be None."),
    (lambda: nn.Momentum(P, 0.1, 0.9), TypeError, "all elements of the argument 'parameters' must be 'Parameter' or"),
    (lambda: nn.Momentum([1], 0.1, 0.9), TypeError, "all elements of the argument 'parameters' must be 'Parameter' or"),
    (lambda: nn.Momentum([P, P], 0.1, 0.9), ValueError, "its name 'moments.p' already exists"),
    (lambda: nn.Momentum([P], -0.1, 0.9), ValueError, "'learning rate' must be float and must >= 0, but got '-0.1'"),
    (lambda: nn.Momentum([P], 0.1, -1.0), ValueError, "'momentum' must be at least 0.0, but got -1.0"),
    (lambda: nn.Momentum([P], 0.1, 1), TypeError, "the type of 'momentum' should be 'float', but got type 'int'"),
    (lambda: nn.Momentum([P], "a", 0.9), ValueError, "could not convert string to float: 'a'"),
    (lambda: nn.Momentum([P], 0.1, 0.9, loss_scale=0.0), ValueError, "'loss_scale' must be float and must > 0"),
    (lambda: nn.SGD([P], 0.1, nesterov=True), ValueError, "if 'nesterov' is true, 'momentum' must be > 0.0"),
    (lambda: nn.SGD([P], None), TypeError, "'learning_rate' must be int, float, Tensor, Iterable or"),
    (lambda: nn.SGD([{"params": [P], "foo": 1}], 0.1), KeyError, "the key in group params must be one of in"),
    (lambda: nn.SGD([{"params": [P]}, {"params": [P]}], 0.1), RuntimeError, "the p parameter already exists"),
    (lambda: nn.Adam([P], 0.1, beta1=1.5), ValueError, r"'beta1' must be in range of \(0.0, 1.0\), but got 1.5"),
    (lambda: nn.Momentum([P], 0.1, 0.9)([Tensor([1.0, 1.0])]), RuntimeError, "types of arguments in HyperMap must be"),
    (lambda: nn.Momentum([P], 0.1, 0.9)(Tensor([1.0, 1.0])), TypeError, "expected a tuple of gradients"),
    (lambda: nn.Momentum([P], 0.1, 0.9)(()), RuntimeError, "tuples in HyperMap should have the same length"),
    (lambda: nn.Momentum([P], 0.1, 0.9)((Tensor([1.0, 1.0, 1.0]),)), ValueError, "the gradient_shape must be equal"),
    (lambda: nn.ExponentialDecayLR(0.1, 0.9, 0), ValueError, "'decay_steps' must be int and must > 0, but got '0'"),
    (lambda: nn.piecewise_constant_lr([5, 2], [0.1, 0.2]), ValueError, r"milestone\[1\] must be greater than"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, message", ERRORS)
def test_errors_are_those_of_the_real_framework(call, kind, message):
    before = P.asnumpy().copy()
    with pytest.raises(kind, match=message):
        call()
    np.testing.assert_array_equal(P.asnumpy(), before)


# ---- precision ----


def test_two_byte_parameters_step_in_float32():
    p = parameter([1.0], dtype=ms.float16)
    nn.Adam([p], 0.1)((Tensor([0.0], ms.float16),))
    assert p.asnumpy() == 1.0, "1e-8 is 0 in float16: computed there, this would be 0 / 0"
    assert p.dtype is ms.float16


# ---- one's own optimizer ----


class MyMomentum(nn.Optimizer):
    def __init__(self, params, learning_rate, momentum=0.9):
        super().__init__(learning_rate, params)
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.momentum = momentum
        self.opt = ops.ApplyMomentum()

    def construct(self, gradients):
        lr = self.get_lr()
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        success = None
        for param, mom, grad in zip(self.parameters, self.moments, gradients, strict=True):
            success = self.opt(param, mom, lr, grad, self.momentum)
        return success


def test_an_optimizer_of_ones_own(mode):
    np.testing.assert_allclose(
        on_squares(lambda p: MyMomentum(p, 0.1)), [[0.8, 1.6], [0.46, 0.92], [0.062, 0.124]], rtol=1e-5
    )


descent = ops.MultitypeFuncGraph("descent")


@descent.register("Tensor", "Tensor", "Tensor")
def _descent(rate, p, g):
    return ops.assign_sub(p, rate * g)


class Mapped(nn.Optimizer):
    def construct(self, gradients):
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return self.hyper_map(ops.partial(descent, self.get_lr()), self.parameters, self.scale_grad(gradients))


def test_an_optimizer_that_maps_a_function_over_its_parameters(mode):
    np.testing.assert_allclose(on_squares(lambda p: Mapped(0.1, p))[-1], [0.512, 1.024], rtol=1e-6)


# ---- compiled ----

ALL = [make for make, _ in MEASURED] + [
    lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True),
    lambda p: nn.Adam(p, 0.1, use_nesterov=True, weight_decay=0.1, loss_scale=4.0),
    lambda p: nn.SGD(
        [{"params": p, "lr": nn.PolynomialDecayLR(0.1, 0.01, 50, 2.0), "weight_decay": 0.1}], 0.1, momentum=0.5
    ),
    lambda p: nn.AdamWeightDecay(p, nn.piecewise_constant_lr([50, 100], [0.1, 0.01]), weight_decay=0.1),
]


def trained(make, steps=100):
    p = parameter([1.0, 2.0, -0.5], dtype=ms.float64)
    optimizer = make([p])

    class Net(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.p = p

        def construct(self, x):
            return (ops.sin(self.p * x) ** 2 + 0.1 * self.p**2).sum()

    step, losses = nn.TrainOneStepCell(Net(), optimizer), []
    for i in range(steps):
        losses.append(step(Tensor(np.array([1.0, 0.5, 2.0]) + 0.01 * i)).asnumpy())
    return [np.array(losses), *[q.asnumpy() for q in optimizer.get_parameters()]]


@pytest.mark.parametrize("make", ALL)
def test_a_hundred_compiled_steps_are_a_hundred_eager_ones_bit_for_bit(make, graph_mode):
    compiled = trained(make)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    eager = trained(make)
    for one, other in zip(eager, compiled, strict=True):
        np.testing.assert_array_equal(one, other)


TO_THE_BIT = [  # five steps along sin(0 + k), sin(1 + k), ... of eight numbers, as the real framework leaves them
    (
        lambda p: nn.Adam(p, 0.1),
        [-1.2638623, -1.0175438, -0.5420268, 0.0053833164, 0.4652468, 0.5749435, 0.59135944, 0.6607559],
    ),
    (
        lambda p: nn.Adam(p, 0.1, use_nesterov=True),
        [-1.3370392, -1.0889076, -0.5552219, 0.0011952545, 0.547389, 0.5949111, 0.5859959, 0.56702083],
    ),
    (
        lambda p: nn.Adam(p, 0.1, use_amsgrad=True),
        [-1.2638623, -1.0175438, -0.5420268, 0.0053833164, 0.4652468, 0.5749435, 0.5913594, 0.6607559],
    ),
]


@pytest.mark.parametrize("make, expected", TO_THE_BIT)
def test_parameters_equal_the_real_ones_to_the_last_bit(make, expected):
    p = parameter(np.linspace(-1, 1, 8))
    optimizer = make([p])
    for k in range(5):
        optimizer((Tensor(np.sin(np.arange(8) + k), ms.float32),))
    assert p.asnumpy().tolist() == np.float32(expected).tolist()


def test_gradients_are_centred_where_the_second_axis_is_a_multiple_of_16():
    for width, left in ((16, 0.0), (4, 1.0)):
        p = Parameter(Tensor(np.zeros((1, width)), ms.float32), name="p")
        nn.SGD([{"params": [p], "grad_centralization": True}], 1.0)((ms.ops.ones((1, width)),))
        assert np.allclose(p.asnumpy(), -left)
