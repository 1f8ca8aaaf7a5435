"""What stands in a solution cell: the instructor's solution under the name that the student's stub has."""

import ast
import io
import re
import tokenize
from collections.abc import Collection
from itertools import pairwise

from ..classroom import EXERCISES

_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def renamed(source: str, old: str, new: str) -> str:
    """`source` with the name `old` replaced; attributes, texts and comments stay.

    >>> renamed("step = optimizer.step()  # a step", "step", "step_2")
    'step_2 = optimizer.step()  # a step'
    """
    lines = source.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for before, token in reversed([(tokenize.TokenInfo(0, "", (0, 0), (0, 0), ""), tokens[0]), *pairwise(tokens)]):
        if token.type == tokenize.NAME and token.string == old and before.string != ".":
            (row, start), (_, end) = token.start, token.end
            lines[row - 1] = lines[row - 1][:start] + new + lines[row - 1][end:]
    return "".join(lines)


def helpers(source: str) -> set[str]:
    """The functions and classes that a source defines."""
    return {node.name for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def solution_source(exercise: str, bound: str, taken: Collection[str] = (), suffix: str = "_") -> str:
    """The exercise's solution as a source that defines `bound` and none of the names `taken`.

    >>> print(solution_source("port-to-torch", "port_3"))
    def port_3(v):
        (v**2).sum().backward()
        return v.grad
    """
    source = EXERCISES[exercise].solution.strip()
    *_, last = ast.parse(source).body
    before = "\n".join(source.splitlines()[: last.lineno - 1]).rstrip()
    alias = last.value.id if isinstance(last, ast.Assign) and isinstance(last.value, ast.Name) else ""
    if alias in helpers(before) and (alias == bound or bound not in _names(before)):
        source = renamed(before, alias, bound)
    else:
        source = renamed(source, "answer", bound)
    for name in sorted((helpers(source) - {bound}) & set(taken)):
        source = renamed(source, name, name + suffix)
    return source


def _names(source: str) -> set[str]:
    return {t.string for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.NAME}


def renamed_in_text(text: str, old: str, new: str) -> str:
    """Markdown with the name `old` replaced where it is code.

    >>> renamed_in_text("Take a step: write `step(w)`.", "step", "step_2")
    'Take a step: write `step_2(w)`.'
    """
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
    return _CODE.sub(lambda code: word.sub(new, code[0]), text)
