"""What the page says, answered: plain data in, plain data out, so that it can be tried without a browser."""

import inspect
import sys
import textwrap
import traceback
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from ...engine import watch
from ...evidence import LONGEST as LONGEST_PRINTED
from ...evidence import Printed, TimeUp, time_limit
from ...tracing import check_gradient, trace
from ..explorer import Explorer, show
from .formula import rewritten
from .hints import of_error, of_syntax
from .reading import FILE, NotRead, Sketch, functions, loosened, read, shown

TOO_LONG = "It ran for more than {seconds:g} s and was stopped. Is there an infinite loop?"
STOPS = "Python cannot read the code from here on: {rest}"
MEANT = (SyntaxError, TypeError, IndexError, NotRead)  # errors of what may be a formula as it stands on paper
LONGEST = 12_000  # characters of a text
NOTHING = "This code differentiates nothing, so there is no graph. "
FOR_ONE = {  # what to do for one
    "numpy": "For one, leave a name without a value, such as x: it becomes an input. Or end with a function.",
    "mindspore": "MindSpore records nothing while a network computes; ms.grad and ms.value_and_grad differentiate, and "
    "this code called neither of them. For a graph, leave a name without a value, such as x: it becomes an input.",
    "torch": "Nothing was put on a tape, because no tensor in the computation requires a gradient. For a graph, make one "
    "with requires_grad=True, or leave a name without a value, such as x: it becomes an input.",
}
CUT = "\n… the page does not show the rest."


