"""# Seven rows of a table (3 points)

Predict what `ms.grad(net, grad_position, weights, has_aux=True)(x, y)[0]` returns for each row. Answer with a list of seven
items. Write `"dx"`, `"dy"` and `"dw"` for the three gradients, and use tuples exactly as the result does. If the call fails,
write the type of the error. `weights` is `net.trainable_params()`, a list with one parameter.

| item | grad_position | weights |
|---|---|---|
| 0 | `0` | `None` |
| 1 | `1` | `None` |
| 2 | `(0, 1)` | `None` |
| 3 | `None` | `weights` |
| 4 | `0` | `weights` |
| 5 | `(0, 1)` | `weights` |
| 6 | `None` | `None` |
"""

from labkit import mindspore as ms
from labkit.classroom.writing import either, judged, same, wrong
from labkit.data import network
from labkit.engine import map_leaves

answer = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), (("dx", "dy"), ("dw",)), ValueError]
places = (
    "grad_position=0, weights=None",
    "grad_position=1, weights=None",
    "grad_position=(0, 1), weights=None",
    "grad_position=None, weights=weights",
    "grad_position=0, weights=weights",
    "grad_position=(0, 1), weights=weights",
    "grad_position=None, weights=None",
)
rules = (
    "An int asks for one gradient, without a tuple around it. Positions count from 0.",
    "An int asks for one gradient, without a tuple around it. Positions count from 0.",
    "A tuple of positions gives a tuple.",
    "An explicit None asks for no input. A list of weights gives a tuple, as long as the list.",
    "The call asks for both: the result is a pair, the gradients of the inputs and those of the weights, each with its own "
    "structure.",
    "The call asks for both: the result is a pair, the gradients of the inputs and those of the weights, each with its own "
    "structure.",
    "The call asks for nothing: no input and no weights. MindSpore rejects the arguments.",
)
hints = (
    "Answer first for the inputs only: an int asks for one gradient, a tuple asks for a tuple.",
    "Then answer for the weights only: a list of parameters gives a tuple with one gradient for each parameter.",
    "Both together give a pair: (the result of row 0 or 2, the result of row 3). Row 6 asks for nothing at all.",
)
ROWS = ((0, False), (1, False), ((0, 1), False), (None, True), (0, True), ((0, 1), True), (None, False))


def reference():
    """Run every row of the table and write dx, dy, dw for the gradient found at each place."""
    net, x, y = network(ms)
    weights = net.trainable_params()
    single = {"dx": (0, None), "dy": (1, None), "dw": (None, weights[0])}
    known = {name: ms.grad(net, *where, has_aux=True)(x, y)[0] for name, where in single.items()}

    def name_of(gradient):
        return next(name for name, value in known.items() if same(value, gradient))

    def row(position, wanted):
        try:
            gradients, _ = ms.grad(net, position, weights if wanted else None, has_aux=True)(x, y)
        except ValueError as error:
            return type(error)
        return map_leaves(name_of, gradients)

    return [row(*place) for place in ROWS]


bare_weight = wrong(
    "You left out the tuple around the weights' gradient. `weights` is a list, so its gradients come as a tuple, even when "
    "the list has one parameter. The structure follows the argument, not the network.",
    {3: "dw", 4: ("dx", "dw"), 5: (("dx", "dy"), "dw")},
    together=True,
)

bare_here = wrong(
    "`weights` is a list, so its gradients come as a tuple, even when the list has one parameter.",
    {3: "dw", 5: (("dx", "dy"), "dw")},
    answer={3: "dw"},
)

flattened = wrong(
    "You put all gradients side by side. With inputs and weights the result is a pair (gradients of the inputs, gradients "
    "of the weights), and each of the two keeps its own structure.",
    {4: ("dx", "dw"), 5: either(("dx", "dy", "dw"), ("dx", "dy", ("dw",)))},
    answer={4: ("dx", "dw"), 5: ("dx", "dy", "dw")},
)

default_position = wrong(
    "An explicit None replaces the default grad_position=0: without weights, nothing is left to differentiate with respect "
    "to.",
    {6: "dx"},
)

six_rows = judged("structure", ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), ValueError])

a_tuple_of_one = wrong(
    "An int asks for one gradient: it comes without a tuple around it.",
    {0: ("dx",), 1: ("dy",), 4: (("dx",), ("dw",))},
)

another_error = wrong(
    "grad_position and weights may be None. Together they ask for nothing, and MindSpore rejects this call.",
    {6: either("TypeError", "RuntimeError", "AttributeError", (), (None, None))},
)

positions_ignored = wrong(
    "With weights the positions still count: the gradients of the inputs come first.",
    {4: either(("dw",), "dw"), 5: either(("dw",), "dw")},
)

counted_from_one = wrong(
    "Positions count from 0: x is position 0.",
    {0: "dy", 1: "dx"},
)

all_for_none = wrong(
    "grad_position=None asks for no input: only the weights are left.",
    {3: either(("dx", "dw"), ("dx", ("dw",)), "dx", ("dx", "dy"), (("dx", "dy"), ("dw",)))},
)


weights_alone_are_enough = wrong(
    "grad_position=None is allowed as long as weights are given: then only the weights are left.",
    {3: either(ValueError, TypeError, RuntimeError)},
)

position_as_a_number_of_inputs = wrong(
    "grad_position=1 is the position of one input, the second one. It does not say how many gradients there are.",
    {1: ("dx", "dy")},
)

one_of_two_positions = wrong(
    "(0, 1) asks for both inputs: a tuple with two gradients.", {2: either("dx", "dy", ("dx",))}
)

weights_first = wrong(
    "The pair has the gradients of the inputs first, then those of the weights.",
    {4: either((("dw",), "dx"), ("dw", "dx")), 5: either((("dw",), ("dx", "dy")), ("dw", ("dx", "dy")))},
)

all_gradients_for_none = wrong(
    "None and None ask for nothing. The call does not choose for you.", {6: either(("dx", "dy"), None)}
)


weights_ignored = wrong(
    "weights asks for the gradients of the weights as well: they are the second part of a pair.",
    {4: "dx", 5: ("dx", "dy")},
)

both_refused = wrong(
    "Gradients of inputs and of weights may be asked for in one call.",
    {4: either(ValueError, TypeError), 5: either(ValueError, TypeError)},
)

tuple_refused = wrong("grad_position may be a tuple: it asks for several inputs.", {2: either(ValueError, TypeError)})

one_input_with_the_weights = wrong(
    "(0, 1) asks for both inputs, even if weights are given.", {5: either(("dx", ("dw",)), ("dy", ("dw",)))}
)
