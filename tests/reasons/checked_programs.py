"""Models with a planted bug, and sound ones, for `labkit.assert_gradients`: for the PyTorch dialect and the real PyTorch.

A program takes `torch` and returns the loss, or a function that computes it, and the model.
The message about a bug has the words.
"""

import itertools
import re

BUGS: dict = {}
SOUND: dict = {}


def bug(words):
    return lambda make: BUGS.setdefault(make.__name__, (words, make))[1]


def sound(make):
    return SOUND.setdefault(make.__name__, make)


def data(torch, *shape):
    torch.manual_seed(1)
    return torch.randn(*shape)


def mlp(torch, *widths, act="Tanh"):
    torch.manual_seed(0)
    layers = [
        layer for a, b in itertools.pairwise(widths) for layer in (torch.nn.Linear(a, b), getattr(torch.nn, act)())
    ]
    return torch.nn.Sequential(*layers[:-1])


def squares(found, wanted):
    return ((found - wanted) ** 2).mean()


# ---- bugs ----


@bug("left|detach|No gradient")
def a_detached_body(torch):
    net = mlp(torch, 3, 4, 1)
    return squares(net[2](net[1](net[0](data(torch, 8, 3))).detach()), data(torch, 8, 1)), net


@bug("No gradient: 2.weight, 2.bias")
def a_layer_left_out(torch):
    net = mlp(torch, 3, 4, 4, 1)
    return squares(net[4](net[1](net[0](data(torch, 8, 3)))), 0), net


@bug("The gradient is zero")
def a_dead_relu(torch):
    net = mlp(torch, 3, 4, 1, act="ReLU")
    net[0].bias.data.fill_(-100.0)
    return squares(net(data(torch, 8, 3)), 1), net


@bug("not finite")
def a_square_root_of_zero(torch):
    net = mlp(torch, 3, 4, 2)
    out = net(data(torch, 8, 3))
    return torch.sqrt(out - out).sum() + out.sum(), net


@bug("not finite")
def a_nan_in_the_data(torch):
    net, x = mlp(torch, 3, 4, 1), data(torch, 8, 3)
    x[2, 1] = float("nan")
    return squares(net(x), 0), net


@bug("less than rounding")
def a_loss_that_is_scaled_away(torch):
    net = mlp(torch, 3, 4, 1)
    return squares(net(data(torch, 8, 3)), 1) * 1e-12, net


@bug("less than rounding|The gradient is zero")
def forty_sigmoids(torch):
    net = mlp(torch, 3, *[4] * 40, 1, act="Sigmoid")
    return squares(net(data(torch, 8, 3)), 1), net


@bug("8 × 8 pairs")
def a_column_and_a_row(torch):
    net = mlp(torch, 3, 4, 1)
    return squares(net(data(torch, 8, 3)), data(torch, 8)), net


@bug("8 × 8 pairs")
def a_loss_function_of_a_column_and_a_row(torch):
    net = mlp(torch, 3, 4, 1)
    return torch.nn.functional.mse_loss(net(data(torch, 8, 3)), data(torch, 8)), net


@bug("a second time")
def a_hidden_state_that_is_kept(torch):
    net, state = torch.nn.Linear(4, 4), torch.zeros(2, 4)
    for step in range(2):
        state = torch.tanh(net(state + 1))
        loss = (state**2).sum()
        if step == 0:
            loss.backward()
    return loss, net


@bug("changed in place")
def written_to_in_place(torch):
    net = mlp(torch, 3, 4, 1)
    hidden = torch.sigmoid(net[0](data(torch, 8, 3)))
    kept = hidden * 2
    hidden += 1
    return squares(net[2](hidden + kept), 0), net


@bug("The gradient is zero|less than rounding")
def a_softmax_over_one_score(torch):
    net = mlp(torch, 3, 4, 1)
    return squares(torch.softmax(net(data(torch, 8, 3)), 1), 0), net


