"""Formulas as they are written on paper, as Python: `2x`, `x^2`, `sin x`, `|x|`, `√(x + 1)`, `f(x) = 3x² + 1`, `\\frac{1}{x}`."""

import ast
import re
import unicodedata
from collections.abc import Collection

CALLED = {"ln": "log", "lg": "log10", "ld": "log2", "tg": "tan", "sen": "sin", "arctg": "arctan"}
INVERSE = {"sin": "arcsin", "cos": "arccos", "tan": "arctan", "sinh": "arcsinh", "cosh": "arccosh", "tanh": "arctanh"}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
SIGNS = str.maketrans(
    {"·": "*", "⋅": "*", "∙": "*", "×": "*", "\u2217": "*", "÷": "/", "\u2215": "/", "−": "-", "–": "-", "\u2223": "|"}
)
TEX = {
    "cdot": "*",
    "times": "*",
    "div": "/",
    "left": "",
    "right": "",
    "mathrm": "",
    "operatorname": "",
    "tfrac": "frac",
}
WORDS = {"squared": "^2", "cubed": "^3", "plus": "+", "minus": "-", "times": "*"}
CLOSED = {"(": ")", "[": "]", "{": "}"}
NAMED = "fgh\u03c3"  # letters that are functions where brackets follow, and no factors
TOKEN = re.compile(r"\s*(\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+|[^\W\d]\w*|\*\*|//|\S)", re.IGNORECASE)
LEFT = re.compile(r"(?:(?:let|var|const|float|int|double|def)\s+)?([^\W\d]\w*)\s*(\([\w\s,]*\))?\s*:?=(?![=>])(.+)$")
ARROW = re.compile(
    r"(?:[^\W\d]\w*\s*:)?\s*\(?\s*[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*\)?\s*(?:->|=>|↦|→|\\mapsto|\\to)(.+)$"
)
ASKED = re.compile(  # the function alone is shown with its derivative
    r"(?:(?:what\s+is|what's|find|show|compute|calculate|plot|graph|draw|differentiate|derive|derivative|gradient|the|of"
    r"|d\s*/\s*d\w)(?!\w)\s*)+[:=]?", re.IGNORECASE,
)  # fmt: skip
SUM, PRODUCT, SIGN, POWER, ATOM = range(5)


class NoFormula(Exception):
    """This line is none."""


def as_python(line: str, functions: Collection[str], names: Collection[str] = ()) -> str:
    """A line with a formula as a line of Python. `functions`: names that take what follows them; `names`: others that are known.

    What stands side by side is a product, of known names and of single letters. Raises NoFormula where it is none.

    >>> as_python("y = 3x^2 - sin 2x", {"sin"}), as_python("f(x) = |x|/e^x", {"exp"})
    ('y = 3*x**2 - sin(2*x)', 'def f(x): return abs(x)/exp(x)')
    """
    space, text = line[: len(line) - len(line.lstrip())], line.strip().strip("$;").rstrip(" .?:")
    if found := LEFT.match(text):
        name, arguments, right = found.groups()
        value = _Reader(right, functions, names).whole()
        return f"{space}def {name}{arguments}: return {value}" if arguments else f"{space}{name} = {value}"
    if found := ARROW.match(text):
        text = found.group(1)
    return space + _Reader(ASKED.sub("", text, count=1), functions, names).whole()


def rewritten(source: str, line: int | None, functions: Collection[str]) -> str | None:
    """The source with this line of it read as a formula (None: each that is one); None where that says nothing new.

    >>> rewritten("w = 2\\ny = w x", 2, {"sin"})
    'w = 2\\ny = w*x'
    """
    lines = source.splitlines()
    names = {"pi", *re.findall(r"^\s*(\w+)\s*=", source, re.MULTILINE)}
    own = {*functions, *re.findall(r"^\s*(?:def\s+)?(\w+)\s*\([\w\s,]*\)\s*(?:=|:)", source, re.MULTILINE)}
    new = False
    for i in range(len(lines)) if line is None else [line - 1]:
        try:
            written = as_python(lines[i], own, names)
        except (NoFormula, IndexError):
            continue
        if not _alike(lines[i].strip(), written.strip()):
            lines[i], new = written, True
    return "\n".join(lines) if new else None


