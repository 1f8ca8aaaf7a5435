"""Random programs over PyTorch's autograd, as text: `program(seed)` is a list of statements.

Two kinds: a tape that lives through views, in-place ops, hooks and several walks back, and functions under
`torch.func`, nested. The shapes are tracked while a program is drawn, so most statements make sense; those that
PyTorch refuses are kept, for what it says is to be compared too.
"""

import random

PRELUDE = """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


class Changed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, g):
        return 3 * g


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return -g"""

SHAPES = [(), (2,), (2,), (2, 2), (2, 2)]
UNARY = ["sin", "cos", "tanh", "sigmoid", "exp", "relu", "square", "neg", "clone", "abs"]
BINARY = ["+", "-", "*", "*"]


class Drawing:
    """A program being drawn: what names there are, of what shape, and what can be asked of them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shapes, self.lines, self.count = {}, [], 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def new(self, letter, shape):
        self.count += 1
        name = f"{letter}{self.count}"
        self.shapes[name] = shape
        return name

    def name(self, *shapes, ours=False):
        """One of the names, often a late one, of one of these shapes (of any, where none has). `ours`: no gradient, for
        whether that has memory of its own is the framework's business."""
        names = [n for n, s in self.shapes.items() if (not shapes or s in shapes) and not (ours and n[0] == "g")]
        names = names or list(self.shapes)
        return names[max(self.random.randrange(len(names)), self.random.randrange(len(names)))]

    def numbers(self, shape):
        draw = lambda: self.random.randrange(-12, 13) / 8
        if not shape:
            return repr(draw())
        return "[" + ", ".join(self.numbers(shape[1:]) for _ in range(shape[0])) + "]"

    def number(self):
        return self.pick("2.0", "0.5", "-1.0", "3", "1.5")

    # ---- expressions, each with its shape ----

    def operand(self, shape):
        """Something that broadcasts to `shape`."""
        fitting = [n for n, s in self.shapes.items() if s == shape or s == () or (s == (2,) and shape == (2, 2))]
        return self.random.choice(fitting) if fitting and self.chance(0.7) else self.number()

    def expression(self):
        x = self.name()
        shape = self.shapes[x]
        kind = self.random.randrange(8)
        if kind < 3:
            return f"{x}.{self.random.choice(UNARY)}()", shape
        if kind < 6:
            return f"{x} {self.random.choice(BINARY)} {self.operand(shape)}", shape
        if kind == 6:
            return self.pick((f"{x}.sum()", ()), (f"{x}.mean()", ()), (f"{x} ** 2", shape), (f"{x}.pow(3)", shape),
                             (f"{x}.exp().sum()", ()), (f"torch.maximum({x}, {x} * 0.5)", shape))  # fmt: skip
        return self.shaped(x, shape)

    def shaped(self, x, shape):
        if shape == ():
            return self.pick((f"{x}.expand(2)", (2,)), (f"torch.stack([{x}, {x}])", (2,)), (f"{x}.clone()", ()))
        if shape == (2,):
            return self.pick((f"torch.stack([{x}, {self.name((2,))}])", (2, 2)), (f"torch.outer({x}, {x})", (2, 2)),
                             (f"torch.cat([{x}, {x}])[1:3]", (2,)), (f"{x}.flip(0)", (2,)),
                             (f"torch.dot({x}, {x})", ()), (f"{x}.cumsum(0)", (2,)), (f"{x}.max()", ()))  # fmt: skip
        return self.pick((f"{x} @ {self.name((2, 2))}", (2, 2)), (f"{x}.sum(0)", (2,)), (f"{x}.mean(1)", (2,)),
                         (f"{x} @ {self.name((2,))}", (2,)), (f"{x}.softmax(1)", (2, 2)),
                         (f"torch.where({x} > 0, {x}, {x} * 2)", (2, 2)), (f"{x}.prod()", ()))  # fmt: skip

    def viewing(self, x):
        shape = self.shapes[x]
        always = [(f"{x}.view_as({x})", shape), (f"{x}.detach()", shape), (f"{x}[...]", shape)]
        if shape == (2,):
            always += [(f"{x}[0]", ()), (f"{x}[1]", ()), (f"{x}.unbind()[1]", ()), (f"{x}[:]", shape)]
            always += [(f"{x}.expand(2, 2)", (2, 2))]
        if shape == (2, 2):
            always += [(f"{x}[0]", (2,)), (f"{x}[:, 1]", (2,)), (f"{x}.t()", shape), (f"{x}.diagonal()", (2,))]
            always += [(f"{x}.view(4)[1:3]", (2,)), (f"{x}.unbind()[0]", (2,)), (f"{x}.chunk(2)[1].squeeze(0)", (2,))]
            always += [(f"{x}.transpose(0, 1)[1]", (2,)), (f"{x}.select(1, 0)", (2,)), (f"{x}.reshape(4)[2]", ())]
        return self.random.choice(always)

    def change(self, x):
        """An in-place op on `x`, as a statement."""
        shape = self.shapes[x]
        other = self.operand(shape)
        kind = self.random.randrange(9)
        if kind < 2:
            return f"{x}.{self.pick('mul_', 'add_', 'sub_', 'mul_')}({other})"
        if kind == 2:
            return f"{x} {self.pick('+=', '*=', '-=')} {other}"
        if kind == 3:
            return f"{x}.{self.pick('sin_', 'exp_', 'tanh_', 'sigmoid_', 'neg_', 'relu_', 'abs_', 'square_')}()"
        if kind == 4:
            names = [n for n, s in self.shapes.items() if s in (shape, ())]
            return f"{x}.copy_({self.random.choice(names)})"
        if kind == 5:
            return self.pick(f"{x}.zero_()", f"{x}.fill_(2.0)", f"{x}.pow_(2)", f"{x}.clamp_(-1.0, 1.0)")
        if kind == 6:
            return f"{x}.masked_fill_({x} > 0, 0.5)"
        if not shape:
            return f"{x}.div_(2)"
        scalars = [n for n, s in self.shapes.items() if s == ()] or ["0.25"]
        if kind == 7 and shape == (2,):
            return f"{x}[{self.pick(0, 1)}] = {self.random.choice([*scalars, '0.25'])}"
        return f"{x}[{self.pick('0', '1', '1:', '...')}] = {self.random.choice(['0.75', *scalars])}"


