"""An instructor's tests, run in a process that no student's code has ever been in; the answers are in another one.

The other side sends `{"tests": source, "prelude": [source, ...], "answers": [name, ...], "classes": [name, ...], "points":
most}`. Then it passes on what we ask the answers (`peer`), and gets `{"verdict": "passed", "points": ...}`, or `{"verdict":
"failed" or "unable", "error", "line", "kind", "strange"}`.
"""

import ast
import builtins
import socket
import sys
import traceback
from typing import Any

from ..evidence import Printed
from . import wire
from .notebook import names_of_a_notebook, python_of
from .peer import Peer

FILE = "<tests>"


def run_tests(connection: socket.socket, program: dict[str, Any]) -> None:
    """Run the tests in `program` and send the verdict."""
    names = names_of_a_notebook()
    peer = Peer(lambda message: wire.send(connection, message), lambda: wire.receive(connection))
    peer.classes = tuple(program["classes"])
    wire.send(connection, _verdict(program, names, peer))


def serve_answers(connection: socket.socket, names: dict[str, Any]) -> None:
    """Do with a student's names what the tests ask for, until nobody asks any more."""
    wire.send(connection, {"answers": "ready"})
    peer = Peer(lambda message: wire.send(connection, message), lambda: wire.receive(connection), names)
    while "ask" in (message := wire.receive(connection)):
        peer.serve(message)


def _verdict(program, names, peer):
    sys.stdout = sys.stderr = Printed()
    sources = [python_of(source) for source in (*program["prelude"], program["tests"])]
    try:
        for source in sources[:-1]:
            exec(compile(source, "<before the tests>", "exec"), names)
    except BaseException as error:
        return {"verdict": "unable", "error": f"the code before the tests: {type(error).__name__}: {error}"[:1000]}
    points = float(program["points"])
    try:
        _fetch(sources, program["answers"], names, peer)
        value = _last_value(sources[-1], names)
        earned = _partial(value, points)
        return {"verdict": "passed", "points": earned}
    except BaseException as error:
        lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == FILE]
        return {
            "verdict": "failed", "error": f"{type(error).__name__}: {error}"[:1000], "line": lines[-1] if lines else 0,
            "kind": type(error).__name__, "strange": peer.strange,
        }  # fmt: skip


def _fetch(sources, answers, names, peer):
    """Give the tests each name that they use and that is an answer, or that nobody here has defined."""
    used = {node.id for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    for name in sorted(used - set(dir(builtins)) | used.intersection(answers)):
        if name in answers or name not in names:
            try:
                names[name] = peer.named(name)
            except NameError:
                names.pop(name, None)


def _last_value(source, names):
    """Run a cell; the value of its last line, where that is an expression."""
    tree = ast.parse(source, FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, FILE, "exec"), names)
    return eval(compile(ast.Expression(last.value), FILE, "eval"), names) if last else None


def _partial(value, most):
    """The points, as nbgrader gives them: all, or the number from 0 on that stands in the last line."""
    try:
        earned = float(repr(value)) if not isinstance(value, bool) else most
    except ValueError:
        try:
            earned = float(value) if type(value).__module__ == "numpy" else most  # NumPy 2 writes np.float64(0.5)
        except (TypeError, ValueError):
            earned = most
    if earned > most:
        raise ValueError(f"the tests give {earned:g} points, and the question has {most:g}")
    return earned if earned >= 0 else most
