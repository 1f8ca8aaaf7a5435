"""An instructor's tests, run in a process that no student's code has ever been in; the answers are in another one.

The other side sends `{"tests": source, "prelude": [source, ...], "answers": [name, ...], "points": most}`. Then it
passes on what we ask the answers (`peer`), and gets `{"verdict": "passed", "points": ...}`, or `{"verdict": "failed" or
"unable", "error", "line", "kind", "strange"}`.
"""

import ast
import builtins
import socket
import sys
import traceback
from fractions import Fraction
from typing import Any

import numpy as np

from ..evidence import Printed
from . import wire
from .notebook import names_of_a_notebook, python_of
from .peer import Answers, Tests
from .remote import Strange, Theirs, plain

FILE = "<tests>"
_BEFORE = "the code before the tests: {kind}: {error}"
_NO_POINTS = "the last line gives {line}; expected a number of points from 0 to {most:g}, or no value"


def run_tests(connection: socket.socket, program: dict[str, Any]) -> None:
    """Run the tests in `program` and send the verdict."""
    names = names_of_a_notebook()
    peer = Tests(lambda message: wire.send(connection, message), lambda: wire.receive(connection))
    wire.send(connection, _verdict(program, names, peer))


def serve_answers(connection: socket.socket, names: dict[str, Any]) -> None:
    """Do with a student's names what the tests ask for, until they end."""
    wire.send(connection, {"answers": "ready"})
    peer = Answers(lambda message: wire.send(connection, message), lambda: wire.receive(connection), names)
    while "ask" in (message := wire.receive(connection)):
        peer.serve(message)


def _verdict(program, names, peer):
    sys.stdout = sys.stderr = Printed()
    sources = [python_of(source) for source in (*program["prelude"], program["tests"])]
    try:
        for source in sources[:-1]:
            exec(compile(source, "<before the tests>", "exec"), names)
    except BaseException as error:
        return {"verdict": "unable", "error": _BEFORE.format(kind=type(error).__name__, error=error)[:1000]}
    points = float(program["points"])
    try:
        _fetch(sources, program["answers"], names, peer)
        value = _last_value(sources[-1], names)
        if peer.strangeness:
            raise Strange(peer.strangeness)
        return {"verdict": "passed", "points": _partial(value, points)}
    except BaseException as error:
        lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == FILE]
        return {
            "verdict": "failed", "error": f"{type(error).__name__}: {error}"[:1000], "line": lines[-1] if lines else 0,
            "kind": type(error).__name__, "strange": peer.strangeness,
        }  # fmt: skip


def _fetch(sources, answers, names, peer):
    """Give the tests each name that they use and that is an answer, or is not defined here."""
    used = {node.id for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    for name in sorted(used - set(dir(builtins)) | used.intersection(answers)):
        if name in answers or name not in names:
            try:
                names[name] = peer.ask("name", name)
            except NameError:
                names.pop(name, None)


def _last_value(source, names):
    """Run a cell; the value of its last line, where that is an expression."""
    tree = ast.parse(source, FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, FILE, "exec"), names)
    return eval(compile(ast.Expression(last.value), FILE, "eval"), names) if last else None


def _partial(value, most):
    """The points of the value of the last line: all where there is none, or True; otherwise the number that it is.

    Raises ValueError for anything else: NaN, a number below 0 or above `most`, a text, an object of an answer.
    """
    if value is None:
        return most
    value = value.item() if isinstance(value, (np.ndarray, np.generic)) and np.size(value) == 1 else value
    if isinstance(value, bool):
        return most * value
    if isinstance(value, Theirs) or not isinstance(value, (int, float, Fraction)) or not 0 <= value <= most:
        said = repr(plain(value)) if isinstance(value, (Theirs, str, int, float)) else f"a {type(value).__name__}"
        raise ValueError(_NO_POINTS.format(line=said[:100], most=most))
    return float(value)
