"""Programs whose gradient is None, zero, nan or small, each with the cause, for the PyTorch dialect and for the real PyTorch.

A program takes `torch` and returns a function without arguments and the tensor that is asked about; the line to be named ends
with `# here`. The causes are alternatives, `a|b`, each found in `cause` or equal to `what`.
"""

import copy
import inspect
import math

import numpy as np

PROGRAMS: dict = {}


def program(cause):
    def enter(make):
        PROGRAMS[make.__name__] = cause, make
        return make

    return enter


def line_of(make):
    """The line of the program that the answer should name, or None."""
    lines, start = inspect.getsourcelines(make)
    return next((start + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")), None)


def leaf(torch, *shape):
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    return torch.tensor(array, requires_grad=True)


def data(torch, *shape):
    return torch.tensor(np.random.default_rng(1).normal(size=shape).astype(np.float32))


# ---- the ten causes, two programs each ----


@program("detached")
def data_in_a_loop(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    def loss():
        total = torch.zeros(3)
        for i in range(3):
            total = total + (w * i).data  # here
        return (total * u).sum()

    return loss, w


@program("integer")
def accuracy(torch):
    w, x, b = leaf(torch, 3, 2), data(torch, 6, 3), leaf(torch, 1)
    y = torch.tensor([0, 1, 0, 1, 0, 1])

    def loss():
        guessed = (x @ w).max(1).indices  # here
        return ((guessed == y).float() * b).mean()

    return loss, w


@program("integer")
def cut_to_whole_numbers(torch):
    w, b = leaf(torch, 4), leaf(torch, 4)

    def loss():
        levels = (w * 8).long()  # here
        return (levels * b).sum()

    return loss, w


@program("overwritten")
def what_a_derivative_needs(torch):
    w, x = leaf(torch, 3, 3), data(torch, 2, 3)

    def loss():
        h = torch.sigmoid(x @ w)
        out = (h * h).sum()
        h.mul_(2)  # here
        return out + h.sum()

    return loss, w


@program("overwritten")
def a_result_before_it_is_used(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    def loss():
        y = w * 2
        y[:] = 1.5  # here
        return (y * u).sum()

    return loss, w


@program("dead relu")
def only_negative_inputs(torch):
    w = torch.tensor([-1.0, -2.0], requires_grad=True)

    def loss():
        h = torch.relu(w * 3)  # here
        return (h + 1).log().sum()

    return loss, w


@program("saturated sigmoid")
def sigmoid_of_large_numbers(torch):
    w, x = leaf(torch, 3), data(torch, 4, 3).abs() + 1

    def loss():
        z = x @ (w.abs() + 100)
        return torch.sigmoid(z).sum()  # here

    return loss, w


@program("saturated sigmoid")
def sigmoid_nearly_flat(torch):
    w = torch.tensor([7.0, 8.0], requires_grad=True)

    def loss():
        p = w.sigmoid()  # here
        return (p * 3).mean()

    return loss, w


def _clipped(torch, clip):
    w, x = leaf(torch, 3), data(torch, 4, 3)
    value = torch.tanh(x @ w).sum()
    value.backward(retain_graph=True)
    clip(w)
    return lambda: value, w


@program("clipped to nothing|not this gradient")
def the_norm_clipped(torch):
    return _clipped(torch, lambda w: torch.nn.utils.clip_grad_norm_([w], 1e-9))  # here


@program("lost in float16")
def two_small_factors(torch):
    w = leaf(torch, 3)

    def loss():
        h = w.to(torch.float16)
        return (h * h).sum() * 1e-4 * 1e-5  # here

    return loss, w


@program("never used")
def another_network(torch):
    net, x = torch.nn.Linear(2, 1), data(torch, 4, 2)
    other = copy.deepcopy(net)
    return lambda: net(x).sum(), other.weight


@program("requires_grad off")
def never_asked_for(torch):
    w, u = torch.tensor([1.0, 2.0]), leaf(torch, 2)
    return lambda: (w * u).sum(), w


@program("read before backward")
def not_yet_walked(torch):
    w = leaf(torch, 3)
    return lambda: (w * w).sum(), w


# ---- others ----


@program("no_grad")
def a_decorator(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    @torch.no_grad()
    def normed(v):
        return v / v.norm()  # here

    return lambda: (normed(w) * u).sum(), w


@program("numpy")
def through_numpy(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    def loss():
        y = np.exp((w * 2).detach().numpy())  # here
        return (torch.as_tensor(y) * u).sum()

    return loss, w


@program("left as a number")
def through_a_number(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    def loss():
        scale = math.sqrt(w.pow(2).sum().item())  # here
        return (u / scale).sum()

    return loss, w


@program("detached")
def a_parameter_made_of_it(torch):
    w = leaf(torch, 3)

    def loss():
        p = torch.nn.Parameter(w * 2)  # here
        return (p**2).sum()

    return loss, w


@program("flat round")
def rounded(torch):
    w = leaf(torch, 4)

    def loss():
        q = torch.round(w * 8) / 8  # here
        return (q**2).sum()

    return loss, w


@program("dead clamp")
def out_of_range(torch):
    w = torch.tensor([5.0, 7.0], requires_grad=True)

    def loss():
        p = w.clamp(0, 1)  # here
        return ((p - 0.3) ** 2).sum()

    return loss, w


@program("not chosen")
def the_other_branch(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    def loss():
        out = torch.where(u.abs() >= 0, u * 2, w * 3)  # here
        return out.sum()

    return loss, w


@program("not chosen")
def the_other_row(torch):
    a, b = leaf(torch, 3), leaf(torch, 3)

    def loss():
        both = torch.stack([a, b])
        return both[0].sum()  # here

    return loss, b


@program("overwritten")
def an_element_of_a_buffer(torch):
    w, u = leaf(torch, 3), leaf(torch, 3)

    def loss():
        out = torch.zeros(3)
        out[0] = w[0] * 2
        out[0] = 7.0  # here
        return (out * u).sum()

    return loss, w


@program("saturated tanh")
def another_squashing_function(torch):
    w = torch.tensor([50.0, -60.0], requires_grad=True)

    def loss():
        return torch.tanh(w).mean()  # here

    return loss, w


@program("multiplied by zero")
def zeros_come_in(torch):
    w, x = leaf(torch, 3), torch.zeros(3)

    def loss():
        return (w * x).sum()  # here

    return loss, w


@program("cancelled")
def it_cancels_out(torch):
    w = leaf(torch, 3)

    def loss():
        a = w * 2
        return (a - a).sum()  # here

    return loss, w


@program("inf from sqrt")
def the_norm_of_zeros(torch):
    w = torch.zeros(3, requires_grad=True)

    def loss():
        return torch.sqrt((w**2).sum())  # here

    return loss, w


@program("nan from log")
def masked_too_late(torch):
    w = torch.tensor([0.0, 1.0], requires_grad=True)

    def loss():
        logs = torch.log(w)  # here
        return torch.where(w > 0, logs * w, torch.zeros(2)).sum()

    return loss, w


@program("not a leaf")
def a_scaled_start(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True) * 0.1
    return lambda: (w**2).sum(), w


@program("shrinks at sigmoid")
def twelve_sigmoids(torch):
    weights, x = [leaf(torch, 4, 4) for _ in range(12)], data(torch, 2, 4)

    def loss():
        h = x
        for w in weights:
            h = torch.sigmoid(h @ w)  # here
        return h.sum()

    return loss, weights[0]


@program("zeros from")
def a_rule_of_ones_own(torch):
    w = leaf(torch, 3)

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return (x > 0).float()

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 0

    def loss():
        return Step.apply(w * 2).sum()  # here

    return loss, w


@program("cancelled")
def a_bias_before_a_normalisation(torch):
    net, x = (
        torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1)),
        data(torch, 6, 3),
    )

    def loss():
        return (net(x) ** 2).mean()  # here

    return loss, net[0].bias


@program("saturated log_softmax")
def surer_than_a_float_can_say(torch):
    w = torch.tensor([[200.0, 0.0, 0.0]], requires_grad=True)

    def loss():
        return torch.nn.functional.cross_entropy(w, torch.tensor([0]))  # here

    return loss, w


@program("overwritten")
def a_view_of_all_of_it(torch):
    w = leaf(torch, 4)

    def loss():
        doubled = w * 2
        seen = doubled[:4]
        seen.zero_()  # here
        return (doubled * 3).sum()

    return loss, w


def told(why, torch, name, form):
    """What is wrong with the answer about a program, asked with its loss ("tape") or its function ("run"), of "real" PyTorch."""
    cause, make = PROGRAMS[name]
    function, w = make(torch)
    before = None if w.grad_fn is not None or w.grad is None else w.grad.detach().clone()
    reason = why(function() if form.endswith("tape") else function, w)
    if before is not None and not bool((w.grad == before).all()):
        return f"{name}: .grad changed"
    if form == "real tape" and reason.cause == "unknown":
        return ""
    fits = any(part in reason.cause or part == reason.what for part in cause.split("|"))
    line = line_of(make)
    unseen = form == "real tape" or (form == "real run" and "clipped" in cause)  # it was clipped before the run
    there = line is None or unseen or (reason.where is not None and reason.where.line == line)
    return (
        "" if fits and there else f"{name}, {form}: expected {cause} in line {line}, got {reason.cause}, {reason.where}"
    )


@program("nan in the data")
def a_nan_in_the_data(torch):
    net, x = torch.nn.Linear(3, 2), data(torch, 4, 3)
    x[1, 2] = math.nan

    def loss():
        y = net(x)  # here
        return (torch.tanh(y) ** 2).mean()

    return loss, net.weight


@program("nan from softmax")
def a_row_masked_out_whole(torch):
    scores, mask = leaf(torch, 3, 3), torch.zeros(3, 3)
    mask[1] = -math.inf

    def loss():
        shown = scores + mask
        p = torch.softmax(shown, -1)  # here
        return (p**2).sum()

    return loss, scores


@program("nan from log")
def a_log_before_what_saves_nothing(torch):
    w = torch.tensor([0.0, 200.0], requires_grad=True)

    def loss():
        p = torch.softmax(w, 0)
        picked = torch.log(p[0])  # here
        return -picked

    return loss, w


@program("multiplied by zero")
def weights_that_start_at_zero(torch):
    first, last, x = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1), data(torch, 2, 3)
    torch.nn.init.zeros_(last.weight)

    def loss():
        h = torch.sigmoid(first(x))
        return last(h).sum()  # here

    return loss, first.weight


@program("not chosen|zero slope of maximum")
def the_larger_of_it_and_zeros(torch):
    w = torch.tensor([-1.0, -2.0], requires_grad=True)

    def loss():
        return torch.maximum(w, torch.zeros(2)).sum()  # here

    return loss, w


# ---- what becomes of it in an op that is not a function of one number ----


@program("empty result")
def a_mask_that_chooses_nothing(torch):
    net, x = torch.nn.Linear(3, 2), data(torch, 4, 3)
    keep = torch.tensor([False] * 4)

    def loss():
        h = net(x)
        h = h[keep]  # here
        return (h**2).sum()

    return loss, net.weight


@program("cancelled")
def a_sum_behind_a_layer_norm(torch):
    net, norm, x = torch.nn.Linear(3, 6), torch.nn.LayerNorm(6), data(torch, 5, 3)

    def loss():
        h = net(x)
        h = norm(h)  # here
        return h.sum()

    return loss, net.weight


@program("cancelled")
def a_scale_that_a_batch_norm_takes_out_but_for_its_eps(torch):
    scale, x, y = torch.ones(1, requires_grad=True), data(torch, 16, 3), leaf(torch, 16, 3)

    def loss():
        h = x * scale  # here
        return ((torch.nn.functional.batch_norm(h, None, None, training=True) - y) ** 2).mean()

    return loss, scale


@program("dead clamp")
def behind_what_is_not_finite(torch):
    w = torch.tensor([2.0], requires_grad=True)

    def loss():
        p = torch.clamp(w, 0, 1)  # here
        return -(torch.log(1 - p) * (1 - p)).sum()

    return loss, w


@program("integer")
def rows_of_a_table_by_its_nearest(torch):
    net, table, x = torch.nn.Linear(3, 2), torch.nn.Embedding(4, 2), data(torch, 5, 3)

    def loss():
        z = net(x)
        nearest = ((z[:, None] - table.weight[None]) ** 2).sum(-1).argmin(1)  # here
        return (table(nearest) ** 2).mean()

    return loss, net.weight


@program("integer")
def a_table_indexed_by_rounded_numbers(torch):
    w, table = torch.tensor([1.2, 2.7], requires_grad=True), leaf(torch, 4, 2)

    def loss():
        places = w.long()  # here
        return table[places].sum()

    return loss, w


@program("overflow in mm")
def a_product_that_grows_in_a_loop(torch):
    w = (torch.eye(3) * 50).requires_grad_()

    def loss():
        h = torch.ones(1, 3)
        for _ in range(40):
            h = h @ w  # here
        return h.sum()

    return loss, w


@program("overflow in exp|nan from exp")
def an_exp_of_a_large_number(torch):
    w = torch.tensor([120.0, 1.0], requires_grad=True)

    def loss():
        e = torch.exp(w)  # here
        return torch.log(1 + e).sum()

    return loss, w


@program("nan in the tensor itself")
def a_weight_that_has_grown_out_of_its_dtype(torch):
    w, x = torch.tensor([math.inf], requires_grad=True), data(torch, 3)
    return lambda: ((w * x - 1) ** 2).mean(), w


@program("nan in a weight")
def another_weight_is_not_finite(torch):
    net, last, x = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1), data(torch, 2, 3)
    with torch.no_grad():
        last.weight[0, 1] = math.nan
    return lambda: last(torch.tanh(net(x))).sum(), net.weight


@program("None")
def a_backward_that_answers_with_nothing(torch):
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, s):
            return x * s

        @staticmethod
        def backward(ctx, g):
            return None, g

    w, s = leaf(torch, 3), torch.ones(3, requires_grad=True)

    def loss():
        return Scaled.apply(w, s).sum()  # here

    return loss, w


@program("no create_graph")
def an_inner_step_that_is_not_recorded(torch):
    meta, w, x = leaf(torch, 3), leaf(torch, 3), data(torch, 3)

    def loss():
        inner = ((w * meta * x) ** 2).sum()
        (g,) = torch.autograd.grad(inner, w)  # here
        return ((w - 0.1 * g) * x).sum()

    return loss, meta


@program("detached")
def detached_in_place(torch):
    w, b = leaf(torch, 3), leaf(torch, 3)

    def loss():
        h = torch.tanh(w * 2)
        h.detach_()  # here
        return (h * b).sum()

    return loss, w


@program("saturated softmax")
def attention_that_is_not_scaled(torch):
    w, k, v = leaf(torch, 8, 8), data(torch, 6, 8) * 200, data(torch, 6, 2)
    x = data(torch, 3, 8) * 200

    def loss():
        s = torch.softmax(x @ w @ k.T, -1)  # here
        return (s @ v).pow(2).mean()

    return loss, w