# ---- a tape ----


def tape(drawing):
    """Statements over one tape."""
    for _ in range(drawing.pick(1, 2, 2, 3)):
        shape = drawing.random.choice(SHAPES)
        grad = ", requires_grad=True" if drawing.chance(0.75) else ""
        numbers = drawing.numbers(shape)
        name = drawing.new("a", shape)
        drawing.lines.append(f"{name} = torch.tensor({numbers}{grad})")
    for _ in range(drawing.random.randrange(4, 16)):
        drawing.lines.append(within(drawing, statement(drawing)))
    walk(drawing)
    drawing.lines.extend(f"print('{n}', state({n}))" if n[0] != "g" else f"show({n})" for n in drawing.shapes)


def within(drawing, line):
    if "\n" not in line and drawing.chance(0.08):
        mode = drawing.pick("no_grad", "no_grad", "enable_grad", "set_grad_enabled")
        if "set_grad" in mode:
            mode += "(False)\n    with torch.enable_grad" if drawing.chance(0.5) else "(False"
            mode = mode if mode.endswith("grad") else mode + ")"
            inner = "        " if "\n" in mode else "    "
            return f"with torch.{mode}{'()' if inner == '        ' else ''}:\n{inner}{line}".replace(
                "(False)\n    with", "(False):\n    with"
            )
        return f"with torch.{mode}():\n    {line}"
    return line


def statement(drawing):
    kind = drawing.random.random()
    if kind < 0.34:
        text, shape = drawing.expression()
        return f"{drawing.new('b', shape)} = {text}"
    if kind < 0.48:
        text, shape = drawing.viewing(drawing.name(ours=True))
        return f"{drawing.new('v', shape)} = {text}"
    if kind < 0.68:
        return drawing.change(drawing.name(ours=True))
    if kind < 0.85:
        return watched(drawing)
    if kind < 0.91:
        x = drawing.name()
        function = drawing.pick("Twice", "Changed", "Same")
        return f"{drawing.new('f', drawing.shapes[x])} = {function}.apply({x})"
    if kind < 0.94:
        x = drawing.name()
        return drawing.pick(f"{x}.requires_grad_()", f"{x}.detach_()", f"{x}.grad = None", f"{x}.data.mul_(2)",
                            f"{x}.data = {x}.data * 2")  # fmt: skip
    walk(drawing)
    return "pass"


def watched(drawing):
    """A hook, or `retain_grad`."""
    x, number = drawing.name(), drawing.count
    drawing.count += 1
    return drawing.pick(
        f"{x}.retain_grad()",
        f"{x}.retain_grad()",
        f"h{number} = {x}.register_hook(lambda g: show('h{number}', g))",
        f"h{number} = {x}.register_hook(lambda g: g * 2)",
        f"with {x}.register_hook(lambda g: g + 1):\n    {x}.sum().backward(retain_graph=True)",
        f"h{number} = {x}.grad_fn.register_hook(lambda i, o: show('n{number}', i, o))",
        f"h{number} = {x}.grad_fn.register_prehook(lambda o: show('p{number}', o))",
        f"h{number} = {x}.grad_fn.register_prehook(lambda o: tuple(g * 3 for g in o))",
        f"h{number} = {x}.register_post_accumulate_grad_hook(lambda t: show('q{number}', t.grad))",
        f"print([n.name() if n else n for n, _ in {x}.grad_fn.next_functions])",
    )