class _Reader:
    """Reads a formula from left to right; each part comes as its text and how strongly that is held together."""

    def __init__(self, text, functions, names):
        self.functions, self.names, self.at, self.bars = {*functions, *CALLED}, names, 0, 0
        self.tokens = _tokens(text, {*self.functions, *names})

    def whole(self):
        found = self.sum()[0]
        if self.next() is not None:
            raise NoFormula
        return found

    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.next()
        if token is None or wanted not in (None, token):
            raise NoFormula
        self.at += 1
        return token

    def sum(self):
        text, level = self.product()
        while self.next() in ("+", "-"):
            text, level = f"{text} {self.take()} {_held(self.product(), PRODUCT)}", SUM
        return text, level

    def product(self, within=False):
        """Factors with a sign between them or none; `within` a function that has no brackets: up to a sign or a function."""
        text, level = self.signed()
        while True:
            if not within and (sign := self.next()) in ("*", "/", "//", "@", "%"):
                self.take()
            elif self.begins() and not (within and self.next() in self.functions):
                sign = "*"
            else:
                return text, level
            text, level = f"{_held((text, level), PRODUCT)}{sign}{_held(self.signed(), SIGN)}", PRODUCT

    def signed(self):
        if self.next() in ("-", "+"):
            return f"{self.take()}{_held(self.signed(), SIGN)}", SIGN
        return self.power()

    def power(self):
        base = self.atom()
        if self.next() not in ("^", "**"):
            return base
        self.take()
        exponent = self.signed()
        if base[0] == "e" and "exp" in self.functions:
            return f"exp({_bare(exponent[0])})", ATOM
        return f"{_held(base, ATOM)}**{_held(exponent, SIGN)}", POWER

    def begins(self):
        token = self.next()
        return token is not None and (token[0].isalnum() or token[0] in "_([{√" or (token == "|" and not self.bars))

    def atom(self):
        token = self.take()
        if token[0].isdigit() or token[0] == ".":
            return token, ATOM
        if token in CLOSED:
            return self.inside(token), ATOM
        if token == "|":
            return self.absolute()
        if token == "√":
            return f"sqrt({_bare(self.atom()[0])})", ATOM
        if token == "frac":
            return f"{_held(self.atom(), ATOM)}/{_held(self.atom(), ATOM)}", PRODUCT
        if token in self.functions:
            return self.applied(CALLED.get(token, token))
        return self.named(token)

    def absolute(self):
        self.bars += 1
        text = self.sum()[0]
        self.bars -= 1
        self.take("|")
        return f"abs({text})", ATOM

    def applied(self, name):
        """A function of what follows; `sin^2 x` is the square of that, `sin^-1 x` the function that undoes it."""
        if self.next() not in ("^", "**"):
            return f"{name}({self.argument()})", ATOM
        self.take()
        exponent = _bare(self.signed()[0])
        if exponent == "-1" and name in INVERSE:
            return f"{INVERSE[name]}({self.argument()})", ATOM
        return f"{name}({self.argument()})**{exponent}", POWER

    def argument(self):
        return _bare(self.inside(self.take()) if self.next() in CLOSED else self.product(within=True)[0])

    def inside(self, opened):
        """What stands in brackets, in Python's; a number or a name needs none."""
        bars, self.bars = self.bars, 0
        parts = [self.sum()]
        while self.next() == ",":
            self.take()
            parts.append(self.sum())
        self.take(CLOSED[opened])
        self.bars = bars
        texts = [text for text, _ in parts]
        return texts[0] if len(parts) == 1 and parts[0][1] == ATOM else f"({', '.join(texts)})"

    def named(self, token):
        letter = re.fullmatch(r"[^\W\d](_\w+|\d+)?", token)
        called = self.next() == "(" and token not in self.names
        if not token.isidentifier() or (called and token in NAMED):
            raise NoFormula
        if called and not letter:
            return f"{token}({self.argument()})", ATOM
        if not letter and token not in self.names and self.adjacent():
            raise NoFormula  # words of a sentence
        return token, ATOM

    def adjacent(self):
        """Whether the name that was taken is next to something with no sign between them."""
        before = self.tokens[self.at - 2] if self.at > 1 else "+"
        return self.begins() or before[-1].isalnum() or before in CLOSED.values()


def _tokens(text, functions):
    if "||" in text:
        raise NoFormula
    text = re.sub(r"\\(\w+)", lambda m: f" {TEX.get(m[1], m[1])} ", text.translate(SIGNS))
    text = re.sub(rf"(?<=\s)({'|'.join(WORDS)})\b", lambda m: WORDS[m[1]], text)
    text = re.sub(f"[{''.join(RAISED)}]+", lambda m: "^(" + "".join(RAISED[c] for c in m[0]) + ")", text)
    text = re.sub("[¼½¾⅓⅔⅛]", lambda m: f"({unicodedata.numeric(m[0]):.12g})", text)
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(?<=\d)[^\W\d_]{2,3}(?![\w(])", lambda m: m[0] if m[0] in functions else "*".join(m[0]), text)
    return TOKEN.findall(text)


def _held(part, level):
    """A part as text, in brackets where it is held together less than this."""
    text, own = part
    return text if own >= level else f"({text})"


def _bare(text):
    """A text without the brackets that are around all of it."""
    if text[0] != "(" or any(not text[: i + 1].count("(") - text[: i + 1].count(")") for i in range(len(text) - 1)):
        return text
    return text[1:-1]


def _alike(one, other):
    """Whether two lines are the same Python."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False
