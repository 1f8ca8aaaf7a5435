"""Cases on MindSpore's `grad`, `value_and_grad` and `GradOperation`, on loss scale and on clipping."""

import contextlib
import io
from typing import Any

from ..data import network
from .ledger import ByMode, Case, Figures, Program, Slip, message_of

ALL = ("r2.1", "master", "r2.3.q1")
G_X, G_Y, G_W = [[4.0, 6.0, 8.0]], -2.0, [[2.0, 4.0, 6.0]]  # gradients of the loss alone
S_X, S_W = [[6.0, 9.0, 12.0]], [[3.0, 6.0, 9.0]]  # gradients of loss + logits
AUX = (20.0,)


def network_torch(torch) -> tuple[Any, ...]:
    """The same network in PyTorch; the inputs are leaves that want a gradient."""
    fc = torch.nn.Linear(3, 1, bias=False)
    fc.weight.data = torch.tensor([[2.0, 3.0, 4.0]])
    x, y = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True), torch.tensor(19.0, requires_grad=True)
    logits = fc(x).squeeze()
    return torch.nn.functional.mse_loss(logits, y), logits, x, y, fc.weight


def forward(ms) -> Figures:
    net, x, y = network(ms)
    loss, logits = net(x, y)
    (weight,) = net.trainable_params()
    return {"loss": loss, "logits": logits, "name": weight.name, "weight": weight.data}


def forward_torch(torch) -> Figures:
    loss, logits, _, _, weight = network_torch(torch)
    return {"loss": loss.detach(), "logits": logits.detach(), "weight": weight.detach()}


def gradient_row(position, weighted=False, has_aux=True) -> Program:
    """A program for one row of the table: `grad_position`, with or without weights."""

    def program(ms):
        net, x, y = network(ms)
        weights = net.trainable_params() if weighted else None
        result = ms.grad(net, grad_position=position, weights=weights, has_aux=has_aux)(x, y)
        return {"grad": result[0], "aux": result[1]} if has_aux else {"grad": result}

    vars(program)["settings"] = f"position={position}, weighted={weighted}, has_aux={has_aux}"
    return program


def first_input_torch(torch) -> Figures:
    loss, _, x, _, _ = network_torch(torch)
    return {"grad": torch.autograd.grad(loss, x)[0]}


def weights_torch(torch) -> Figures:
    loss, _, _, _, weight = network_torch(torch)
    return {"grad": torch.autograd.grad(loss, [weight])}


def sum_of_outputs(ms) -> Figures:
    net, x, y = network(ms)

    def summed(x, y):
        loss, logits = net(x, y)
        return loss + logits

    return {"grad": ms.grad(summed)(x, y)}


def sum_of_outputs_torch(torch) -> Figures:
    loss, logits, x, _, _ = network_torch(torch)
    return {"grad": torch.autograd.grad((loss, logits), x)[0]}


def neither_position_nor_weights(ms) -> Figures:
    net, _, _ = network(ms)
    return {"error": message_of(lambda: ms.grad(net, grad_position=None, weights=None, has_aux=True))}


def value_and_grad(ms) -> Figures:
    net, x, y = network(ms)
    both = ms.value_and_grad(net, grad_position=(0, 1), weights=net.trainable_params(), has_aux=True)
    value, grad = both(x, y)
    return {"value": value, "grad": grad}


ROWS = [(0, False), (1, False), ((0, 1), False), (None, True), (0, True), ((0, 1), True)]


def grad_table(ms) -> Figures:
    net, x, y = network(ms)
    found = {}
    for position, weighted in ROWS:
        weights = net.trainable_params() if weighted else None
        found[f"{position}, {'weights' if weighted else None}"] = ms.grad(net, position, weights, has_aux=True)(x, y)[0]
    return found


def value_and_grad_table(ms) -> Figures:
    net, x, y = network(ms)
    found = {}
    for position, weighted in ROWS:
        weights = net.trainable_params() if weighted else None
        found[f"{position}, {'weights' if weighted else None}"] = ms.value_and_grad(net, position, weights, True)(x, y)
    return found


TABLE = dict(zip(
    [f"{p}, {'weights' if w else None}" for p, w in ROWS],
    [G_X, G_Y, (G_X, G_Y), (G_W,), (G_X, (G_W,)), ((G_X, G_Y), (G_W,))],
    strict=True,
))  # fmt: skip


