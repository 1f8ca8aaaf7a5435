"""A student's program, run step by step as a notebook would, in a process that is already isolated.

The other side sends `{"steps": [{"label", "source", "asks": [name, ...]}], "binds": {name: variable}, "functions": [name, ...],
"seconds": s, "wall": w}`: CPU time of a cell, and time on the clock.
We send, in this order: `{"ran": i}` after each step, with "kind", "error" and "place" if it raised; then for each question
it asks, from a child process of its own, `{"ask": name, "found": ..., "value": ...}`; and `{"end": true}`.
A question in `{"tested": [name, ...]}` is answered by `{"answers": "ready"}`, and then by whatever tests ask (`peer`).
To an `ask` with a function the other side answers `{"input": ..., "more": true, "tensors": dialect, "seconds": s, "wall": w,
"watch": [...]}`, one message for each input: the next one comes when the result of the call has been sent, until one fails (with
"to_end": until one does not come back).
"""

import ast
import asyncio
import inspect
import linecache
import os
import socket
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from typing import Any

from ..evidence import Printed, TimeUp, decode, encode, error_text, goes_on, is_blank, time_limit, try_call
from . import wire
from .notebook import names_of_a_notebook, python_of
from .tests import run_tests, serve_answers

_TIMEOUT = "it ran for more than {seconds:g} s"


def run(connection: socket.socket) -> None:
    """Run the program that the other side sends, and answer its questions; no error of a student's code is raised here."""
    program, ours = wire.receive(connection), os.getpid()
    if "tests" in program:
        run_tests(connection, program)
        return
    names = names_of_a_notebook()
    for i, step in enumerate(program["steps"]):
        failure = run_step(step["source"], step["label"], names, program["seconds"], program.get("wall"))
        if os.getpid() != ours:  # a copy that the student's code has made of us
            os._exit(0)
        wire.send(connection, {"ran": i, **(failure or {})})
        for question in step["asks"]:
            if question in program.get("tested", ()):
                _in_a_child(serve_answers, connection, names)
                continue
            value = names.get(program["binds"][question], _MISSING)
            asked = connection, question, value, question in program["functions"]
            if _is_data(value):
                answer(*asked)
            else:
                _in_a_child(answer, *asked)
    wire.send(connection, {"end": True})


def run_step(
    source: str, label: str, names: dict[str, Any], seconds: float, wall: float | None = None
) -> dict[str, str] | None:
    """Run one cell for at most `seconds` (with `wall`, see `time_limit`); returns what went wrong, or None."""
    file = f"<{label}>"
    try:
        source = python_of(source)
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        code = compile(source, file, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        with redirect_stdout(Printed()), redirect_stderr(Printed()), time_limit(seconds, file, wall):
            pending = eval(code, names)
            if inspect.iscoroutine(pending):  # a cell may use await, as in a notebook
                asyncio.run(pending)
    except TimeUp:
        return {"kind": "timeout", "error": _TIMEOUT.format(seconds=seconds), "place": "it ran too long"}
    except BaseException as error:
        words, place = error_text(error, file)
        return {"kind": "error", "error": words[:1000], "place": place[:1000]}
    return None


def _is_data(value, depth=0):
    """True where telling the value runs no code of the student's, so that no child is needed: a fork takes 5 ms."""
    if type(value) in (tuple, list):
        return depth < 4 and len(value) <= 100 and all(_is_data(v, depth + 1) for v in value)
    return value is _MISSING or type(value) in (int, float, bool, str, type(None), type(...))


def _in_a_child(function, *arguments):
    """Call `function` in a forked process; whatever it does to the values, ours stay as they are."""
    child = os.fork()
    if not child:
        try:
            function(*arguments)
        finally:
            os._exit(0)
    with suppress(ChildProcessError):
        os.waitpid(child, 0)


def answer(connection: socket.socket, question: str, value: Any, wants_function: bool) -> None:
    """Say what the answer is; a function, if one is wanted, is then tried on the inputs that the other side sends."""
    ours, found = os.getpid(), _kind_of_answer(value, wants_function)
    data = encode(value) if found == "value" else None
    wire.send(connection, {"ask": question, "found": found, "value": data})
    if found != "function" or not wants_function:
        return
    came, more = True, True
    while came and more:
        message = wire.receive(connection)
        inputs, more = decode(message["input"]), message["more"]
        watch = tuple(message["watch"])
        one = try_call(value, inputs, message["tensors"], message["seconds"], watch, message.get("wall"))
        if os.getpid() != ours:  # a copy that the answer has made of us: the original speaks
            os._exit(0)
        wire.send(connection, _outcome_of_call(one))
        came = one.came or (message.get("to_end", False) and goes_on(one))


def _outcome_of_call(one):
    """The report of a call."""
    outcome, done = one.outcome, one.done and {name: encode(found) for name, found in one.done.items()}
    return {
        "outcome": outcome.kind, "value": encode(outcome.value), "error": outcome.error[:1000],
        "error_place": outcome.error_place[:1000], "printed": outcome.printed[:1000],
        "after": encode(one.after), "unfit": one.unfit[:500], "takes": one.takes[:500], "done": done,
    }  # fmt: skip


_MISSING = object()


def _kind_of_answer(value, wants_function):
    """What an answer is: "missing", "empty", "function" or "value"."""
    if value is _MISSING:
        return "missing"
    if value is None or value is Ellipsis or is_blank(value):
        return "empty"
    return "function" if callable(value) and (wants_function or not isinstance(value, type)) else "value"


def stand_in() -> Any:
    """The `labkit.classroom` of the sandbox, without its exercises: checks only say "later"."""
    module = type(sys)("labkit.classroom")
    for name in ("check", "explain", "hint", "solution", "require", "unseal"):
        setattr(module, name, lambda *arguments, **options: "This is checked when it is graded.")
    progress = type(sys)("labkit.classroom.progress")
    progress.progress = module.check  # type: ignore[attr-defined]
    module.progress = progress  # type: ignore[attr-defined]
    module.EXERCISES = {}  # type: ignore[attr-defined]
    sys.modules["labkit.classroom"], sys.modules["labkit.classroom.progress"] = module, progress
    module.__path__ = []
    import_module("labkit").classroom = module  # type: ignore[attr-defined]
    return module
