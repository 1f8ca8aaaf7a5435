"""What somebody typed, as a function: an expression, a few lines that end in one, or a function with its `def`."""

import ast
import builtins
import inspect
import linecache
import symtable
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from ...meant import did_you_mean

FILE = "<playground>"
NUMBERS = 1.5, 0.6, 0.4, -0.8, 2.0, 0.3  # what inputs are at first
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
    """Run what was typed. Names that it does not define are inputs, in their order; `given` are their values as text.

    Functions of the dialect need no module before them: `tanh(x)`. Raises NotRead where there is nothing, or an input is no
    number; what the code raises is passed on.

    >>> sketch = read("tanh(x*w)**2", "numpy", {"x": "2", "w": "0.5"})
    >>> sketch.inputs, round(float(sketch.function(*sketch.inputs.values())), 3)
    ({'x': 2.0, 'w': 0.5}, 0.58)
    """
    if dialect not in DIALECTS:
        raise NotRead(f"dialect: expected {', '.join(DIALECTS)}, but got {dialect!r}")
    source = textwrap.dedent(source).strip("\n")
    tree = ast.parse(source, FILE)
    if not tree.body:
        raise NotRead("Type an expression, such as tanh(x*w + b)**2, or a few lines of Python.")
    names: dict[str, Any] = {name: import_module(module) for name, module in _modules(dialect).items()}
    free = _free_names(source, tree, names)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for name in [name for name in free if name in called]:
        free.remove(name)
        names[name] = _function(dialect, name)
    names |= {"__name__": "__main__", "__file__": FILE}
    last = tree.body[-1]
    if free and isinstance(last, ast.Expr):
        return _of_lines(source, last, free, names, dialect, given)
    return _of_program(source, tree, names, dialect, given)


def _modules(dialect):
    return DIALECTS[dialect]


def _of_lines(source, last, free, names, dialect, given):
    """Lines that end in an expression, as a function of the names that they do not define."""
    lines = source.splitlines()
    at = last.lineno - 1
    lines[at] = lines[at][: last.col_offset] + "return (" + lines[at][last.col_offset :]
    end = last.end_lineno - 1
    stop = last.end_col_offset + len("return (") * (end == at)
    lines[end] = lines[end][:stop] + ")" + lines[end][stop:]
    body = textwrap.indent("\n".join(lines), "    ", lambda line: True)
    _run(f"def f({', '.join(free)}):\n{body}\n", names)
    inputs = {name: _input(name, given.get(name, str(_first(i))), dialect) for i, name in enumerate(free)}
    return Sketch(names, names["f"], None, inputs, 1)


def _of_program(source, tree, names, dialect, given):
    """A program: the function that it ends with, or the value of its last line."""
    last, value = tree.body[-1], None
    if isinstance(last, ast.Expr):
        _run(ast.Module(tree.body[:-1], []), names, source)
        value = eval(compile(ast.Expression(last.value), FILE, "eval"), names)
    else:
        _run(tree, names, source)
    function = (
        names.get(last.name) if isinstance(last, ast.FunctionDef) else value if inspect.isfunction(value) else None
    )
    if function is None:
        return Sketch(names, None, value)
    inputs = {}
    for i, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            continue
        default = parameter.default
        if parameter.name not in given and default is not parameter.empty:
            inputs[parameter.name] = default
        else:
            inputs[parameter.name] = _input(parameter.name, given.get(parameter.name, str(_first(i))), dialect)
    return Sketch(names, function, None, inputs)


def _run(code, names, source=None):
    text = code if source is None else source
    linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE  # what compiles a function reads it
    exec(compile(code, FILE, "exec"), names)


def _free_names(source, tree, names):
    """The names that the code uses and does not define, in the order in which they first stand in it."""
    used, defined, tables = set(), set(), [symtable.symtable(source, FILE, "exec")]
    for table in tables:
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                used.add(symbol.get_name())
            if (symbol.is_assigned() or symbol.is_imported()) and (top or symbol.is_declared_global()):
                defined.add(symbol.get_name())
        tables.extend(table.get_children())
    free = used - defined - set(names) - set(dir(builtins))
    places = {(n.lineno, n.col_offset): n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in free}
    return list(dict.fromkeys(places[place] for place in sorted(places)))


def _function(dialect, name):
    """The function of the dialect that has this name."""
    module = import_module(_FUNCTIONS[dialect])
    try:
        found = getattr(module, name)
    except (AttributeError, NotImplementedError):
        found = None
    if not callable(found) or isinstance(found, type):
        meant = did_you_mean(
            name, [known for known in dir(module) if known[0] != "_"], "Import it, or write it with def."
        )
        raise NotRead(f"There is no function {name!r}. {meant}")
    return found


def _first(i):
    return NUMBERS[i % len(NUMBERS)]


def _input(name, text, dialect):
    """The number or array in a text, as what the dialect computes with."""
    try:
        value = np.asarray(ast.literal_eval(text.strip().replace("−", "-")), float)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        message = f"{name}: a number or a list of numbers is expected, such as -2.5 or [1, 2], but {text!r} came"
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
