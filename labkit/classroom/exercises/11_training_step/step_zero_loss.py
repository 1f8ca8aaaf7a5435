"""# Explain the zero loss (3 points)

A network returns the logits `[0, 0, 0, 0]`, so each of its probabilities is 0.25 (ln 4 is 1.3863).
`fused` is `nn.SoftmaxCrossEntropyWithLogits(sparse=False)`, and `formula` is `-(label * ops.log_softmax(logits)).sum()`.
Answer with a list of six numbers, rounded to four decimals where they have more.

| item | function | label | quantity |
|---|---|---|---|
| 0 | `fused` | `[0, 0, 0, 0]` | the loss |
| 1 | `fused` | `[0, 1, 0, 0]` | the loss |
| 2 | `fused` | `[0, 2, 0, 0]` | the loss |
| 3 | `formula` | `[0, 0, 0, 0]` | the gradient with respect to the first logit |
| 4 | `fused` | `[0, 0, 0, 0]` | the gradient with respect to the first logit |
| 5 | `fused` | `[0, 1, 0, 0]` | the gradient with respect to the second logit |
"""

import numpy as np

from labkit.classroom.writing import either, judged, wrong
from labkit.mindspore import Tensor, float32, grad, nn, ops

answer = [0, 1.3863, 2.7726, 0, 0.25, -0.75]
rules = (
    "The loss is -(label * log p).sum(): insert the label first.",
    "The loss is -(label * log p).sum(), with p the probability of that class.",
    "The loss is linear in the label.",
    "Every term is multiplied by the label before it is differentiated.",
    "The fused gradient is the probability minus the label, whatever the label is.",
    "The fused gradient is the probability minus the label: take the label of this logit.",
)
hints = (
    "The loss is -(label * log p).sum(). Insert the label first.",
    "Items 0 and 3 need no calculation: everything is multiplied by 0.",
    "The fused gradient is softmax - label: 0.25 minus the element of the label.",
)


def reference():
    logits, fused = Tensor(np.zeros((1, 4), np.float32)), nn.SoftmaxCrossEntropyWithLogits(sparse=False)
    zeros, second, twice = (Tensor([[0, n, 0, 0]], float32) for n in (0, 1, 2))

    def by_formula(logits, label):
        return -(label * ops.log_softmax(logits)).sum()

    return [
        float(abs(fused(logits, zeros).asnumpy()[0])),
        float(fused(logits, second).asnumpy()[0]),
        float(fused(logits, twice).asnumpy()[0]),
        float(grad(by_formula)(logits, zeros).asnumpy()[0, 0]),
        float(grad(fused)(logits, zeros).asnumpy()[0, 0]),
        float(grad(fused)(logits, second).asnumpy()[0, 1]),
    ]


loss_of_guessing = wrong(
    "ln 4 is the loss of guessing with a proper label. Here every term is multiplied by a label of 0.", {0: 1.3863}
)

label_weight_forgotten = wrong("A label of 2 counts twice: the loss multiplies -log p by the label.", {2: 1.3863})

formula_moves_too = wrong(
    "The formula gives 0 for all logits when the label is zero. A function that is always 0 has the gradient 0.",
    {3: either(0.25, -0.25, 1)},
)

zero_loss_zero_gradient = wrong(
    "The fused loss does not differentiate the formula of its value. Its gradient is softmax - label, also for a label of "
    "zeros.",
    {4: 0},
)

label_minus_softmax = wrong(
    "The gradient is softmax - label. With the opposite sign, gradient descent would lower the right logit.",
    {4: -0.25, 5: 0.75},
)

five = judged("structure", [0, 1.3863, 2.7726, 0, 0.25])

probability_for_loss = wrong(
    "The loss is -log(p). You gave a probability.",
    {1: either(0.25, 0.75)},
)

label_not_subtracted = wrong(
    "The gradient is softmax - label. For the right class the label 1 has to be subtracted.",
    {5: 0.25},
)

label_normalised = wrong(
    "The label is used as it is: 2 counts twice.",
    {2: 0.6931},
)

mean_over_the_classes = wrong(
    "You took a mean over the four classes. The loss adds their terms, and its gradient is not divided either.",
    {1: 0.3466, 2: 0.6931, 4: 0.0625, 5: -0.1875},
    together=True,
)

softmax_left_out = wrong("The gradient is softmax - label. You gave -label alone.", {4: 0, 5: -1}, together=True)

softmax_forgotten_for_one = wrong(
    "The gradient is softmax - label: 0.25 comes before the label is subtracted.", {5: either(-1, 0, 1)}
)

label_squared = wrong("The label multiplies -log p once.", {2: 5.5452})

label_one_subtracted = wrong(
    "The label is 0 for this logit, so nothing is subtracted from its probability.", {4: either(-0.75, -0.25)}
)
log_squared = wrong("The loss multiplies -log p by the label. You squared the logarithm.", {2: 1.9218})

all_probability = wrong("The probability of each class is 0.25, and the label here is 0.", {4: either(1, 0.5)})

another_logarithm = wrong(
    "The logarithm of the loss is the natural one. You took another base.", {1: either(2, 0.6021), 2: either(4, 1.2041)}
)

for_the_probability = wrong(
    "You differentiated -log p with respect to p. The question is about the logit, which changes all probabilities.",
    {5: either(-4, 4)},
)

zero_times_infinity = wrong(
    "No probability is 0, so every logarithm is finite. Multiply by the label.",
    {i: either(float("inf"), float("nan")) for i in (0, 3)},
)

one_probability_too_many = wrong(
    "The element of the label is 1 for this logit: subtract the whole 1 from its probability.", {5: -0.25}
)