def grad_operation(ms) -> Figures:
    net, x, y = network(ms)
    weights = ms.ParameterTuple(net.trainable_params())
    sens = (ms.Tensor(10.0, ms.float32), ms.Tensor(0.0, ms.float32))
    found = {}
    for get_all in (False, True):
        for by_list in (False, True):
            for with_sens in (False, True):
                operation = ms.ops.GradOperation(get_all=get_all, get_by_list=by_list, sens_param=with_sens)
                of_net = operation(net, weights) if by_list else operation(net)
                found[f"{get_all}, {by_list}, {with_sens}"] = of_net(x, y, sens) if with_sens else of_net(x, y)
    return found


def scaled(factor, g) -> list[list[float]]:
    """A documented gradient times a number."""
    return [[factor * v for v in g[0]]]


def loss_scale(ms) -> Figures:
    net, x, y = network(ms)
    scaler = ms.amp.StaticLossScaler(1024.0)

    def scaled_loss(x, y):
        loss, logits = net(x, y)
        return scaler.scale(loss), logits

    with_grad = ms.value_and_grad(scaled_loss, None, net.trainable_params(), has_aux=True)
    (loss, _), grads = with_grad(x, y)
    unscaled = scaler.unscale(grads)
    return {
        "scaled loss": loss,
        "scaled gradient": grads,
        "loss": scaler.unscale(loss),
        "gradient": unscaled,
        "finite": ms.amp.all_finite(unscaled),
    }


def what_loss_scale_cures(ms) -> Figures:
    small = ms.Tensor(1e-4, ms.float16)

    def loss(w, scale):
        return w * small * small * scale

    w = ms.Tensor(1.0, ms.float16)
    plain = float(ms.grad(loss)(w, ms.Tensor(1.0, ms.float16)))
    scaled = float(ms.grad(loss)(w, ms.Tensor(1024.0, ms.float16)))
    return {"loss scale guards gradients against": "underflow" if plain == 0.0 < scaled else "overflow"}


def clip_by_global_norm(ms) -> Figures:
    return {"clipped": ms.ops.clip_by_global_norm((ms.Tensor([[2.0, 4.0, 6.0]]),))}


def clip_grad_norm(torch) -> Figures:
    weight = torch.nn.Parameter(torch.zeros(1, 3))
    weight.grad = torch.tensor([[2.0, 4.0, 6.0]])
    torch.nn.utils.clip_grad_norm_([weight], max_norm=1.0)
    return {"clipped": (weight.grad,)}


