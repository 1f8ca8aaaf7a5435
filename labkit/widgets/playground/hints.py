"""Hints next to an error, for readers who know formulas better than Python: how to write it here."""

import ast
import keyword
import re
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module

from ...messages.suggestions import did_you_mean

LETTERS = {
    "²": "write a power with **: x**2", "³": "write a power with **: x**3", "√": "write a root as sqrt(x)",
    "×": "write a product with *", "·": "write a product with *", "⋅": "write a product with *", "÷": "write a quotient with /",
    "−": "write minus as -", "–": "write minus as -", "≤": "write <=", "≥": "write >=",
    "≠": "write !=", "“": 'put a string in "straight" quotes', "”": 'put a string in "straight" quotes',
    "∞": "write infinity as np.inf", "∑": "write a sum as sum(x)", "Σ": "write a sum as sum(x)",
    "\u2018": 'put a string in "straight" quotes', "\u2019": 'put a string in "straight" quotes',
    "∏": "write a product as prod(x)", "‖": "write a norm as sqrt(sum(x**2))",
}  # fmt: skip
_ALONE = "Write only the function: this page shows its derivative."
_WORDS = rf"(?:{'|'.join(keyword.kwlist)})\b"
_LONG = r"(?:[A-Za-z]{2,}|[aI])\b"
SHAPES = {  # of lines that are no Python, and what is meant
    r"^\s*[!%]|^\s*(pip|conda)\s+install": "This page cannot install packages. It has NumPy, labkit, and labkit's two dialects.",
    r"^\s*d\s*/\s*d\w|∂|^\s*\w+'": _ALONE,
    r"∫|^\s*lim\b": "This page computes derivatives, but no integrals and no limits.",
    r"^\s*//": "A comment begins with #.",
    r"\|\|": "Write a norm as sqrt(sum(x**2)).",
    r"\w!": "This page has no factorial, because a factorial has no derivative.",
    r"[-+*/^=,]\s*$": "The line ends where a number or a name should follow.",
    r"\d\.\d*\.\d": "A number has only one decimal point.",
    r"^\s*return\b": "Write return inside a function: def f(x): return x**2.",
    r"^[^=]*[^=<>!:\w\s][^=<>!]*(?<![=<>!:])=(?!=)": "This page solves no equations: type one side, "
    "or the difference of both sides.",
    r"^\s*\w+\s*\([\w\s,]*\)\s*=[^=]": "Write a function as def f(x): return x**2, or only its right side.",
    r"\d[A-Za-z_(]|\)\s*[\w(]": "Write a product with *: 2*x.",
    rf"^\s*{_LONG}(\s+{_LONG})+": "This page reads formulas and Python, not sentences: type a function, such as x**2 or sin(x).",
    rf"\b(?!{_WORDS})[A-Za-z_]\w*\s+(?!{_WORDS})[A-Za-z_]\w*": "Put the argument of a function in brackets: sin(x). "
    "Write a product with *.",
    r"^\s*\W+\s*$": "Type a formula, such as tanh(x*w + b)**2.",
}
OTHERWISE = {"ln": "log(x)", "lg": "log10(x)", "tg": "tan(x)", "arctg": "arctan(x)", "sqr": "x**2", "sgn": "sign(x)",
             "cot": "1/tan(x)", "ctg": "1/tan(x)", "sec": "1/cos(x)", "csc": "1/sin(x)", "cosine": "cos(x)", "sine": "sin(x)",
             "tangent": "tan(x)", "root": "sqrt(x)", "\u03c3": "1/(1 + exp(-x))", "norm": "sqrt(sum(x**2))"}  # fmt: skip
WRITTEN_OUT = {"sigmoid": "1/(1 + exp(-x))", "relu": "maximum(x, 0)", "softplus": "log(1 + exp(x))"}  # in plain NumPy
PLAIN = {"math", "cmath", "statistics", "random"}
TITLES = {"numpy": "NumPy", "mindspore": "MindSpore", "torch": "PyTorch"}


def of_syntax(line: str) -> str:
    """The hint next to a SyntaxError in this line; empty where nothing is known.

    >>> of_syntax("2x + 1")
    'Write a product with *: 2*x.'
    """
    for letter in line:
        if letter in LETTERS:
            return f"In Python {LETTERS[letter]}."
    return next((said for shape, said in SHAPES.items() if re.search(shape, line)), "")


SAID = {  # words of errors, and what is to be done
    "returned None": "Write return before the result.",
    "can require gradients": "Write a floating-point number, with a decimal point: 2.0.",
    "CUDA": "This page has no GPU. Remove .cuda().",
}


def of_error(error: BaseException, source: str, inputs: Iterable[object]) -> str:
    """The hint next to an error of code that runs; `inputs`: the values of its inputs."""
    numbers = any(isinstance(value, float) or getattr(value, "ndim", 1) == 0 for value in inputs)
    if isinstance(error, AttributeError) and error.obj is not None and "mean" not in str(error):
        return did_you_mean(error.name, [name for name in dir(error.obj) if name[0] != "_"], " ")
    if words := next((said for part, said in SAID.items() if part in str(error)), ""):
        return words
    if "Python float" in str(error) and PLAIN.intersection(re.findall(r"\w+", source)):
        return "math computes with plain numbers, which have no derivative: write sin(x), or np.sin(x)."
    if "//" in source and isinstance(error, TypeError):
        return "Write a quotient as x / 2; floor(x / 2) rounds it down."
    if "^" in source and isinstance(error, (TypeError, NotImplementedError)):
        return "Write a power with **: x**2."
    if isinstance(error, EOFError) and "input" in source:
        return "A running program cannot read from the keyboard here. A name without a value is an input with its own field."
    if isinstance(error, ModuleNotFoundError):
        return "This page has Python's standard library, NumPy, labkit, and labkit's two dialects."
    if isinstance(error, (ValueError, IndexError)) and numbers and "dimension" in str(error):
        return "An input starts as a number. Enter a list, such as [1, 2], to make it an array."
    return ""


def of_function(name: str, dialect: str, homes: dict[str, str]) -> str:
    """What is said of a function that the dialect has not; `homes`: the module of each dialect's functions."""
    if name in OTHERWISE:
        return f"Write {OTHERWISE[name]}."
    if name.lower() != name and _has(homes[dialect], name.lower()):
        return f"Write {name.lower()}(x)."
    if dialect == "numpy" and name.lower() in WRITTEN_OUT:
        return f"In NumPy, write {WRITTEN_OUT[name.lower()]}."
    having = [TITLES[other] for other, home in homes.items() if other != dialect and _has(home, name)]
    return "Choose {dialects} above, which has it.".format(dialects=" or ".join(having)) if having else ""


def of_name(name: str, dialect: str, modules: Mapping[str, Collection[str]]) -> str:
    """What is said of a name whose part is used, as in `torch.sin`, where it is the name of a module; empty for others."""
    if name.lower() in PLAIN:
        return "{name} computes with plain numbers, which have no derivative: write sin(x), or np.sin(x).".format(
            name=name
        )
    owner = next((other for other, names in modules.items() if name in names), None)
    return (
        "{name} belongs to {owner}: choose it above.".format(name=name, owner=TITLES[owner])
        if owner and owner != dialect
        else ""
    )


def _has(home, name):
    try:
        return callable(getattr(import_module(home), name, None))
    except NotImplementedError:
        return False


def bases(tree: ast.AST) -> set[str]:
    """The names of which parts are used: `torch` in `torch.sin(x)`."""
    return {n.value.id for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
