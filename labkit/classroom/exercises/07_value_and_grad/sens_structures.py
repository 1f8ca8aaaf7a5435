"""# Six results (3 points)

What comes back? Write `"loss"`, `"logits"`, `"dx"`, `"dy"`, `"dw"` for the two outputs of `net` and for the
gradients of the *loss*, and `"sx"` for the gradient of *loss + logits* with respect to `x`. Use tuples exactly as
the result does.
`weights` is `net.trainable_params()`, a list with one parameter. Answer with a list of six.

0. `ms.value_and_grad(net, 0, None, has_aux=True)(x, y)`
1. `ms.value_and_grad(net, 0)(x, y)`
2. `ms.grad(net, 0, has_aux=True)(x, y)`
3. `ms.grad(net, 0)(x, y)`
4. `ms.value_and_grad(lambda x, y: net(x, y)[0], 0)(x, y)`
5. `ms.value_and_grad(net, (0, 1), weights, has_aux=True)(x, y)`
"""

from typing import Any

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import either, judged, same, wrong
from labkit.data import network
from labkit.engine import map_leaves

answer = [
    (("loss", "logits"), "dx"),
    (("loss", "logits"), "sx"),
    ("dx", ("logits",)),
    "sx",
    ("loss", "dx"),
    (("loss", "logits"), (("dx", "dy"), ("dw",))),
]
rules = (
    "value_and_grad gives a pair: all that the function returned, and the gradient. With has_aux the first "
    "output alone is differentiated.",
    "Without has_aux the outputs are added, and their sum is differentiated. The values come as the function "
    "returned them.",
    "With has_aux, grad gives a pair: the gradient, and a tuple of the other outputs.",
    "Without has_aux the sum of the outputs is differentiated, and grad gives the gradient alone.",
    "This function returns one output, so its value is no tuple.",
    "The values are as for one gradient. The gradients are a pair: those of the inputs, and a tuple as long as "
    "the list of weights.",
)
hints = (
    "value_and_grad gives a pair: (what the function returns, gradients). grad gives the gradients.",
    "has_aux decides what is differentiated: with it the loss alone, without it loss + logits. In grad it also "
    "adds a tuple of the other outputs.",
    "Item 0 is a pair whose first part is a pair. Item 5 has the same first part and the gradients of notebook 06.",
)
NAMES: dict[str, Any] = {  # at the documents' weight and inputs, all different
    "loss": 1.0,
    "logits": 20.0,
    "dx": [[4.0, 6.0, 8.0]],
    "sx": [[6.0, 9.0, 12.0]],
    "dy": -2.0,
    "dw": [[2.0, 4.0, 6.0]],
}


def _name_of(tensor):
    return next(name for name, value in NAMES.items() if same(np.float32(value), tensor.asnumpy()))


def reference():
    net, x, y = network(ms)
    weights = net.trainable_params()
    results = [
        ms.value_and_grad(net, 0, None, has_aux=True)(x, y),
        ms.value_and_grad(net, 0)(x, y),
        ms.grad(net, 0, has_aux=True)(x, y),
        ms.grad(net, 0)(x, y),
        ms.value_and_grad(lambda x, y: net(x, y)[0], 0)(x, y),
        ms.value_and_grad(net, (0, 1), weights, has_aux=True)(x, y),
    ]
    return [map_leaves(_name_of, result) for result in results]


sum_forgotten = wrong(
    "Without has_aux every output is differentiated, in value_and_grad as in grad: the gradient is that of loss "
    "+ logits.",
    {1: (("loss", "logits"), "dx"), 3: "dx"},
)

gradients_first = wrong(
    "The name tells the order: value_and_grad gives the value first, then the gradients.",
    {0: ("dx", ("loss", "logits")), 4: ("dx", "loss")},
)

aux_of_its_own = wrong(
    "value_and_grad has no place of its own for the other outputs. The value is what the network returns: all "
    "outputs, with or without has_aux.",
    {
        0: either(
            ("loss", "dx"),
            ("loss", "dx", ("logits",)),
            ("loss", "dx", "logits"),
            (("loss",), "dx"),
            ("loss", ("dx", ("logits",))),
        )
    },
)

one_aux_bare = wrong(
    "grad with has_aux gives the other outputs as a tuple, even when there is only one.", {2: ("dx", "logits")}
)

flat = judged("structure", {5: (("loss", "logits"), ("dx", "dy", "dw"))})