class Session:
    """One page: what it shows, and its answers.

    >>> session = Session()
    >>> answer = session.answer({"run": {"source": "x**2 + y", "dialect": "numpy", "inputs": {"x": "3", "y": "2"}}})
    >>> answer["value"], answer["gradients"], "picture" in answer
    ('11.0', {'x': '6.0', 'y': '1.0'}, True)
    """

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Do what the page asks: `{"run": {"source", "dialect", "inputs"}}`.

        With `"seconds"`, code may run for so long (of CPU time where that is known). Returns `picture`, the `data` and
        the `state` of the graph explorer, and in words `value`, `gradients`, `record`, `check`; what was
        `printed`; `inputs` by name, as text; a `note` where there is no graph; how a formula was `read`, as Python; or an
        `error` and its `line`.
        """
        out, seconds = Printed(), float(message.get("seconds", 10.0))
        try:
            with redirect_stdout(out), np.errstate(all="ignore"), time_limit(seconds, FILE, 6 * seconds):
                found = self._of_code(message.get("run", {}), out)
        except TimeUp:
            found = {"error": TOO_LONG.format(seconds=seconds)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            found = _error_of(error, Sketch({}), "")
        printed = out.getvalue()
        return found | {"printed": printed + CUT if len(printed) >= LONGEST_PRINTED else printed}

    def _of_code(self, wanted, out):
        """What comes of the code. Where it fails: of the same with its formulas as Python, which is `read` then."""
        source = str(wanted["source"])
        first: dict[str, Any] = {}
        for _ in range(source.count("\n") + 2):
            asked: list[tuple] = []
            sketch = Sketch({})
            try:
                sketch = _listened({**wanted, "source": source}, asked)
                return self._shown(sketch, asked, {**wanted, "source": source}) | (
                    {"read": source.strip()} if first else {}
                )
            except (TimeUp, KeyboardInterrupt):
                raise
            except BaseException as error:
                said = _error_of(error, sketch, source)
                first = first or self._of_refused(asked) | said
                dialect = str(wanted.get("dialect", "numpy"))
                again = rewritten(source, said.get("line"), functions(dialect)) if isinstance(error, MEANT) else None
                if again is None:
                    lists = (
                        isinstance(error, TypeError) and dialect == "numpy"
                    )  # [1, 2] is an array where it is an input
                    return (lists and self._of_loosened({**wanted, "source": source})) or first
                source = again
                out.seek(out.truncate(0))
        return first

    def _of_refused(self, asked):
        """The tape of a tensor on which backward() failed; the error is shown next to it."""
        return self._kept(asked[0][0]) if asked and isinstance(asked[0][0], Explorer) else {}

    def _shown(self, sketch, asked, wanted):
        """The picture of the function that was typed, else of what the program differentiated first, else of its result."""
        if sketch.function is not None:
            return self._of_function(sketch.function, list(sketch.inputs.values()), sketch.inputs)
        if asked:
            what, args = asked[0]
            if isinstance(what, Explorer):
                return self._kept(what)
            return self._of_function(what, list(args), {})
        if sketch.value is not None and not _is_taped(sketch.value):
            print(sketch.value)
        taped = [thing for thing in [*sketch.names.values(), sketch.value] if _is_taped(thing)]
        if taped:
            return self._kept(_of_tape(taped[-1], sketch.names))
        dialect = str(wanted.get("dialect", "numpy"))
        if dialect == "torch" and (left := _left_on_tape(wanted)):
            return self._kept(_of_tape(*left))
        found = self._of_loosened(wanted) if dialect == "numpy" else {}
        return found or {"note": NOTHING + FOR_ONE[dialect]}

    def _of_loosened(self, wanted):
        """The graph of lines that set their names to numbers first: these are its inputs."""
        found = loosened(str(wanted["source"]))
        if found is None:
            return {}
        out, (source, numbers) = StringIO(), found
        with redirect_stdout(out):
            shown = self._of_code(
                {"source": source.strip("\n"), "dialect": "numpy", "inputs": numbers | dict(wanted.get("inputs", {}))},
                out,
            )
        return shown if "picture" in shown else {}  # a number that counts a loop is no input

    def _kept(self, picture):
        """The picture at its end, where all numbers are."""
        last = picture.data["ways"][picture.opened]["last"]
        return {"picture": {"data": picture.data, "state": {**picture.state, "step": last}}}

    def _of_function(self, function, args, inputs):
        found = self._kept(show(function, *args, play=False))
        graph = trace(function)(*args)
        return found | {
            "inputs": {name: shown(value) for name, value in inputs.items()},
            "value": _words(graph.value),
            "gradients": {name: _words(value) for name, value in graph.gradients.items()},
            "record": str(graph)[:LONGEST],
            "check": _or_why(lambda: check_gradient(function, *args)),
        }


def _listened(wanted, asked):
    """Run what was typed, and note in `asked` what it differentiates: functions with arguments, tapes as pictures."""

    def note(what, args):
        if asked:
            return
        if not args and not callable(what):
            if not _is_taped(what):
                return
            asked.append((None, ()))  # while the picture is made, nothing else is noted
            asked[0] = _of_tape(what, _names_around()), ()
        else:
            asked.append((what, args))

    before, watch.asked = watch.asked, note
    try:
        return read(str(wanted["source"]), str(wanted.get("dialect", "numpy")), dict(wanted.get("inputs", {})))
    finally:
        watch.asked = before


def _is_taped(thing):
    return hasattr(type(thing), "grad_fn") and thing.grad_fn is not None


def _left_on_tape(wanted):
    """The last tensor on a tape that a program made, and the names where it did: seen in a second run."""
    found: list[tuple] = []

    def look(frame, event, value):  # what a function of the program gives back, or what it is given by what it calls
        user = frame if frame.f_code.co_filename == FILE else frame.f_back
        if event == "return" and user is not None and user.f_code.co_filename == FILE and _is_taped(value):
            found.append((value, {**user.f_globals, **user.f_locals}))

    before = sys.getprofile()
    try:
        with redirect_stdout(StringIO()):
            sys.setprofile(look)
            _listened(wanted, [])
    except Exception:
        return None
    finally:
        sys.setprofile(before)
    return found[-1] if found else None


def _of_tape(tensor, names):
    """The picture of a tensor's tape, with the names that are known where it was made."""
    return eval(
        "labkit_show(labkit_tensor(), play=False)", {**names, "labkit_show": show, "labkit_tensor": lambda: tensor}
    )


def _names_around():
    """The variables of the typed code that runs now."""
    for frame, _ in traceback.walk_stack(inspect.currentframe()):
        if frame.f_code.co_filename == FILE:
            return {**frame.f_globals, **frame.f_locals}
    return {}


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


def _error_of(error, sketch, source):
    """An error as labkit says it, the line that was typed which raised it, and how it is written, where that is known."""
    if isinstance(error, NotRead):
        return {"error": str(error)}
    if isinstance(error, SyntaxError):
        number = min(error.lineno or 1, max(1, source.count("\n") + 1))
        line = (textwrap.dedent(source).strip("\n").splitlines() or [""])[number - 1]
        rest, said = line[max(error.offset or 1, 1) - 1 :], type(error) is SyntaxError and of_syntax(line)
        said = said or (rest and STOPS.format(rest=rest))
        return {"error": "\n".join(filter(None, (f"{type(error).__name__}: {error.msg}", said))), "line": number}
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == FILE]
    said = of_error(error, source, sketch.inputs.values())
    found = {"error": f"{type(error).__name__}: {error}" + (f"\n{said}" if said else "")}
    return found | {"line": max(1, lines[-1] - sketch.shift)} if lines else found
