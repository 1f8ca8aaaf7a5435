"""What the page says, answered: plain data in, plain data out, so that it can be tried without a browser."""

import inspect
import traceback
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from ...engine import watch
from ...evidence import Printed, TimeUp, time_limit
from ...program import compile_program
from ...tracing import check_gradient, plain_function, trace
from ..explorer import Explorer, show
from ..kit.scene import to_json
from .reading import FILE, NotRead, Sketch, read, shown

LONGEST = 12_000  # characters of a text
NOTHING = (
    "This code differentiates nothing, so there is no graph. For one, end with an expression of names that are not defined, "
    "such as x and w, with a function, or with a tensor that requires a gradient."
)


class Session:
    """One page: what it shows, and its answers.

    >>> session = Session()
    >>> answer = session.answer({"run": {"source": "x**2 + y", "dialect": "numpy", "inputs": {"x": "3", "y": "2"}}})
    >>> answer["value"], answer["gradients"], "scene" in answer
    ('11.0', {'x': '6.0', 'y': '1.0'}, True)
    """

    def __init__(self) -> None:
        self._picture: Explorer | None = None

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Do what the page asks: `{"run": {"source", "dialect", "inputs"}}`, or `{"respond": ...}` to what is shown.

        With `"seconds"`, code may run for so long (of CPU time where that is known). Returns `scene`, `state` and `rest` (what of
        the state is no dial), and in words `value`, `gradients`, `record`, `program`, `check`; what was `printed`; `inputs` by
        name, as text; a `note` where there is no graph; or an `error` and its `line`.
        """
        out, seconds = Printed(), float(message.get("seconds", 10.0))
        asked: list[tuple] = []
        sketch = Sketch({})
        try:
            with redirect_stdout(out), np.errstate(all="ignore"), time_limit(seconds, FILE, 6 * seconds):
                if "respond" in message:
                    found = self._respond(message["respond"])
                else:
                    wanted = message["run"]
                    sketch = _listened(wanted, asked)
                    found = self._shown(sketch, asked)
        except TimeUp:
            found = {"error": f"It ran for more than {seconds:g} s and was stopped. Is there a loop that never ends?"}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            found = _told(error, sketch.shift)
        return found | {"printed": out.getvalue()}

    def _respond(self, message):
        if self._picture is None:
            return {}
        self._picture.hear(message)
        return {"scene": to_json(self._picture.scene), "rest": self._picture.rest}

    def _shown(self, sketch, asked):
        """The picture of the function that was typed, else of what the program differentiated first, else of its result."""
        if sketch.function is not None:
            return self._of_function(sketch.function, list(sketch.inputs.values()), sketch.inputs)
        if asked:
            what, args = asked[0]
            if isinstance(what, Explorer):
                return self._kept(what)
            return self._of_function(what, list(args), {})
        if hasattr(type(sketch.value), "grad_fn") and sketch.value.grad_fn is not None:
            return self._kept(_of_tape(sketch.value, sketch.names))
        if sketch.value is not None:
            print(sketch.value)
        return {"note": NOTHING}

    def _kept(self, picture):
        self._picture = picture
        return {"scene": to_json(picture.scene), "state": picture.scene.start(), "rest": picture.rest}

    def _of_function(self, function, args, inputs):
        found = self._kept(show(function, *args))
        found["scene"].pop("fields", None)  # the page has its own, which take arrays, too
        graph = trace(function)(*args)
        plain, values, _ = plain_function(function, args, {}, None, "show(f, x)")
        return found | {
            "inputs": {name: shown(value) for name, value in inputs.items()},
            "value": _words(graph.value),
            "gradients": {name: _words(value) for name, value in graph.gradients.items()},
            "record": str(graph)[:LONGEST],
            "program": _or_why(lambda: _program(plain, values)),
            "check": _or_why(lambda: check_gradient(function, *args)),
        }


def _listened(wanted, asked):
    """Run what was typed, and note in `asked` what it differentiates: functions with arguments, tapes as pictures."""

    def note(what, args):
        if asked:
            return
        if not args and not callable(what):
            asked.append((None, ()))  # while the picture is made, nothing else is noted
            asked[0] = _of_tape(what, _names_around()), ()
        else:
            asked.append((what, args))

    before, watch.asked = watch.asked, note
    try:
        return read(str(wanted["source"]), str(wanted.get("dialect", "numpy")), dict(wanted.get("inputs", {})))
    finally:
        watch.asked = before


def _of_tape(tensor, names):
    """The picture of a tensor's tape, with the names that are known where it was made."""
    space = {**names, "labkit_show": show, "labkit_tensor": tensor}
    return eval("labkit_show(labkit_tensor)", space)


def _names_around():
    """The variables of the typed code that runs now."""
    for frame, _ in traceback.walk_stack(inspect.currentframe()):
        if frame.f_code.co_filename == FILE:
            return {**frame.f_globals, **frame.f_locals}
    return {}


def _program(plain, values):
    from ...engine import grad

    return compile_program(grad(plain, tuple(range(len(values)))), *values)


def _or_why(made):
    """What is made, as text; where it cannot be, why."""
    try:
        return str(made())[:LONGEST]
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:LONGEST]


def _words(value):
    if isinstance(value, (tuple, list)):
        return ", ".join(map(_words, value))
    raw = np.asarray(value)
    return np.array2string(raw, precision=6, separator=", ", threshold=40) if raw.ndim else f"{raw[()]}"


def _told(error, shift):
    """An error as labkit says it, and the line that was typed which raised it."""
    if isinstance(error, NotRead):
        return {"error": str(error)}
    if isinstance(error, SyntaxError):
        return {"error": f"{type(error).__name__}: {error.msg}", "line": error.lineno or 1}
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == FILE]
    found = {"error": f"{type(error).__name__}: {error}"}
    return found | {"line": max(1, lines[-1] - shift)} if lines else found
