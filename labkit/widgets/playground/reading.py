"""The typed code as a function: an expression, a few lines that end in one, or a function with its `def`."""

import ast
import builtins
import inspect
import linecache
import math
import symtable
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from ...messages.suggestions import did_you_mean
from .hints import bases, of_function, of_name

NUMBERS = 1.5, 0.6, 0.4, -0.8, 2.0, 0.3  # what inputs are at first
CONSTANTS = {"e": math.e, "pi": math.pi, "π": math.pi}  # the inputs of these names
DIALECTS = {
    "numpy": {"np": "autograd.numpy", "numpy": "autograd.numpy", "labkit": "labkit"},
    "mindspore": {"ms": "labkit.mindspore", "mindspore": "labkit.mindspore", "nn": "labkit.mindspore.nn",
                  "ops": "labkit.mindspore.ops", "np": "numpy", "numpy": "numpy"},
    "torch": {"torch": "labkit.torch", "nn": "labkit.torch.nn", "F": "labkit.torch.nn.functional", "np": "numpy",
              "numpy": "numpy"},
}  # fmt: skip
_FUNCTIONS = {"numpy": "autograd.numpy", "mindspore": "labkit.mindspore.ops", "torch": "labkit.torch"}


class NotRead(Exception):
    """What was typed cannot be used; the message says what was expected."""


@dataclass
class Sketch:
    """What was typed, run: its `names`, and the `function` in it with its inputs, or the `value` of its last line.

    `shift`: how many lines the code has before the first that was typed.
    """

    names: dict[str, Any]
    function: Callable | None = None
    value: Any = None
    inputs: dict[str, Any] = field(default_factory=dict)
    shift: int = 0


def read(source: str, dialect: str, given: Mapping[str, str]) -> Sketch:
    """Run what was typed. Names that it uses before they have a value are inputs, in their order; `given` are values as text.

    Functions of the dialect need no module before them: `tanh(x)`; `torch` and `mindspore` are labkit's. Raises NotRead where
    there is nothing, or an input is no number; what the code raises is passed on.

    >>> sketch = read("tanh(x*w)**2", "numpy", {"x": "2", "w": "0.5"})
    >>> sketch.inputs, round(float(sketch.function(*sketch.inputs.values())), 3)
    ({'x': 2.0, 'w': 0.5}, 0.58)
    """
    if dialect not in DIALECTS:
        raise NotRead(
            "dialect: expected {known}, but got {dialect!r}".format(known=", ".join(DIALECTS), dialect=dialect)
        )
    source = textwrap.dedent(source).strip("\n")
    tree = ast.parse(source, FILE)
    if not tree.body:
        raise NotRead("Type an expression, such as tanh(x*w + b)**2, or a few lines of Python.")
    names: dict[str, Any] = {name: import_module(module) for name, module in DIALECTS[dialect].items()}
    free = free_names(source, tree, names)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for name in [name for name in free if name in called]:
        free.remove(name)
        names[name] = _function(dialect, name)
    for name in bases(tree).intersection(free):
        if said := of_name(name, dialect, DIALECTS):
            raise NotRead(said)
    names |= {"__name__": "__main__", "__file__": FILE}
    result = _result(tree)
    if free and result is not None:
        return _of_lines(source, result, free, names, dialect, given)
    return _of_program(source, tree, names, dialect, given)


def _result(tree):
    """What lines end in: the expression of the last one, or of its `print`, or the name that it gives a value to."""
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return last_given(tree)
    printed = last.value
    if isinstance(printed, ast.Call) and isinstance(printed.func, ast.Name) and printed.func.id == "print":
        return printed.args[-1] if printed.args and not isinstance(printed.args[-1], ast.Starred) else None
    return last.value


def _of_lines(source, result, free, names, dialect, given):
    """Lines that end in a `result`, as a function of the names that they do not define."""
    lines = source.splitlines()
    if isinstance(result, str):
        lines.append(f"return {result}")
    else:
        statement = ast.parse(source).body[-1]
        text = ast.get_source_segment(source, result) or ""
        head = lines[statement.lineno - 1].encode()[: statement.col_offset].decode()
        lines[statement.lineno - 1 :] = [
            f"{head}return ({line}" if i == 0 else line for i, line in enumerate(text.splitlines())
        ]
        lines[-1] += ")"
    body = "\n".join("    " + line for line in lines)
    _run(f"def f({', '.join(free)}):\n{body}\n", names)
    inputs = {name: _input(name, given.get(name, _first(name, i)), dialect) for i, name in enumerate(free)}
    return Sketch(names, names["f"], None, inputs, 1)


