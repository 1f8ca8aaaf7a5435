"""# Three optimizers by hand (3 points)

The parameter `p` starts at 1.0. The learning rate is 0.1, and the gradient is the same at every step. Answer with a list of six
numbers.

0. `p` after two steps of `SGD`, gradient 2
1. `p` after two steps of `Momentum` (0.9), gradient 2
2. the velocity that `Momentum` stores after these two steps
3. `p` after one step of `Adam`, gradient 2
4. `p` after one step of `SGD`, gradient 2000
5. `p` after one step of `Adam`, gradient 2000
"""

from labkit.classroom.writing import either, judged, same, wrong
from labkit.mindspore import Parameter, Tensor, nn

answer = [0.6, 0.42, 3.8, 0.9, -199, 0.9]
rules = (
    "Each step of SGD subtracts the rate times the gradient. There are two of them.",
    "Momentum adds the new gradient to 0.9 times its velocity, and steps with the sum.",
    "The velocity is 0.9 times the old velocity plus the gradient, and it starts at 0.",
    "Adam divides by the size of the gradient: its first step has the size of the learning rate.",
    "SGD's step has no limit.",
    "Adam divides by the size of the gradient: its first step has the size of the learning rate.",
)
hints = (
    "SGD: p - rate * g. Momentum: v = 0.9 * v + g, then p - rate * v, with v = 0 before the first step.",
    "For item 1: v is 2 after the first step, and 0.9 * 2 + 2 after the second.",
    "Adam's first step is the learning rate, for a gradient of 2 as for one of 2000. SGD's step has no limit.",
)


def _stepped(make, gradient, steps):
    """The parameter that starts at 1 after some steps with the same gradient, and the optimizer."""
    p = Parameter(Tensor([1.0]), name="p")
    optimizer = make([p])
    for _ in range(steps):
        optimizer((Tensor([gradient]),))
    return float(p.asnumpy()[0]), optimizer


def reference():
    sgd, adam = (lambda p: nn.SGD(p, 0.1)), (lambda p: nn.Adam(p, 0.1))
    momentum, optimizer = _stepped(lambda p: nn.Momentum(p, 0.1, 0.9), 2.0, 2)
    return [
        _stepped(sgd, 2.0, 2)[0],
        momentum,
        float(optimizer.moments[0].asnumpy()[0]),
        _stepped(adam, 2.0, 1)[0],
        _stepped(sgd, 2000.0, 1)[0],
        _stepped(adam, 2000.0, 1)[0],
    ]


momentum_like_sgd = wrong(
    "That is SGD. Momentum keeps its velocity: at the second step it adds 0.9 times the first one to the gradient.",
    {1: 0.6},
)

momentum_as_a_mean = wrong(
    "You took a running mean. This Momentum has no factor of 0.1 before the gradient: v = 0.9 * v + g.",
    {1: 0.942, 2: 0.38},
    together=True,
)

velocity_scaled = wrong(
    "The velocity is 0.9 * v + g: it contains neither the rate nor a factor of 0.1. The rate is a factor of the step.",
    {2: either(0.38, lambda expected, got: same(0.38 / 10, got))},
)

nothing_fades = wrong(
    "You added both gradients in full. The old velocity has the factor 0.9: 0.9 * 2 + 2.", {1: 0.4, 2: 4.0}
)

adam_like_sgd = wrong(
    "Adam divides the mean of the gradients by their typical size. At the first step that is g / |g|, so p moves "
    "by the learning rate.",
    {3: 0.8},
)

bias_correction_forgotten = wrong(
    "You left out the bias correction. m and v start at 0, and Adam divides by 1 - beta**t to make up for it.",
    {
        i: lambda expected, got: any(same(1 - 0.1 * step, got) for step in (0.1 / 0.001**0.5, 1 / 0.001**0.5, 0.1))
        for i in (3, 5)
    },
    answer={3: 0.683772, 5: 0.683772},
)

adam_follows_the_size = wrong(
    "A gradient 1000 times as large makes m and the root of v 1000 times as large. Their ratio does not change.",
    {5: either(-199, -99)},
)

upwards = judged("uphill", [1.4, 1.58, 3.8, 1.1, 201, 1.1])

one_step = wrong(
    "The item asks for two steps. You took one.",
    {0: 0.8, 1: 0.8, 2: 2.0},
    together=True,
)

one_step_of_sgd = wrong("SGD takes two steps here, and each of them takes off 0.2.", {0: 0.8})


two_sgd_steps = wrong("Item 4 asks for one step of SGD. You took two.", {4: -399})


sgd_has_a_limit = wrong(
    "SGD multiplies the gradient by the rate, however large it is.",
    {4: either(0.9, 0.8)},
)

uphill = wrong(
    "A step goes against the gradient: p gets smaller.",
    {0: 1.4, 1: 1.58, 3: 1.1, 4: 201, 5: 1.1},
)

factor_of_sgd = wrong("The gradient is 2 at every step, so each step of SGD subtracts 0.1 * 2.", {0: 0.64})

gradient_not_added = wrong(
    "At the second step Momentum adds the new gradient to the old velocity: 0.9 * 2 + 2.",
    {1: either(0.62, 0.8), 2: 1.8},
)

rate_forgotten = wrong(
    "You left out the rate: each step is multiplied by 0.1.",
    {0: -3, 1: -4.8, 3: either(0, -1), 4: -1999, 5: either(0, -1)},
)

velocity_of_one_step = wrong(
    "The item asks for the velocity after two steps. This is the velocity after the first.", {2: 2}
)

two_adam_steps = wrong("Items 3 and 5 ask for one step of Adam. You took two.", {3: 0.8, 5: 0.8}, together=True)

no_step_for_large = wrong(
    "The first step of Adam has the size of the rate, 0.1, for large and small gradients alike.",
    {5: either(1, 0.9999)},
)

nesterov = wrong("These are steps of Nesterov's momentum. nn.Momentum has it only with use_nesterov=True.", {1: 0.078})

change_for_p = wrong(
    "You gave the change of p. p starts at 1.0: add it to that.", {0: -0.4, 1: -0.58, 3: -0.1, 4: -200, 5: -0.1}
)

gradient_fades = wrong(
    "The old velocity counts 0.9 times, and the new gradient counts in full: v = 0.9 * v + g.",
    {1: either(0.46, 0.478, 0.458), 2: either(3.6, 3.42)},
)

power_of_ten = wrong("0.1 times 2000 is 200.", {4: either(-19, -1.0)})
