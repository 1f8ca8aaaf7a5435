"""Every first-order mutant of a source: what becomes of it by one small slip, such as `<` for `<=` or a line left out.

    from mutants import mutants
    for mutant in mutants("answer = lambda x: x + 1"):
        print(mutant.change)

A slip is an entry of `SLIPS`: a kind of syntax node, and a function that gives what may stand there instead.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations


@dataclass(frozen=True)
class Mutant:
    """A source with one slip; `change` says which, by the line before and after: `return a + b -> return a - b`."""

    change: str
    source: str


@dataclass(frozen=True)
class Spot:
    """Where a slip may happen: `parent.field`, or its item `index` in a list; inside of `statement` and `function`."""

    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    statement: ast.stmt | None
    function: ast.AST | None


OPERATORS = {
    ast.Add: [ast.Sub, ast.Mult], ast.Sub: [ast.Add], ast.Mult: [ast.Div, ast.Add], ast.Div: [ast.Mult, ast.FloorDiv],
    ast.FloorDiv: [ast.Div, ast.Mult], ast.Mod: [ast.FloorDiv], ast.Pow: [ast.Mult], ast.MatMult: [ast.Mult],
    ast.And: [ast.Or], ast.Or: [ast.And],
    ast.Lt: [ast.LtE, ast.Gt, ast.GtE], ast.LtE: [ast.Lt, ast.Gt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt, ast.LtE], ast.GtE: [ast.Gt, ast.Lt, ast.LtE],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.In: [ast.NotIn], ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot], ast.IsNot: [ast.Is],
}  # fmt: skip
UNEVEN = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)  # a op b is not b op a
ALIKE = [
    "sum mean prod max min", "sqrt square abs exp log", "tanh sin cos exp", "zeros ones", "zeros_like ones_like",
    "floor ceil round", "maximum minimum", "argmax argmin", "any all", "cumsum cumprod", "stack concatenate",
]  # fmt: skip
MODULES = ("np", "anp", "math", "ms", "ms.nn", "ms.ops", "torch")
ONCE = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.While)  # to be there twice changes nothing
WHOLE = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Nonlocal, ast.Pass)  # never dropped


def mutants(source: str) -> Iterator[Mutant]:
    """Each source that differs from `source` by one slip, once; equal changes of equal lines are numbered."""
    tree = ast.parse(source)
    seen, changes = {ast.unparse(tree)}, Counter()
    texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    for spot in list(_spots(tree)):
        for new in _instead(spot, list(dict.fromkeys(texts))):
            change, text = _changed(tree, spot, new)
            if text not in seen:
                seen.add(text)
                changes[change] += 1
                yield Mutant(change + (f" #{changes[change]}" if changes[change] > 1 else ""), text)


def _spots(node, statement=None, function=None):
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not isinstance(child, (ast.Import, ast.ImportFrom)):
                inside = child if isinstance(child, ast.stmt) else statement
                around = child if isinstance(child, (ast.FunctionDef, ast.Lambda)) else function
                yield Spot(node, field, index, child, inside, function)
                yield from _spots(child, inside, around)


def _changed(tree, spot, new):
    """What the change is called, and the whole source with it; the tree is put back."""
    line = lambda statement: ast.unparse(statement).strip().split("\n")[0]
    old, before = getattr(spot.parent, spot.field), line(spot.statement)
    changed = new[0] if spot.index is None else [*old[: spot.index], *new, *old[spot.index + 1 :]]
    setattr(spot.parent, spot.field, changed)
    for made in new:
        ast.fix_missing_locations(made)
    text = ast.unparse(tree)
    after = line(new[0] if new and spot.node is spot.statement else spot.statement)
    setattr(spot.parent, spot.field, old)
    if isinstance(new[0] if new else None, ast.Pass):
        return f"dropped: {before}", text
    if new[1:] == [spot.node]:
        return f"doubled: {before}", text
    if isinstance(spot.node, ast.With) and new == spot.node.body:
        return f"unwrapped: {before}", text
    return f"{before} -> {after}", text


def _instead(spot, texts):
    """Lists of nodes that may stand at a spot instead of what is there."""
    node = spot.node
    for kind, slip in SLIPS.items():
        if isinstance(node, kind):
            yield from ([new] for new in slip(node))
    if isinstance(node, ast.Constant) and not isinstance(spot.parent, (ast.Subscript, ast.keyword)):
        yield from ([ast.Constant(-node.value)] for _ in [0] if type(node.value) in (int, float) and node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from ([ast.Constant(text)] for text in texts if text != node.value)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and isinstance(spot.function, ast.FunctionDef):
        names = [a.arg for a in spot.function.args.args]
        yield from ([ast.Name(n)] for n in names if node.id in names and n != node.id)
    elif isinstance(node, ast.stmt) and not isinstance(node, WHOLE):
        yield from _statement(node)
    elif spot.field == "decorator_list":
        yield []


def _statement(node):
    """A line that is left out, or runs twice; what is in a `with` without it."""
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "answer":
        return
    yield [ast.Pass()]
    if isinstance(node, ast.With):
        yield node.body
    if isinstance(node, ast.Assign):
        twice = _names(*node.targets) & _names(node.value)
    else:
        twice = not isinstance(node, ONCE) and not isinstance(getattr(node, "body", [node])[-1], ONCE)
    if twice:
        yield [node, node]


def _names(*nodes):
    return {inside.id for node in nodes for inside in ast.walk(node) if isinstance(inside, ast.Name)}


def _is_zero(node):
    return isinstance(node, ast.Constant) and node.value == 0


def _binary(node):
    yield from (ast.BinOp(node.left, op(), node.right) for op in OPERATORS.get(type(node.op), ()))
    yield from (node.left, node.right)
    if isinstance(node.op, UNEVEN):
        yield ast.BinOp(node.right, node.op, node.left)


def _boolean(node):
    yield from (ast.BoolOp(op(), node.values) for op in OPERATORS[type(node.op)])
    for left_out in node.values:
        kept = [v for v in node.values if v is not left_out]
        yield ast.BoolOp(node.op, kept) if kept[1:] else kept[0]


def _compared(node):
    for i, op in enumerate(node.ops):
        for new in OPERATORS[type(op)]:
            yield ast.Compare(node.left, [*node.ops[:i], new(), *node.ops[i + 1 :]], node.comparators)


def _number(node):
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        others = dict.fromkeys([value + 1, value - 1, type(value)(0), type(value)(1), 2 * value])
        yield from (ast.Constant(other) for other in others if other != value)


def _called(node):
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    for other in dict.fromkeys(word for group in ALIKE if name in group.split() for word in group.split()):
        if other != name:
            func = node.func
            new = ast.Name(other) if isinstance(func, ast.Name) else ast.Attribute(func.value, other)
            yield ast.Call(new, node.args, node.keywords)
    for i, (a, b) in enumerate(pairwise(node.args) if name not in ("min", "max") else ()):
        yield ast.Call(node.func, [*node.args[:i], b, a, *node.args[i + 2 :]], node.keywords)
    for keyword in node.keywords:
        yield ast.Call(node.func, node.args, [k for k in node.keywords if k is not keyword])
    if len(node.args) > 1:
        yield ast.Call(node.func, node.args[:-1], node.keywords)
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) not in MODULES:
        yield node.func.value
    if name == "range":
        *start, stop = node.args[:2]
        yield ast.Call(node.func, [*start, ast.BinOp(stop, ast.Add(), ast.Constant(1)), *node.args[2:]], [])


def _index(node):
    if not isinstance(node.slice, (ast.Slice, ast.Constant)):
        for step in (ast.Add(), ast.Sub()):
            yield ast.Subscript(node.value, ast.BinOp(node.slice, step, ast.Constant(1)), node.ctx)


def _slice(node):
    bounds = {"lower": node.lower, "upper": node.upper, "step": node.step}
    for name, bound in bounds.items():
        others = (
            [None]
            if name == "step"
            else [None, *(ast.BinOp(bound, op(), ast.Constant(1)) for op in (ast.Add, ast.Sub))]
        )
        yield from (ast.Slice(**{**bounds, name: other}) for other in others if bound is not None)
    if node.lower is None:
        yield ast.Slice(**{**bounds, "lower": ast.Constant(1)})
    if node.upper is None:
        yield ast.Slice(**{**bounds, "upper": ast.Constant(-1)})


def _iterated(node):
    """A loop that misses the first or the last turn, makes the last one twice, or goes the other way."""
    counts = not _names(node.target) - {"_"} & _names(*getattr(node, "body", [node.target]))  # it only says how often
    made = [f"list({ast.unparse(node.iter)}){part}" for part in ("[1:]", "[:-1]", "[::-1]")[: 2 if counts else 3]]
    made.append(f"[t for turns in [list({ast.unparse(node.iter)})] for t in turns + turns[-1:]]")
    for text in made:
        iterated = ast.parse(text, mode="eval").body
        if isinstance(node, ast.For):
            yield ast.For(node.target, iterated, node.body, node.orelse)
        else:
            yield ast.comprehension(node.target, iterated, node.ifs, node.is_async)


def _returned(node):
    if not isinstance(node.value, ast.Tuple):
        yield ast.Return(ast.UnaryOp(ast.USub(), node.value)) if node.value else ast.Return()


def _exchanged(node):
    """Two items the other way round, one item with the other sign."""
    if isinstance(node.ctx, ast.Load):
        for i, j in permutations(range(len(node.elts)), 2):
            if i < j:
                yield type(node)(
                    [*node.elts[:i], node.elts[j], *node.elts[i + 1 : j], node.elts[i], *node.elts[j + 1 :]]
                )
        for i in (i for i, item in enumerate(node.elts) if not _is_zero(item)):
            item = node.elts[i]
            yield type(node)([*node.elts[:i], ast.UnaryOp(ast.USub(), item), *node.elts[i + 1 :]])


def _conditional(node):
    rest = {field: value for field, value in ast.iter_fields(node) if field != "test"}
    yield type(node)(test=ast.UnaryOp(ast.Not(), node.test), **rest)
    for always in [False] if isinstance(node, ast.While) else [True, False]:
        yield type(node)(test=ast.Constant(always), **rest)


def _filtered(node):
    for i, condition in enumerate(node.ifs):
        for new in ([], [ast.UnaryOp(ast.Not(), condition)]):
            yield ast.comprehension(node.target, node.iter, [*node.ifs[:i], *new, *node.ifs[i + 1 :]], node.is_async)


def _augmented(node):
    yield from (ast.AugAssign(node.target, op(), node.value) for op in OPERATORS.get(type(node.op), ()))
    yield ast.Assign([node.target], node.value)


SLIPS = {
    ast.BinOp: _binary, ast.BoolOp: _boolean, ast.Compare: _compared, ast.Call: _called, ast.Slice: _slice,
    ast.For: _iterated, ast.Return: _returned, (ast.Tuple, ast.List): _exchanged, ast.Subscript: _index,
    (ast.If, ast.While, ast.IfExp): _conditional, ast.AugAssign: _augmented, ast.Constant: _number,
    ast.comprehension: lambda node: (*_iterated(node), *_filtered(node)),
    ast.UnaryOp: lambda node: [node.operand],
    ast.Assign: lambda node: [ast.Assign(node.targets, ast.UnaryOp(ast.USub(), node.value))] * (not _is_zero(node.value)),
    ast.Attribute: lambda node: [node.value] if node.attr == "T" else [],
    ast.arguments: lambda node: (
        ast.arguments([], [*node.args[:i], b, a, *node.args[i + 2 :]], None, [], [], None, node.defaults)
        for i, (a, b) in enumerate(pairwise(node.args))
        if a.arg != "self"
    ),
}  # fmt: skip
