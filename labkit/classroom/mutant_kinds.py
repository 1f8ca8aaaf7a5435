"""The kinds of slips: for each kind of syntax node, what may be there by mistake, and its description.

A function of `SLIPS` yields, for one node, the kind of a slip, what it says (after "a right answer in which"), and the new node.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

_OPERATORS: dict[type, list[tuple[type, str, str]]] = {
    ast.Add: [
        (ast.Sub, "plus-minus", "a minus replaces a plus"),
        (ast.Mult, "plus-times", "a product replaces a sum"),
    ],
    ast.Sub: [(ast.Add, "plus-minus", "a plus replaces a minus")],
    ast.Mult: [
        (ast.Div, "times-over", "a divisor replaces a factor"),
        (ast.Add, "plus-times", "a sum replaces a product"),
    ],
    ast.Div: [
        (ast.Mult, "times-over", "a factor replaces a divisor"),
        (ast.FloorDiv, "whole-division", "a division is truncated to an integer"),
    ],
    ast.FloorDiv: [(ast.Div, "whole-division", "a division is not truncated to an integer")],
    ast.Pow: [(ast.Mult, "power", "a product replaces a power")],
    ast.MatMult: [(ast.Mult, "elementwise", "an elementwise product replaces a matrix product")],
    ast.And: [(ast.Or, "and-or", "'or' replaces 'and'")],
    ast.Or: [(ast.And, "and-or", "'and' replaces 'or'")],
}
_UNEVEN = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.MatMult)
_EDGE = "edge", "the bound itself is on the wrong side of a comparison"
_TURNED = "turned-round", "a condition is reversed"
_COMPARISONS: dict[type, dict[type, tuple[str, str]]] = {
    ast.Lt: {ast.LtE: _EDGE, ast.Gt: _TURNED, ast.GtE: _TURNED},
    ast.LtE: {ast.Lt: _EDGE, ast.Gt: _TURNED, ast.GtE: _TURNED},
    ast.Gt: {ast.GtE: _EDGE, ast.Lt: _TURNED, ast.LtE: _TURNED},
    ast.GtE: {ast.Gt: _EDGE, ast.Lt: _TURNED, ast.LtE: _TURNED},
    ast.Eq: {ast.NotEq: _TURNED}, ast.NotEq: {ast.Eq: _TURNED}, ast.In: {ast.NotIn: _TURNED},
    ast.NotIn: {ast.In: _TURNED}, ast.Is: {ast.IsNot: _TURNED}, ast.IsNot: {ast.Is: _TURNED},
}  # fmt: skip
_WORDS = {
    "sum": "the sum", "mean": "the mean", "prod": "the product", "max": "the largest", "min": "the smallest",
    "sqrt": "the root", "square": "the square", "abs": "the magnitude", "exp": "exp", "log": "log", "tanh": "tanh",
    "sin": "sin", "cos": "cos", "zeros": "zeros", "ones": "ones", "zeros_like": "zeros", "ones_like": "ones",
    "floor": "rounding down", "ceil": "rounding up", "round": "rounding", "maximum": "the larger of two",
    "minimum": "the smaller of two", "argmax": "the index of the largest", "argmin": "the index of the smallest",
    "any": "whether any is", "all": "whether all are", "cumsum": "the running sum", "stack": "stacking",
    "cumprod": "the running product", "concatenate": "concatenation", "int": "truncation to an integer",
    "len": "the length", "norm": "the norm", "reversed": "going backwards", "sorted": "sorting",
    "stop_gradient": "stopping the gradient", "detach": "detaching", "clone": "the copy", "copy": "the copy",
    "sign": "the sign", "astype": "the dtype", "where": "choosing by a condition",
}  # fmt: skip
_ALIKE = [
    "sum mean prod max min", "sqrt square abs exp log", "tanh sin cos exp", "zeros ones", "zeros_like ones_like",
    "floor ceil round", "maximum minimum", "argmax argmin", "any all", "cumsum cumprod", "stack concatenate",
]  # fmt: skip
_MODULES = ("np", "ms", "torch", "math")


def _binary(node):
    for op, kind, says in _OPERATORS.get(type(node.op), ()):
        yield kind, says, ast.BinOp(node.left, op(), node.right)
    what = (
        "a power"
        if isinstance(node.op, ast.Pow)
        else "a term"
        if isinstance(node.op, (ast.Add, ast.Sub))
        else "a factor"
    )
    if isinstance(node.op, (ast.Div, ast.FloorDiv)):
        what = "a division"
    yield "left-away", f"{what} is left out", node.left
    if not isinstance(node.op, ast.Pow):
        yield "left-away", f"{'a numerator' if what == 'a division' else what} is left out", node.right
    if isinstance(node.op, _UNEVEN):
        yield "operands", "two operands are in the opposite order", ast.BinOp(node.right, node.op, node.left)
    if isinstance(node.op, (ast.Mult, ast.Div)) and isinstance(node.left, ast.BinOp):
        inner = node.left  # (a + b) * c without its brackets
        if isinstance(inner.op, (ast.Add, ast.Sub)):
            new = ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right))
            yield "brackets", "a pair of parentheses is missing", new
    if isinstance(node.op, (ast.Mult, ast.Div)) and isinstance(node.right, ast.BinOp):
        inner = node.right
        new = ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right)
        yield "brackets", "a pair of parentheses is missing", new


def _boolean(node):
    for op, kind, says in _OPERATORS[type(node.op)]:
        yield kind, says, ast.BoolOp(op(), node.values)
    for i in range(len(node.values)):
        kept = [v for k, v in enumerate(node.values) if k != i]
        yield "condition-missing", "a condition is left out", ast.BoolOp(node.op, kept) if kept[1:] else kept[0]


def _compared(node):
    for i, op in enumerate(node.ops):
        for new, (kind, says) in _COMPARISONS[type(op)].items():
            yield kind, says, ast.Compare(node.left, [*node.ops[:i], new(), *node.ops[i + 1 :]], node.comparators)


def number_slips(node: ast.Constant, parent: ast.AST, field: str) -> Iterator[tuple[str, str, ast.AST]]:
    """Other numbers that may be `field` of `parent`; their meaning there decides their words."""
    value: Any = node.value
    kind, says = "constant", "a constant is wrong: a factor, a bound or an initial value"
    if isinstance(parent, ast.keyword):
        kind, says = "option", f"the option {parent.arg} is set to something else"
    elif isinstance(parent, ast.Subscript):
        kind, says = "another-item", "another index is used"
    elif isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and field == "right":
        kind, says = "power", "an exponent is wrong"
    if isinstance(value, bool):
        yield "switch", "True and False are exchanged", ast.Constant(not value)
    elif isinstance(value, (int, float)):
        for other in dict.fromkeys([value + 1, value - 1, 0, 1, 2 * value, value / 2, value * 10, value / 10]):
            if other != value:
                yield kind, says, ast.Constant(other)
        if value:
            yield kind, says, ast.Constant(-value)


def _called(node):
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    for other in dict.fromkeys(word for group in _ALIKE if name in group.split() for word in group.split()):
        if other != name:
            func = ast.Name(other, ast.Load()) if isinstance(node.func, ast.Name) else ast.Attribute(
                node.func.value, other, ast.Load()
            )  # fmt: skip
            says = f"{_WORDS[other]} is used instead of {_WORDS[name]}"
            yield "another-function", says, ast.Call(func, node.args, node.keywords)
    for i, (a, b) in enumerate(pairwise(node.args)):
        new = ast.Call(node.func, [*node.args[:i], b, a, *node.args[i + 2 :]], node.keywords)
        yield "arguments-exchanged", "two arguments of a call are exchanged", new
    for keyword in node.keywords:
        left = [k for k in node.keywords if k is not keyword]
        yield "option-missing", f"the option {keyword.arg} of a call is left out", ast.Call(node.func, node.args, left)
    if len(node.args) > 1:
        yield (
            "option-missing",
            "the last argument of a call is left out",
            ast.Call(node.func, node.args[:-1], node.keywords),
        )
    says = f"{_WORDS[name]} is left out" if name in _WORDS else "a function is not applied"
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield "not-applied", says, node.args[0]
    if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in _MODULES:
        yield "not-applied", says, node.func.value


def _indexed(node):
    if not isinstance(node.slice, (ast.Slice, ast.Tuple)) and not isinstance(getattr(node.slice, "value", 0), str):
        for op in (ast.Add(), ast.Sub()):
            moved = ast.BinOp(node.slice, op, ast.Constant(1))
            yield "index", "an index is off by one", ast.Subscript(node.value, moved, node.ctx)
    if isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Slice):
        yield "slice", "the whole is used instead of a part", node.value


def _sliced(node):
    one = ast.Constant(1)
    for name in ("lower", "upper"):
        bound = getattr(node, name)
        fields = {"lower": node.lower, "upper": node.upper, "step": node.step}
        others: list[Any] = [None, ast.BinOp(bound, ast.Add(), one), ast.BinOp(bound, ast.Sub(), one)] if bound else []
        if bound is None:
            others = [one if name == "lower" else ast.Constant(-1)]
        for other in others:
            yield "slice", "a slice begins or ends at the wrong index", ast.Slice(**{**fields, name: other})
    if node.step:
        yield "slice", "a slice is read in the opposite order", ast.Slice(node.lower, node.upper, None)


_TURNS = (
    ("[1:]", "loop-start", "a loop lacks its first iteration"), ("[:-1]", "loop-end", "a loop lacks its last iteration"),
    ("[::-1]", "loop-order", "a loop runs in the opposite order"), ("[:1]", "loop-once", "a loop has only one iteration"),
    ("[-1:]", "loop-once", "a loop has only its last iteration"),
)  # fmt: skip


def _slice_of(part: str) -> Any:
    body: Any = ast.parse(f"x{part}", mode="eval").body
    return body.slice


def _iterated(node):
    for part, kind, says in _TURNS:
        listed = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
        iterated = ast.Subscript(listed, _slice_of(part), ast.Load())
        if isinstance(node, ast.For):
            yield kind, says, ast.For(node.target, iterated, node.body, node.orelse)
        else:
            yield kind, says, ast.comprehension(node.target, iterated, node.ifs, node.is_async)
    if isinstance(node, ast.For) and isinstance(node.body[-1], (ast.Assign, ast.AugAssign, ast.Expr)):
        outside = ast.If(
            ast.Constant(True), [ast.For(node.target, node.iter, node.body[:-1] or [ast.Pass()], []), node.body[-1]], []
        )
        yield "after-loop", "a step is done once after the loop, not in each iteration", outside
    for i, condition in enumerate(getattr(node, "ifs", [])):
        rest = [c for k, c in enumerate(node.ifs) if k != i]
        yield (
            "filter",
            "nothing is left out where something should be",
            ast.comprehension(node.target, node.iter, rest, 0),
        )
        turned = [*rest, ast.UnaryOp(ast.Not(), condition)]
        yield _TURNED[0], _TURNED[1], ast.comprehension(node.target, node.iter, turned, 0)


def _returned(node):
    if node.value and not isinstance(node.value, ast.Tuple):
        yield "sign", "the result has the opposite sign", ast.Return(ast.UnaryOp(ast.USub(), node.value))


def _collected(node):
    if isinstance(node.ctx, ast.Load):
        items = node.elts
        for i, item in enumerate(items):
            negated = [*items[:i], ast.UnaryOp(ast.USub(), item), *items[i + 1 :]]
            yield "part-sign", f"part [{i}] has the opposite sign", type(node)(negated, node.ctx)
            for k in range(i + 1, len(items)):
                changed = list(items)
                changed[i], changed[k] = changed[k], changed[i]
                yield "results-exchanged", "two results are exchanged", type(node)(changed, node.ctx)
                for at, taken in ((i, k), (k, i)):
                    same = [*items[:at], items[taken], *items[at + 1 :]]
                    yield "same-twice", "one result is returned twice", type(node)(same, node.ctx)


def _conditional(node):
    rest = {field: value for field, value in ast.iter_fields(node) if field != "test"}
    yield *_TURNED, type(node)(test=ast.UnaryOp(ast.Not(), node.test), **rest)
    if not isinstance(node, ast.While):
        yield (
            "case-always",
            "one case is always used, where two must be distinguished",
            type(node)(test=ast.Constant(True), **rest),
        )
        yield (
            "case-always",
            "one case is always used, where two must be distinguished",
            type(node)(test=ast.Constant(False), **rest),
        )


def _augmented(node):
    for op, kind, says in _OPERATORS.get(type(node.op), ()):
        yield kind, says, ast.AugAssign(node.target, op(), node.value)
    yield (
        "overwritten",
        "a value is overwritten instead of accumulated",
        ast.Assign([node.target], node.value),
    )


def _unary(node):
    if isinstance(node.op, ast.Not):
        yield *_TURNED, node.operand
    elif not isinstance(node.operand, ast.Constant):
        yield "sign", "a minus sign is left out", node.operand


def _assigned(node):
    yield (
        "sign",
        "an intermediate value has the opposite sign",
        ast.Assign(node.targets, ast.UnaryOp(ast.USub(), node.value)),
    )


def _attribute(node):
    if node.attr == "T" and isinstance(node.ctx, ast.Load):
        yield "transpose", "a transpose is left out", node.value


def _matrix(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        for side in ("left", "right"):
            turned = ast.Attribute(getattr(node, side), "T", ast.Load())
            new = ast.BinOp(*((turned, node.op, node.right) if side == "left" else (node.left, node.op, turned)))
            yield "transpose", "there is one transpose too many", new


SLIPS: dict[Any, Any] = {
    ast.BinOp: lambda node: (*_binary(node), *_matrix(node)), ast.BoolOp: _boolean, ast.Compare: _compared,
    ast.Call: _called, ast.Subscript: _indexed, ast.Slice: _sliced, (ast.For, ast.comprehension): _iterated,
    ast.Return: _returned, (ast.Tuple, ast.List): _collected, (ast.If, ast.While, ast.IfExp): _conditional,
    ast.AugAssign: _augmented, ast.UnaryOp: _unary, ast.Assign: _assigned, ast.Attribute: _attribute,
}  # fmt: skip
