"""# Eight shapes (3 points)

`x` has the shape `(4, 3)`, `w` has `(3, 2)`, `b` has `(2,)`, and

[[layer, loss]]

Predict eight shapes. Answer with a list of eight tuples, such as `(2,)`.

0. the gradient of `loss` with respect to `w`
1. the gradient of `loss` with respect to `b`
2. the Jacobian of `layer` with respect to `w`, as `jacrev` returns it
3. the Jacobian of `layer` with respect to `b`, as `jacrev` returns it
4. the `v` that `vjp_fn` takes, after `out, vjp_fn = vjp(layer, x, w, b)`
5. `vjp_fn(v)[0]`
6. the JVP `J @ t` for a tangent `t` of `w`, as `jvp` returns it
7. the Jacobian of `loss` with respect to `x`, as `jacrev` returns it
"""

import autograd.numpy as np

from labkit import engine
from labkit.classroom.writing import either, judged, wrong

answer = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]
rules = (
    "A gradient has the shape of the input with respect to which it is taken.",
    "A gradient has the shape of the input with respect to which it is taken.",
    "jacrev keeps all axes: those of the output first, then those of the input.",
    "jacrev keeps all axes: those of the output first, then those of the input.",
    "vjp_fn takes one number for each element of the output.",
    "vjp_fn returns one gradient for each input, in their order; the first one belongs to x.",
    "A JVP takes a tangent of the input and returns the tangent of the output.",
    "The output is one number, which has no axes: only the axes of the input are left.",
)
hints = (
    "A gradient has the shape of the input with respect to which it is taken. The output of layer has shape (4, 2).",
    "A Jacobian has the axes of the output, then those of the input. A number has no axes: its shape is ().",
    "v and J @ t have the shape of the output; vjp_fn(v)[0] has the shape of x, and t that of w.",
)


def layer(x, w, b):
    return x @ w + b


def loss(x, w, b):
    return np.sum(layer(x, w, b) ** 2)


def reference():
    x, w, b = (np.ones(shape) for shape in ((4, 3), (3, 2), (2,)))
    out, pull = engine.vjp(layer, x, w, b)
    tangents = np.zeros_like(x), np.ones_like(w), np.zeros_like(b)
    found = [
        engine.grad(loss, 1)(x, w, b),
        engine.grad(loss, 2)(x, w, b),
        engine.jacrev(layer, 1)(x, w, b),
        engine.jacrev(layer, 2)(x, w, b),
        out,
        pull(np.ones_like(out))[0],
        engine.jvp(layer, (x, w, b), tangents)[1],
        engine.jacrev(loss, 0)(x, w, b),
    ]
    return [tuple(array.shape) for array in found]


bias_per_example = wrong(
    "You gave b one gradient per example. b is one array of 2 numbers that is used for all 4 examples, and its "
    "gradient has the shape of b: the contributions of the examples are added.",
    {1: (4, 2)},
)

shape_of_the_output = wrong(
    "You gave the gradient with respect to w the shape of the output. This gradient describes how the loss changes with "
    "each element of w, so it has one number per element of w.",
    {0: (4, 2)},
)

flat_table = wrong(
    "On paper a Jacobian is a matrix of 8 rows. jacrev keeps the axes: first all those of the output, then all those of the "
    "input.",
    {2: (8, 6), 3: (8, 2)},
)

input_first = wrong(
    "You put the axes of the input first. Rows are outputs: the axes of the output come first.",
    {2: (3, 2, 4, 2), 3: (2, 4, 2)},
)

in_and_out = wrong(
    "You exchanged the argument and the result. vjp_fn takes an array of the output's shape and returns one of the input's "
    "shape; a JVP does the opposite.",
    {4: (4, 3), 5: (4, 2), 6: (3, 2)},
)

row_for_the_number = judged("jacobian-of-one-number", {7: (1, 4, 3)})
seven = judged("structure", [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2)])

shape_of_the_loss = wrong(
    "The loss is one number, but its gradient has the shape of the input.",
    {0: (), 1: ()},
)

jacobian_of_one_number = wrong(
    "The output of loss has no axes, so its Jacobian has those of the input only.",
    {7: either((), (1, 4, 3), (4, 2, 4, 3), (3, 4))},
)

bias_of_each_example = wrong(
    "A Jacobian has first all axes of the output of layer, then those of the input: b has one.",
    {3: either((4, 2, 4, 2), (4, 2))},
)

another_input = wrong(
    "vjp_fn returns a gradient for each input, in their order. The first one belongs to x.",
    {5: (3, 2)},
)

pull_takes_one_number = wrong(
    "vjp_fn takes one number for each element of the output, with the output's shape.",
    {4: either((), (2,), (4,), (3, 2))},
)


one_row_alone = wrong(
    "That is the Jacobian for one row of x. layer computes all 4 rows at once: its output has an axis for them, too.",
    {2: (2, 3, 2), 3: (2, 2)},
)

jacobian_as_a_gradient = wrong(
    "That is the shape of a gradient. A Jacobian has the axes of the output as well, before those of the input.",
    {2: (3, 2), 3: (2,)},
)

first_row_of_the_gradient = wrong(
    "vjp_fn returns a list with a gradient for each input. [0] takes the first gradient out of it, not a row.",
    {5: either((3,), (2,))},
)

the_jacobian_itself = wrong(
    "J @ t is not J: it is the product with t, one number for each element of the output.", {6: (4, 2, 3, 2)}
)

gradient_transposed = wrong("A gradient has its axes in the order of the input's axes.", {0: (2, 3), 7: (3, 4)})

gradient_for_each_example = wrong(
    "The loss is the sum over all examples. Its gradient has no axis for them: the contributions are added.",
    {0: (4, 3, 2)},
)

b_with_two_axes = wrong("b has one axis, and so has its gradient.", {1: either((1, 2), (2, 1), (1,))})

jvp_as_one_number = wrong(
    "A JVP returns a tangent of the output: one number for each of its elements.", {6: either((), (2,), (4,))}
)


jacobian_for_a_gradient = wrong(
    "That is the shape of a Jacobian of layer. The loss is one number, so its gradient has the axes of the input only.",
    {0: (4, 2, 3, 2), 1: (4, 2, 2)},
)

output_for_the_input = wrong(
    "That is the shape of the output of layer. A gradient has the shape of its input.", {7: (4, 2)}
)

one_number_for_each_row = wrong(
    "x has two axes, so its gradient has two: a number for each element.", {7: either((4,), (3,)), 5: (4,)}
)

axes_missing = wrong(
    "A Jacobian has all axes of the output and all axes of the input: two and two for w, two and one for b.",
    {2: either((4, 3, 2), (4, 2, 2), (4, 2, 3), (4, 3), (4, 2)), 3: either((4, 3), (2,))},
)

tangent_of_x = wrong("t is a tangent of w, and J @ t has the shape of the output.", {6: (4, 3)})