def walk(drawing):
    """A walk back, of either kind."""
    y = drawing.name()
    keep = drawing.pick("", "retain_graph=True", "retain_graph=True", "create_graph=True")
    kind = drawing.random.random()
    if kind < 0.55:
        drawing.lines.append(f"{y}.sum().backward({keep})")
    elif kind < 0.65:
        drawing.lines.append(f"{y}.sum().backward(inputs=[{drawing.name()}]{', ' + keep if keep else ''})")
    elif kind < 0.72:
        numbers = drawing.numbers(drawing.shapes[y])
        drawing.lines.append(f"{y}.backward(torch.tensor({numbers}){', ' + keep if keep else ''})")
    else:
        xs = [drawing.name() for _ in range(drawing.pick(1, 1, 2))]
        unused = ", allow_unused=True" if drawing.chance(0.7) else ""
        text = f"torch.autograd.grad({y}.sum(), [{', '.join(xs)}]{unused}{', ' + keep if keep else ''})"
        names = [drawing.new("g", drawing.shapes[x]) for x in xs]
        drawing.lines.append(f"{', '.join(names)}, = {text}")
        drawing.lines.append(f"show({', '.join(names)})")


# ---- transforms ----


def transforms(drawing):
    """A function, perhaps with a transform inside, and transforms of it."""
    leaves = []
    for _ in range(2):
        shape = drawing.pick((), (2,), (2,), (2, 2))
        numbers, grad = drawing.numbers(shape), ", requires_grad=True" if drawing.chance(0.3) else ""
        leaves.append(drawing.new("a", shape))
        drawing.lines.append(f"{leaves[-1]} = torch.tensor({numbers}{grad})")
    outer = function(drawing, "f", [drawing.shapes[n] for n in leaves], drawing.chance(0.4))
    drawing.lines.append(outer)
    for _ in range(drawing.pick(1, 2)):
        drawing.lines.append(within(drawing, use(drawing, "f", leaves)))
    drawing.lines.extend(f"print('{n}', state({n}))" for n in leaves)


def function(drawing, name, shapes, nested=False, scalar=None):
    """The text of a function of tensors of these shapes."""
    outside, drawing.shapes = drawing.shapes, {}
    arguments = [drawing.new("x", s) for s in shapes]
    captured = [n for n in outside if drawing.chance(0.3)]
    drawing.shapes.update({n: outside[n] for n in captured})
    body = []
    if nested:
        inner = [drawing.name() for _ in shapes]
        own = function(drawing, "g", [drawing.shapes[n] for n in inner])
        body += own.splitlines()
        made = drawing.new("t", ())
        body.append(f"{made} = total({transformed(drawing, 'g', inner)})")
    for _ in range(drawing.random.randrange(2, 6)):
        body.append(body_line(drawing))
    results = [drawing.name() for _ in range(drawing.pick(1, 1, 2))]
    total = " + ".join(f"{r}.sum()" for r in [*results, *arguments[:1]])
    out = total if scalar or drawing.chance(0.75) else drawing.pick(results[0], f"({results[0]}, {total})")
    body.append(f"return {out}")
    drawing.shapes = outside
    return f"def {name}({', '.join(arguments)}):\n" + "\n".join("    " + line for line in body)


def body_line(drawing):
    kind = drawing.random.random()
    if kind < 0.62:
        text, shape = drawing.expression()
        return f"{drawing.new('b', shape)} = {text}"
    if kind < 0.76:
        text, shape = drawing.viewing(drawing.name())
        return f"{drawing.new('v', shape)} = {text}"
    if kind < 0.9:
        return drawing.change(drawing.name())
    text, shape = drawing.expression()
    made = drawing.new("n", shape)
    return drawing.pick(f"{made} = torch.zeros({list(shape)}) + {drawing.operand(shape)}", f"{made} = {text}",
                        f"with torch.no_grad():\n        {made} = {text}")  # fmt: skip


def transformed(drawing, f, names):
    """A transform of `f` applied to these names, as an expression."""
    args, both = ", ".join(names), drawing.pick("", ", argnums=(0, 1)", ", argnums=1")
    ones = ", ".join(f"torch.ones_like({n})" for n in names)
    return drawing.pick(
        f"torch.func.grad({f}{both})({args})",
        f"torch.func.grad({f}{both})({args})",
        f"torch.func.grad_and_value({f})({args})",
        f"torch.func.jvp({f}, ({args},), ({ones},))",
        f"torch.func.jacrev({f}{both})({args})",
        f"torch.func.jacfwd({f}{both})({args})",
        f"torch.func.hessian({f})({args})",
        f"torch.func.grad(lambda *z: total(torch.func.grad({f})(*z)))({args})",
        f"pulled(torch.func.vjp({f}, {args}))",
    )


def use(drawing, f, names):
    return f"numbers({transformed(drawing, f, names)})"


TOTAL = """\
def total(tree):
    if isinstance(tree, (tuple, list)):
        return sum(total(t) for t in tree)
    return (tree * tree).sum()"""
PULLED = """\
def pulled(pair):
    out, pull = pair
    like = lambda t: tuple(map(like, t)) if isinstance(t, tuple) else torch.ones_like(t)
    return out, pull(like(out))"""


def program(seed):
    """The statements of program number `seed`."""
    drawing = Drawing(seed)
    if seed % 3 == 2:
        drawing.lines += [TOTAL, PULLED]
        transforms(drawing)
    else:
        tape(drawing)
        if any(f"{f}.apply" in line for line in drawing.lines for f in ("Twice", "Changed", "Same")):
            drawing.lines.insert(0, PRELUDE)
    return drawing.lines
