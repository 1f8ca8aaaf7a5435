"""# The mistake in the documentation (1 point)

The guide's example with two outputs ends like this, and prints `out1 3.0`:

```python
def net(x, y):
    return x**2 + y, x

out = ms.grad(net, grad_position=0)(x, y)
out1 = ms.grad(net, grad_position=1)(x, y)
print("out1", out)
```

`x` is 1.0 and `y` is 2.0. Answer with the number that the last line should print after `out1`.
"""

from labkit import mindspore as ms
from labkit.classroom.writing import wrong

x, y = ms.Tensor(1.0), ms.Tensor(2.0)
answer = float(ms.grad(lambda x, y: (x**2 + y, x), 1)(x, y).asnumpy())
hints = (
    "Which variable does the last line print?",
    "has_aux is left at False, so the function differentiated is x**2 + y + x.",
    "Differentiate x**2 + y + x with respect to y.",
)


def reference():
    return float(ms.grad(lambda x, y: (x**2 + y, x), 1)(ms.Tensor(1.0), ms.Tensor(2.0)).asnumpy())


label_believed = wrong(
    "This is what the line prints, but look at its second argument: it is `out`, the gradient with respect to x, "
    "again.",
    answer=3.0,
)

first_output_for_x = wrong(
    "This is y itself, and the gradient of the first output with respect to x. `out1` is the gradient with respect to y, of "
    "both outputs together.",
    answer=2.0,
)

second_output_only = wrong(
    "Only the second output does not depend on y. The first one, x**2 + y, does, and the outputs are summed.",
    answer=0.0,
)


values = wrong(
    "This is the sum of the outputs' values, and the sum of both gradients, too. The exercise asks for one gradient: how "
    "the outputs change with y.",
    answer=4.0,
)

averaged = wrong("The outputs are added, not averaged.", answer=0.5)

one_gradient_for_each_output = wrong(
    "You give one gradient for each output. Without has_aux the outputs are added: the result is one gradient.",
    answer=(1.0, 0.0),
)
