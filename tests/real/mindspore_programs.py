"""Random programs over MindSpore's derivatives in PyNative mode, as text: `program(seed)` is a list of statements.

A function or a cell with a weight, its body drawn from ops, hooks, `stop_gradient` and a cell with a `bprop` of its own;
then its gradients by inputs, by weights, with `has_aux`, and of gradients.
"""

import random

PRELUDE = """\
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


class Own(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 3,)


def times_three(g):
    return g * 3


def look(g):
    show('hook', g)


def half(g):
    return g[0] / 2


own = Own()
triple = ops.InsertGradientOf(times_three)
seen = ops.HookBackward(look)
halved = ops.HookBackward(half)"""

UNARY = ["ops.sin", "ops.cos", "ops.tanh", "ops.exp", "ops.sigmoid", "ops.relu", "ops.square", "ops.abs", "ops.neg",
         "ops.stop_gradient", "own", "triple", "seen", "halved"]  # fmt: skip


class Drawing:
    def __init__(self, seed):
        self.random, self.lines, self.count = random.Random(seed), [], 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def numbers(self):
        return [self.random.randrange(-12, 13) / 8 for _ in range(2)]

    def expression(self, names):
        x, y, number = self.pick(*names), self.pick(*names), self.pick("2.0", "0.5", "-1.5")
        return self.pick(
            *(f"{self.random.choice(UNARY)}({x})" for _ in range(6)),
            f"{x} * {y}", f"{x} * {y}", f"{x} + {y}", f"{x} - {y}", f"{x} * {number}", f"{x} / {number}", f"{x} ** 2",
            f"{x}.sum() * {y}", f"ops.where({x} > 0, {x}, {y})",
            f"ops.maximum({x}, {y} * 2)", f"ops.flip({x}, (0,))",
        )  # fmt: skip

    def body(self, names):
        lines, names = [], list(names)
        for _ in range(self.random.randrange(2, 6)):
            self.count += 1
            lines.append(f"b{self.count} = {self.expression(names)}")
            names.append(f"b{self.count}")
        results = [names[-1], *(self.pick(*names) for _ in range(self.pick(0, 1, 1)))]
        lines.append(f"return {', '.join(results)}")
        return lines, len(results)


def program(seed):
    """The statements of program number `seed`."""
    drawing = Drawing(seed)
    lines = PRELUDE.split("\n\n\n")
    lines = [*lines[0].splitlines(), *lines[1:-1], *lines[-1].splitlines()]
    lines += [f"{name} = Tensor(np.array({drawing.numbers()}, 'float32'))" for name in ("x", "y")]
    of_cell = drawing.random.random() < 0.4
    body, outputs = drawing.body(["x", "y", "self.w"] if of_cell else ["x", "y"])
    if of_cell:
        inside = "\n".join("        " + line for line in body)
        weight = f"Parameter(Tensor(np.array({drawing.numbers()}, 'float32')), name='w')"
        start = f"        super().__init__()\n        self.w = {weight}"
        lines.append(
            f"class Net(nn.Cell):\n    def __init__(self):\n{start}\n\n    def construct(self, x, y):\n{inside}"
        )
        lines.append("f = Net()")
    else:
        lines.append("def f(x, y):\n" + "\n".join("    " + line for line in body))
    for _ in range(drawing.pick(1, 2, 3)):
        lines.append(f"show({use(drawing, of_cell, outputs)})")
    return lines


def use(drawing, of_cell, outputs):
    places = drawing.pick("0", "1", "(0, 1)", "(0, 1)")
    weights = ", weights=f.trainable_params()" if of_cell and drawing.random.random() < 0.6 else ""
    aux = ", has_aux=True" if outputs > 1 and drawing.random.random() < 0.5 else ""
    if weights and drawing.random.random() < 0.3:
        places = "None"
    ones = "(Tensor(np.ones(2, 'float32')), Tensor(np.ones(2, 'float32')))"
    return drawing.pick(
        f"mindspore.grad(f, {places}{weights}{aux})(x, y)",
        f"mindspore.grad(f, {places}{weights}{aux})(x, y)",
        f"mindspore.value_and_grad(f, {places}{weights}{aux})(x, y)",
        f"mindspore.value_and_grad(f, {places}{weights}{aux})(x, y)",
        "ops.GradOperation(get_all=True)(f)(x, y)",
        "mindspore.grad(mindspore.grad(f))(x, y)",
        "mindspore.grad(lambda *z: mindspore.grad(f, 0)(*z).sum(), 1)(x, y)",
        f"mindspore.vjp(f, x, y)[1]({ones if outputs > 1 else 'x'})" if outputs == 1 else "mindspore.grad(f)(x, y)",
    )
