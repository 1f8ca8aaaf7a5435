"""# Eight shapes, batched (3 points)

There are 6 examples, each with 4 inputs. `w` has shape `(4, 3)`, `xs` has shape `(6, 4)`, and `one = torch.ones(4)`.

[[layer, loss]]

Predict the shapes of what these give. Answer with a list of eight tuples, such as `(4,)` or `()`.

0. `layer(w, one)`
1. `vmap(layer, in_dims=(None, 0))(w, xs)`
2. `vmap(layer, in_dims=(None, 0), out_dims=1)(w, xs)`
3. `vmap(loss, in_dims=(None, 0))(w, xs)`
4. `grad(loss)(w, one)`
5. `vmap(grad(loss), in_dims=(None, 0))(w, xs)`
6. `grad(lambda w: vmap(loss, in_dims=(None, 0))(w, xs).mean())(w)`
7. `vmap(jacrev(layer, argnums=1), in_dims=(None, 0))(w, xs)`

(All from `torch.func`; `grad` is with respect to the first argument.)
"""

from labkit import torch
from labkit.classroom.writing import judged, wrong

answer = [(3,), (6, 3), (3, 6), (6,), (4, 3), (6, 4, 3), (4, 3), (6, 3, 4)]
rules = (
    "No batch yet: one example in, one output of the layer.",
    "What one example gives, with the examples in front.",
    "out_dims says which axis of the result counts the examples.",
    "What one example gives, with the examples in front. What does loss give for one?",
    "A gradient has the shape of the input it is taken with respect to.",
    "What one example gives, with the examples in front: a gradient has the shape of its input.",
    "The mean is one number. A gradient has the shape of the input it is taken with respect to.",
    "For one example a Jacobian has the axes of the output, then those of the input. The examples stand in front.",
)
hints = (
    "First write down what one example gives. Then put the axis of the 6 examples in front.",
    "A gradient has the shape of its input, here w. Is there one for each example, or one for all?",
    "Item 7: for one example the output has 3 elements and the input 4. Then the 6 in front.",
)


def layer(w, x):
    return torch.tanh(x @ w)


def loss(w, x):
    return (layer(w, x) ** 2).sum()


def reference():
    func = torch.func
    w, xs, one = torch.ones(4, 3), torch.ones(6, 4), torch.ones(4)
    shared = (None, 0)
    found = [
        layer(w, one),
        func.vmap(layer, in_dims=shared)(w, xs),
        func.vmap(layer, in_dims=shared, out_dims=1)(w, xs),
        func.vmap(loss, in_dims=shared)(w, xs),
        func.grad(loss)(w, one),
        func.vmap(func.grad(loss), in_dims=shared)(w, xs),
        func.grad(lambda w: func.vmap(loss, in_dims=shared)(w, xs).mean())(w),
        func.vmap(func.jacrev(layer, argnums=1), in_dims=shared)(w, xs),
    ]
    return [tuple(tensor.shape) for tensor in found]


added_up = wrong(
    "In item 5 you gave one gradient for all examples. vmap of grad takes the gradient of each example, and adds nothing up.",
    {5: (4, 3)},
)

one_for_each = wrong(
    "In item 6 the losses are averaged before the gradient is taken. So it is one gradient, of the shape of w.",
    {6: (6, 4, 3)},
)

batch_behind = wrong(
    "The examples stand in front, unless out_dims says something else.",
    {1: (3, 6), 5: (4, 3, 6), 7: (3, 4, 6)},
)

out_dims_overlooked = wrong("In item 2 out_dims=1 puts the axis of the examples second.", {2: (6, 3)})

loss_keeps_outputs = wrong(
    "loss adds up the outputs of one example. What is left is one number for each example.", {3: (6, 3)}
)

losses_added = wrong("In item 3 nothing adds the examples up: one loss for each of them.", {3: ()})

input_first = wrong(
    "In item 7 the axes of the input stand before those of the output. In a Jacobian the output comes first.",
    {7: (6, 4, 3)},
)

seven = judged("structure", [(3,), (6, 3), (3, 6), (6,), (4, 3), (6, 4, 3), (4, 3)])