def _of_program(source, tree, names, dialect, given):
    """A program: the function that it ends with, or that it calls with numbers at last; or the value of its last line."""
    last, value = tree.body[-1], None
    if isinstance(last, ast.Expr):
        _run(ast.Module(tree.body[:-1], []), names, source)
        value = eval(compile(ast.Expression(last.value), FILE, "eval"), names)
    else:
        _run(tree, names, source)
    function, defaults = value if inspect.isfunction(value) else None, ()
    if isinstance(last, ast.FunctionDef):
        function = names.get(last.name)
    elif called := _called(tree, last):
        function, defaults = names.get(called[0]), called[1]
    elif isinstance(last, ast.Assign) and inspect.isfunction(named := names.get(last_given(tree) or "")):
        function = named
    if not inspect.isfunction(function):
        return Sketch(names, None, value)
    inputs = {}
    for i, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            continue
        default = str(defaults[i]) if i < len(defaults) else parameter.default
        if parameter.name not in given and default is not parameter.empty and not isinstance(default, str):
            inputs[parameter.name] = default
        else:
            first = default if isinstance(default, str) else _first(parameter.name, i)
            inputs[parameter.name] = _input(parameter.name, given.get(parameter.name, first), dialect)
    return Sketch(names, function, None, inputs)


def _called(tree, last):
    """The function of this program that its last line calls with numbers alone, and the numbers."""
    call = last.value if isinstance(last, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.keywords or not call.args:
        return None
    if call.func.id not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
        return None
    try:
        return call.func.id, [float(ast.literal_eval(argument)) for argument in call.args]
    except (ValueError, TypeError):
        return None


def loosened(source: str) -> tuple[str, dict[str, str]] | None:
    """The source without the lines that set a name to a number once, and these numbers, as text; None where there are none.

    >>> loosened("x = 2.0\\ny = x**2")
    ('\\ny = x**2', {'x': '2.0'})
    """
    tree = ast.parse(source, FILE)
    given = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    numbers, lines = {}, source.splitlines()
    for node in [node for node in tree.body[:-1] if isinstance(node, ast.Assign) and len(node.targets) == 1][::-1]:
        name = node.targets[0]
        if (
            isinstance(name, ast.Name)
            and given.count(name.id) == 1
            and _is_number(node.value)
            and node.lineno == node.end_lineno
        ):
            line = lines[node.lineno - 1].encode()
            before, after = line[: node.col_offset], line[node.end_col_offset :]
            lines[node.lineno - 1] = (before + (b"pass" if (before + after).strip() else b"") + after).decode()
            numbers[name.id] = ast.unparse(node.value)
    return ("\n".join(lines), numbers) if numbers else None


def _is_number(node):
    """Whether this is a number that is written out, or a list of them."""
    parts = node.elts if isinstance(node, ast.List) else [node.operand if isinstance(node, ast.UnaryOp) else node]
    return all(isinstance(part, ast.Constant) and type(part.value) in (int, float) for part in parts)


class _Imports(ast.NodeTransformer):
    """`import torch` and `import mindspore` name labkit's dialects: there are no others on a page."""

    def visit_Import(self, node: ast.Import) -> list[ast.Import]:
        """Each name of the statement, as an import of its own."""
        made = []
        for alias in node.names:
            own = _own(alias.name)
            if own != alias.name and alias.asname is None:  # `import torch.nn` gives `torch` a value
                top = alias.name.partition(".")[0]
                made += [ast.Import([ast.alias(own, "_")])] * (own != _own(top)) + [
                    ast.Import([ast.alias(_own(top), top)])
                ]
            else:
                made.append(ast.Import([ast.alias(own, alias.asname)]))
        return [ast.copy_location(one, node) for one in made]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """The same statement, of labkit's module."""
        return ast.copy_location(ast.ImportFrom(_own(node.module or ""), node.names, node.level), node)


def _own(module):
    return f"labkit.{module}" if module.partition(".")[0] in ("torch", "mindspore") else module


def _run(code, names, source=None):
    text = code if source is None else source
    linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE  # what compiles a function reads it
    tree = ast.parse(code, FILE) if isinstance(code, str) else code
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of what is called and is no function: it raises, too
        compiled = compile(ast.fix_missing_locations(_Imports().visit(tree)), FILE, "exec")
    exec(compiled, names)


def functions(dialect: str) -> set[str]:
    """The names of the dialect's functions, which need no module before them, and of Python's own."""
    module = import_module(_FUNCTIONS[dialect])
    return {
        "abs",
        "min",
        "max",
        "sum",
        "pow",
        *(name for name in dir(module) if name[0] != "_" and _callable(module, name)),
    }


def _callable(module, name):
    try:
        return callable(getattr(module, name, None))
    except NotImplementedError:
        return False


def _function(dialect, name):
    """The function of the dialect that has this name."""
    module = import_module(_FUNCTIONS[dialect])
    try:
        found = getattr(module, name)
    except (AttributeError, NotImplementedError):
        found = None
    if not callable(found) or isinstance(found, type):
        known = [known for known in dir(module) if known[0] != "_"]
        meant = of_function(name, dialect, _FUNCTIONS) or did_you_mean(name, known, "Import it, or define it with def.")
        raise NotRead("There is no function {name!r}. {meant}".format(name=name, meant=meant))
    return found


def _first(name, i):
    return str(CONSTANTS.get(name, NUMBERS[i % len(NUMBERS)]))


def _input(name, text, dialect):
    """The number or array in a text, as what the dialect computes with."""
    try:
        value = np.asarray(ast.literal_eval(text.strip().replace("−", "-")), float)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        message = "{name}: expected a number or a list of numbers, such as -2.5 or [1, 2], but got {text!r}".format(
            name=name, text=text
        )
        raise NotRead(message) from None
    if dialect == "mindspore":
        return import_module("labkit.mindspore").Tensor(value.astype(np.float32))
    if dialect == "torch":
        return import_module("labkit.torch").tensor(value.astype(np.float32))
    return value if value.ndim else float(value)


def shown(value: Any) -> str:
    """A value of an input as it is typed.

    >>> shown(1.5), shown(np.array([1.0, 2.0]))
    ('1.5', '[1.0, 2.0]')
    """
    raw = value.__engine_value__() if hasattr(value, "__engine_value__") else value
    raw = np.asarray(raw)
    if raw.dtype == np.float32 and raw.ndim == 0:
        return f"{float(raw):.7g}"
    return str(raw.tolist())


FILE = "<playground>"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def free_names(source: str, tree: ast.Module, known: Iterable[str]) -> list[str]:
    """The names that the code uses without a value of their own, in the order in which they first stand in it.

    A name that is changed before it has a value is one of them. `known`: names that have a value from the start.

    >>> source = "for i in range(3):\\n    x = x * w\\nx"
    >>> free_names(source, ast.parse(source), ["np"])
    ['x', 'w']
    """
    used, defined, tables = set(), set(), [symtable.symtable(source, FILE, "exec")]
    for table in tables:
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                used.add(symbol.get_name())
            if (symbol.is_assigned() or symbol.is_imported()) and (top or symbol.is_declared_global()):
                defined.add(symbol.get_name())
        tables.extend(table.get_children())
    free = (used - defined | _used_early(tree)) - set(known) - set(dir(builtins))
    places = {(n.lineno, n.col_offset): n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in free}
    return list(dict.fromkeys(places[place] for place in sorted(places)))


def last_given(tree: ast.Module) -> str | None:
    """The name that the last statement gives a value to; None where it gives none.

    >>> last_given(ast.parse("y = 1\\nfor i in range(3):\\n    y = y + i"))
    'y'
    """
    if isinstance(tree.body[-1], (*_SCOPES, ast.Import, ast.ImportFrom)):
        return None
    given = [name for kind, name in _in_turn(tree.body[-1]) if kind == "given"]
    return given[-1] if given else None


def _used_early(tree):
    """Names that the code itself, outside of its functions, uses before it has given them a value, and gives one later."""
    given, early = set(), set()
    for kind, name in _in_turn(tree):
        if kind == "given":
            given.add(name)
        elif name not in given:
            early.add(name)
    return early & given


def _in_turn(node: ast.AST) -> Iterator[tuple[str, str]]:
    """`("used", name)` and `("given", name)` in the order in which Python comes by them; what a function does is left out."""
    if isinstance(node, ast.Name):
        yield ("used" if isinstance(node.ctx, ast.Load) else "given"), node.id
    elif isinstance(node, _SCOPES):
        for part in getattr(node, "decorator_list", []):
            yield from _in_turn(part)
        if hasattr(node, "name"):
            yield "given", node.name
    elif isinstance(node, _COMPREHENSIONS):
        bound = {n.id for generator in node.generators for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        yield from (
            (kind, name) for part in ast.iter_child_nodes(node) for kind, name in _in_turn(part) if name not in bound
        )
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (("given", (alias.asname or alias.name).partition(".")[0]) for alias in node.names)
    else:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield "used", node.target.id
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield "given", node.name
        for part in _parts(node):
            yield from _in_turn(part)


def _parts(node):
    """The parts of a statement in the order in which they are evaluated: a value before the name that takes it."""
    first = {ast.Assign: "value", ast.AnnAssign: "value", ast.NamedExpr: "value", ast.For: "iter", ast.AsyncFor: "iter"}
    early = getattr(node, first.get(type(node), ""), None)
    return [*([early] if early else []), *(part for part in ast.iter_child_nodes(node) if part is not early)]