def gradient_of_a_gradient_cell(ms) -> Figures:
    net, x, y = network(ms)

    Cell: Any = ms.nn.Cell

    class GradientOf(Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def construct(self, x, y):
            return ms.grad(self.net)(x, y)

    return {"grad": GradientOf(net)(x, y)}


def again(ms) -> Figures:
    net, x, y = network(ms)
    gradient = ms.grad(net, None, net.trainable_params(), has_aux=True)
    return {"first": gradient(x, y)[0], "second": gradient(x, y)[0]}


def printed_exponents(ms) -> Figures:
    net, x, y = network(ms)
    grad, _ = ms.grad(net, None, net.trainable_params(), has_aux=True)(x, y)
    return {"text": str(grad)}


def same_tensor_twice(ms) -> Figures:
    t = ms.Tensor(3.0)
    return {"grad": ms.grad(lambda x, y: x * y, (0, 1))(t, t)}


def position_out_of_range(ms) -> Figures:
    net, x, y = network(ms)
    return {"error": message_of(lambda: ms.grad(net, 2)(x, y))}


def frozen_weight(ms) -> Figures:
    net, x, y = network(ms)
    (weight,) = net.trainable_params()
    weight.requires_grad = False
    return {"grad": ms.grad(net, None, [weight], has_aux=True)(x, y)[0]}


def aux_of_a_single_output(ms) -> Figures:
    def single(x):
        return (x**2,)

    found = []
    error = message_of(lambda: found.append(ms.grad(single, has_aux=True)(ms.Tensor(3.0))))
    return {"result": found[0] if found else error}


def tuple_as_input(ms) -> Figures:
    def product(pair):
        return pair[0] * pair[1]

    return {"grad": ms.grad(product)(ms.mutable((ms.Tensor(3.0), ms.Tensor(4.0))))}


def printing(ms) -> Figures:
    def loss(x):
        squared = x**2
        print("loss", squared)
        return squared

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        ms.grad(loss)(ms.Tensor(3.0))
    return {"printed": printed.getvalue()}


def row(name, shows, position, figures, weighted=False, has_aux=True, torch=None) -> Case:
    programs = {"mindspore": gradient_row(position, weighted, has_aux)}
    if torch:
        programs["torch"] = torch
    return Case(name, ALL, "mindspore.grad", shows, figures, programs)


CASES = [
    Case("net-forward", ALL, "mindspore.grad", "the forward pass of the documented network: 1·2 + 2·3 + 3·4 = 20, (20 - 19)² = 1",
         {"loss": 1.0, "logits": 20.0, "name": "fc.weight", "weight": [[2.0, 3.0, 4.0]]},
         {"mindspore": forward, "torch": forward_torch}),
    row("grad-first-input", "the gradient of the loss with respect to the first input: a bare tensor", 0,
        {"grad": G_X, "aux": AUX}, torch=first_input_torch),
    row("grad-second-input", "the gradient with respect to the second input", 1, {"grad": G_Y, "aux": AUX}),
    row("grad-two-inputs", "a tuple of positions gives a tuple of gradients", (0, 1), {"grad": (G_X, G_Y), "aux": AUX}),
    row("grad-weights", "position None: only the weights, as a tuple", None, {"grad": (G_W,), "aux": AUX},
        weighted=True, torch=weights_torch),
    row("grad-input-and-weights", "inputs and weights: a pair of both", 0, {"grad": (G_X, (G_W,)), "aux": AUX}, weighted=True),
    row("grad-inputs-and-weights", "several inputs and weights: a pair of tuples", (0, 1),
        {"grad": ((G_X, G_Y), (G_W,)), "aux": AUX}, weighted=True),
    row("grad-sums-outputs", "without has_aux every output is differentiated, and the gradients add up", 0,
        {"grad": S_X}, has_aux=False),
    Case("grad-of-the-sum", ALL, "mindspore.grad", "the same as differentiating loss + logits",
         {"grad": S_X}, {"mindspore": sum_of_outputs, "torch": sum_of_outputs_torch}),
    Case("grad-neither", ALL, "mindspore.grad", "with neither a position nor weights, ms.grad raises an error at once",
         {"error": "ValueError: `grad_position` and `weight` can not be None at the same time."},
         {"mindspore": neither_position_nor_weights}),
    Case("grad-table", ALL, "mindspore.grad", "every row of the table of grad: what is returned, and how it is nested",
         TABLE, {"mindspore": grad_table}),
    Case("value-and-grad", ALL, "mindspore.value_and_grad", "the value, with its auxiliary outputs, and the gradients",
         {"value": (1.0, 20.0), "grad": ((G_X, G_Y), (G_W,))}, {"mindspore": value_and_grad}),
    Case("value-and-grad-table", ALL, "mindspore.value_and_grad", "every row of the table of value_and_grad",
         {label: ((1.0, 20.0), grad) for label, grad in TABLE.items()}, {"mindspore": value_and_grad_table}),
    Case("grad-operation", ALL, "mindspore.ops.GradOperation", "get_all, get_by_list, sens_param: all eight combinations",
         {"False, False, False": S_X, "False, False, True": scaled(10, G_X),
          "False, True, False": (S_W,), "False, True, True": (scaled(10, G_W),),
          "True, False, False": (S_X, G_Y), "True, False, True": (scaled(10, G_X), -20.0),
          "True, True, False": ((S_X, G_Y), (S_W,)),
          "True, True, True": ((scaled(10, G_X), -20.0), (scaled(10, G_W),))},
         {"mindspore": grad_operation}, printed=False),
    Case("loss-scale", ALL, "loss scale", "a loss scaled by 1024 has gradients scaled by 1024; unscaling restores both",
         {"scaled loss": 1024.0, "scaled gradient": ([[2048.0, 4096.0, 6144.0]],), "loss": 1.0, "gradient": (G_W,),
          "finite": True}, {"mindspore": loss_scale}),
    Case("loss-scale-why", ("r2.1",), "loss scale", "what loss scale is for: small float16 gradients that become 0",
         {"loss scale guards gradients against": "overflow"}, {"mindspore": what_loss_scale_cures},
         corrections={"loss scale guards gradients against": Slip(
             "underflow", "the Chinese text says underflow; scaling up helps gradients that are too small to represent")}),
    Case("clip-by-global-norm", ALL, "gradient clipping", "a gradient of norm 7.48 brought to norm 1",
         {"clipped": ([[0.26726124, 0.5345225, 0.8017837]],)},
         {"mindspore": clip_by_global_norm, "torch": clip_grad_norm}, printed=False),
    Case("grad-in-a-cell", ("master", "r2.3.q1"), "comparison", "a Cell that returns the gradient of another Cell",
         {"grad": S_X}, {"mindspore": gradient_of_a_gradient_cell}, printed=False),
    Case("grad-again", ("master", "r2.3.q1"), "retain_graph", "a gradient function can be called again: nothing is used up",
         {"first": (G_W,), "second": (G_W,)}, {"mindspore": again}, printed=False),
    Case("printed-exponents", ALL, "mindspore.grad", "how a tuple of tensors prints",
         {"text": "(Tensor(shape=[1, 3], dtype=Float32, value=\n"
                  "[[2.00000000e+000, 4.00000000e+000, 6.00000000e+000]]),)"},
         {"mindspore": printed_exponents},
         corrections={"text": Slip(
             "(Tensor(shape=[1, 3], dtype=Float32, value=\n"
             "[[ 2.00000000e+00,  4.00000000e+00,  6.00000000e+00]]),)",
             "an older C library on Windows prints three digits; elsewhere exponents have two, and a sign has its own column")}),
    Case("same-tensor-twice", ("master", "r2.3.q1"), "comparison",
         "one Tensor object given for two arguments: PyNative tells tensors apart by object, graph mode by argument",
         {"grad": (3.0, 3.0)}, {"mindspore": same_tensor_twice}, printed=False,
         corrections={"grad": ByMode({"pynative": (6.0, 6.0), "graph": (3.0, 3.0)},
                                     "PyNative gives each position the total derivative")}),
    Case("position-out-of-range", ALL, "mindspore.grad", "a position beyond the inputs is an error when called",
         {"error": "IndexError: Position index 2 is exceed input size."}, {"mindspore": position_out_of_range}, printed=False,
         corrections={"error": ByMode({"pynative": "RuntimeError: Position index 2 is exceed input size.",
                                       "graph": "IndexError: Position index 2 is exceed input size."},
                                      "the error type follows the mode")}),
    Case("frozen-weight", ALL, "mindspore.grad", "the gradient of a weight that does not require one",
         {"grad": (G_W,)}, {"mindspore": frozen_weight}, printed=False,
         corrections={"grad": ByMode({"pynative": ([[0.0, 0.0, 0.0]],), "graph": (G_W,)},
                                     "PyNative does not record it and returns zeros; graph mode differentiates it, too")}),
    Case("aux-of-a-single-output", ALL, "mindspore.grad", "has_aux for a function whose only output is in a tuple",
         {"result": "an error"}, {"mindspore": aux_of_a_single_output}, printed=False,
         corrections={"result": ByMode(
             {"pynative": "ValueError: When has_aux is True, origin fn requires more than one outputs.", "graph": (6.0, ())},
             "graph mode accepts it, with no auxiliary outputs")}),
    Case("tuple-as-input", ALL, "mindspore.grad", "a mutable tuple of tensors as an input",
         {"grad": (4.0, 3.0)}, {"mindspore": tuple_as_input}, printed=False,
         corrections={"grad": ByMode({"pynative": (), "graph": (4.0, 3.0)},
                                     "PyNative differentiates tensors only, graph mode also the tensors in a mutable tuple")}),
    Case("printing-inside", ALL, "loss scale", "print inside a function that is differentiated, as the documents' loss does",
         {"printed": "loss 9.0\n"}, {"mindspore": printing}, printed=False,
         corrections={"printed": ByMode({"pynative": "loss 9.0\n", "graph": "loss\n9\n"},
                                        "graph mode prints when the graph runs, each argument on its own line")}),
]  # fmt: skip