@bug("in place after the forward pass")
def a_step_in_between(torch):
    net = mlp(torch, 3, 4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    first, second = (squares(net(data(torch, 8, 3)), target) for target in (0, 1))
    first.backward()
    optimizer.step()
    return second, net


@bug("nothing to train")
def all_frozen(torch):
    net = mlp(torch, 3, 4, 1)
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    return lambda: squares(net(data(torch, 8, 3)), 0), net


@bug("shape \\[8, 1\\]")
def a_loss_that_is_no_scalar(torch):
    net = mlp(torch, 3, 4, 1)
    return (net(data(torch, 8, 3)) - 1) ** 2, net


# ---- sound models ----


@sound
def a_perceptron(torch):
    net = mlp(torch, 3, 16, 16, 1)
    return squares(net(data(torch, 8, 3)), data(torch, 8, 1)), net


@sound
def a_classifier(torch):
    net = mlp(torch, 3, 16, 4, act="ReLU")
    return torch.nn.functional.cross_entropy(net(data(torch, 8, 3)), torch.tensor([0, 1, 2, 3] * 2)), net


@sound
def a_convolution_with_a_bias_before_a_batch_norm(torch):
    torch.manual_seed(0)
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
    return torch.nn.functional.cross_entropy(net(data(torch, 6, 1, 8, 8)), torch.tensor([0, 1, 2] * 2)), net


@sound
def attention_with_a_bias_of_keys(torch):
    torch.manual_seed(0)
    nn, x = torch.nn, data(torch, 2, 5, 4)
    net = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    query, key, value = (layer(x) for layer in net)
    return squares(torch.softmax(query @ key.transpose(1, 2) / 2, -1) @ value, x), net


@sound
def dropout_and_a_layer_norm(torch):
    torch.manual_seed(0)
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 16), nn.LayerNorm(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1))
    return squares(net(data(torch, 8, 3)), 1), net


@sound
def an_embedding_with_unused_words(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Embedding(50, 4), torch.nn.Flatten(), torch.nn.Linear(8, 2))
    return torch.nn.functional.cross_entropy(net(torch.tensor([[1, 2], [3, 4]])), torch.tensor([0, 1])), net


@sound
def a_state_that_is_detached(torch):
    net, state = torch.nn.Linear(4, 4), torch.zeros(2, 4)
    for step in range(3):
        state = torch.tanh(net(state.detach() + 1))
        loss = (state**2).sum()
        if step < 2:
            loss.backward()
    return loss, net


@sound
def a_frozen_body(torch):
    net = mlp(torch, 3, 4, 1)
    net[0].requires_grad_(False)
    return squares(net(data(torch, 8, 3)), 1), net


@sound
def tied_weights(torch):
    net = mlp(torch, 4, 4, 4)
    net[2].weight = net[0].weight
    return squares(net(data(torch, 8, 4)), 1), net


@sound
def a_residual_stack(torch):
    torch.manual_seed(0)
    net = torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(20)])
    x = data(torch, 4, 8)
    for layer in net:
        x = x + torch.relu(layer(x)) / 4
    return squares(x, 1), net


@sound
def distances_of_all_pairs(torch):
    net = mlp(torch, 3, 4, 1)
    out = net(data(torch, 8, 3))
    return torch.exp(-((out - out.transpose(0, 1)) ** 2)).mean() + out.sum(), net


@sound
def a_function_that_computes_the_loss(torch):
    net, x = mlp(torch, 3, 4, 1), data(torch, 8, 3)
    return lambda: squares(net(x), 1), net


@sound
def two_losses_on_one_trunk_with_retain_graph(torch):
    net = mlp(torch, 3, 4, 2)
    out = net(data(torch, 8, 3))
    out[:, 0].mean().backward(retain_graph=True)
    return squares(out, 1), net


@sound
def a_function_of_its_own(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g

    net = mlp(torch, 3, 4, 1)
    return squares(Cube.apply(net(data(torch, 8, 3))), 1), net


def wrong(labkit, torch):
    """What `assert_gradients` does that it should not, with these programs."""
    found = []
    for name, (words, make) in BUGS.items():
        loss, net = make(torch)
        try:
            labkit.assert_gradients(loss, net)
            found.append(f"{name}: silent")
        except AssertionError as error:
            if not re.search(words, " ".join(str(error).split())):
                found.append(f"{name}: {error}")
    for name, make in SOUND.items():
        loss, net = make(torch)
        before = [None if p.grad is None else p.grad.clone() for p in net.parameters()]
        state = [torch.get_rng_state(), *(b.clone() for b in net.buffers())]
        try:
            labkit.assert_gradients(loss, net)
            labkit.assert_gradients(loss, net)
        except AssertionError as error:
            found.append(f"{name}: {error}")
            continue
        after = [torch.get_rng_state(), *net.buffers()]
        same = all(g is p.grad or torch.equal(g, p.grad) for g, p in zip(before, net.parameters(), strict=True))
        if not same or not all(map(torch.equal, state, after)):
            found.append(f"{name}: something has changed")
        if not callable(loss) or hasattr(loss, "backward"):
            loss.backward()
    return found
