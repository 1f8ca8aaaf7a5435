"""The state of this thread with parameters and tensors: replaced in a derivative, or recorded for a program."""

import builtins
import re
import sys
import threading
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ...engine import getval, isbox, user_site
from ...program import Interpreted, Op, TraceError, decided, is_user, record_decision, recorded, refuse, trace_error

MANY_DECISIONS = 200  # of one run: more are those of a loop, which Python is to run
_SET_DATA = (
    "Failed to compile in GRAPH_MODE because the 'Parameter' object's method 'set_data' is not supported in 'construct' or "
    "function with @jit decorator. Try to use the 'Parameter.set_data' externally such as initialized in the method '__init__' "
    "before assigning.\nFor more details, please refer to "
    "https://www.mindspore.cn/tutorials/zh-CN/master/compile/static_graph.html \n"
)

_BRANCHES = "branch on values more than {count} times"


class Current(threading.local):
    """`substitutions`: `{id of a parameter: its box}` while derivatives run. `recorder`: of the program being recorded."""

    def __init__(self):
        self.substitutions: dict[int, Any] = {}
        self.recorder: Any = None
        self.in_graph = False  # whether this is a compiled function's code, run as part of a derivative


current = Current()


@contextmanager
def inside_graph():
    """While open, code runs as that of a compiled function."""
    before, current.in_graph = current.in_graph, True
    try:
        yield
    finally:
        current.in_graph = before


def busy():
    """Whether this thread is inside a derivative or a recording, so that what it calls is part of that."""
    return bool(current.substitutions) or current.recorder is not None


def concrete(value, what, kind=TraceError):
    """The plain array behind a tensor's value. Raises TraceError, of a `kind`, saying `what` was asked, while it is recorded."""
    refuse(value, what, kind)
    return getval(value)


def numbers_of(value, what="read the values of a tensor") -> Any:
    """The plain array behind a value, for code that goes on by its numbers: while they are recorded, Python has to run it."""
    return concrete(value, what, Interpreted)


def only_inside(thing, what):
    """Raise TraceError, saying `what` was done, if a program is being recorded and `thing` was there before."""
    if current.recorder is not None and id(thing) in current.recorder.outside:
        raise trace_error("{what}, which would happen once".format(what=what))


def text_of(value, written):
    """`written(array)`; while recorded, a mark that `print` replaces by it whenever the program runs."""
    if current.recorder is not None and recorded(value) is not None:
        return current.recorder.mark(value, written)
    return written(numbers_of(value, "turn a tensor into text"))


def truth(value) -> bool:
    """Whether a tensor of one element, given by its value, holds. While it is recorded, the program is for this answer.

    Raises ValueError for a tensor of several elements, in the words of each mode.
    """
    shape = np.shape(value)
    if current.recorder is not None and recorded(value) is not None:
        if shape not in ((), (1,)):
            raise ValueError(
                "Only tensor which shape is () or (1,) can be converted to bool, but got tensor shape is "
                f"({', '.join(map(str, shape))})"
            )
        return current.recorder.decide(value, bool)
    array = np.asarray(concrete(value, "branch on a tensor's value"))
    if array.size != 1:
        raise ValueError(
            f"The tensor should have only one element, but got {array.size}, more than one element is ambiguous."
        )
    return bool(array.reshape(())[()])


def refuse_set_data():
    """Raise RuntimeError, as graph mode does, where the user's code of a compiled function calls `set_data`."""
    if (current.recorder is not None or current.in_graph) and is_user(sys._getframe(2).f_code):
        raise RuntimeError(_SET_DATA)


class Recorder:
    """Collects what a program depends on, and its side effects: parameters read and written, things printed."""

    def __init__(self, recording, outside=()):
        self.recording, self.read, self.written = recording, {}, {}
        self.sources = []  # of inputs besides the arguments, values before a run: partials, and functions that draw them
        self.shown, self.prints = [], []  # (value, how it is written); (lines with marks of shown values, options)
        self.decisions: list = []  # where a value decided, and whether the answer was a truth value
        self.turned: Any = None  # the number of the decision that is to be answered the other way
        self.own: list = []  # the tensors that stand for arguments, in their order
        self.updated: list = []  # places among the arguments of those that are written, by `x += 1`
        self.attributes: Any = None  # those that the function may assign
        self.assigned: list = []  # what it assigns: the `values`, and what to do with those of a run, `give`
        self.outside = {id(value) for value in outside}  # of tensors and cells that were there before

    @contextmanager
    def active(self):
        """While open, this thread's parameters and prints go through this recorder."""
        before, current.recorder = current.recorder, self
        try:
            with _prints_deferred():
                yield
        finally:
            current.recorder = before

    def value(self, parameter, stored):
        """A box for a parameter's value: what the program wrote, else an input of the program."""
        if id(parameter) in self.written:
            return self.written[id(parameter)][1]
        if id(parameter) not in self.read:
            self.read[id(parameter)] = (
                parameter,
                self.input(partial(getattr, parameter, "_value"), parameter.name, stored),
            )
        return self.read[id(parameter)][1]

    def input(self, source, name, value=None):
        """A box for what `source()` gives before every run; now it is `value`."""
        self.sources.append(source)
        return self.recording.input(source() if value is None else value, name)

    def write(self, parameter, value):
        """The program will give the parameter this value, which is returned, when it runs; nothing is written now."""
        value = bare_recorded(value)
        node = recorded(value)
        if node is not None and node.fun is not None and node.name is None:
            node.name = f"new_{parameter.name}"
        self.written[id(parameter)] = parameter, value
        return value

    def mark(self, value, written):
        """A stand-in for the text of a recorded value."""
        self.shown.append((bare_recorded(value), written))
        return f"\x02{len(self.shown) - 1}\x03"

    def print(self, args, options):
        """Print this whenever the program runs: as graph mode does, every argument on a line of its own."""
        self.prints.append(([self._line(a) for a in args], options))

    def decide(self, value, ask) -> Any:
        """What `ask(array)` gives of a recorded value; the program holds as long as it does."""
        answer = ask(decided(value)._value)
        if self.turned == len(self.decisions):
            answer = not answer
        self.decisions.append((user_site(), type(answer) is bool))
        if any(not isinstance(source, partial) for source in self.sources):
            raise trace_error("branch on a value after random numbers were drawn", Interpreted)
        if len(self.decisions) > MANY_DECISIONS:
            raise trace_error(_BRANCHES.format(count=MANY_DECISIONS), Interpreted)
        record_decision(self.recording.log, value, ask, answer)
        return answer

    def turns(self) -> list[int]:
        """The numbers of the decisions that can be answered the other way: the first of each line."""
        first: dict = {}
        for number, (site, is_truth) in enumerate(self.decisions):
            if is_truth:
                first.setdefault(site, number)
        return [*first.values()]

    def raised(self, error):
        """What becomes of an error of the function: texts of tensors are those of now, and it prints what it has printed."""
        texts = [written(np.asarray(getval(value))) for value, written in self.shown]
        error.args = tuple(_with_texts(arg, texts) if isinstance(arg, str) else arg for arg in error.args)
        if self.decisions and self.turned is None and not isinstance(error, TraceError):
            self._say(texts)

    def _line(self, argument):
        if hasattr(argument, "__engine_value__"):
            return text_of(argument.__engine_value__(), as_printed)
        if isinstance(argument, (tuple, list)):
            return "\n".join(self._line(a) for a in argument)
        return str(argument)

    def results(self):
        """What the program computes in addition to its output: values of arguments, parameters, attributes, and to print."""
        shown = [value for value, _ in self.shown]
        held = [value for assigned in self.assigned for value in assigned.values]
        updated = [bare_recorded(self.own[place]._value) for place in self.updated]
        return [value for _, value in self.written.values()] + updated + held + shown

    def replay(self, results, arguments):
        """After a run: write parameters and arguments, and print, given the values of `results()`."""
        for (parameter, _), value in zip(self.written.values(), results, strict=False):
            parameter._value = value
        rest = iter(results[len(self.written) :])
        for place in self.updated:
            arguments[place]._value = next(rest)
        for assigned in self.assigned:
            assigned.give(rest)
        if self.prints:
            self._say([w(np.asarray(v)) for (_, w), v in zip(self.shown, rest, strict=True)])

    def _say(self, texts):
        for lines, options in self.prints:
            for line in lines:
                print(_with_texts(line, texts), **options)


def _with_texts(line, texts):
    """A line with a text for each mark."""
    return re.sub("\x02(\\d+)\x03", lambda m: texts[int(m[1])], line)


def bare_recorded(value):
    """A value without the boxes of derivatives, but with the recorder's."""
    while isbox(value) and type(value._node) is not Op:
        value = value._value
    return value


def as_printed(array):
    """A tensor as graph mode prints it: a number, or shape, type and values without commas."""
    from ..common.printing import as_repr

    if array.ndim == 0:
        return as_repr(array).rpartition("value= ")[2][:-1]
    head, _, values = as_repr(array).partition("value=")
    return f"{head}value={values.lstrip(' ').replace(', ', ' ')}"


# ---- print ----

_lock, _open, _plain_print = threading.Lock(), 0, builtins.print


def _print(*args, sep=" ", end="\n", file=None, flush=False):
    """`print` while some thread records: deferred for that thread, as ever for the others."""
    if current.recorder is None or file is not None:
        _plain_print(*args, sep=sep, end=end, file=file, flush=flush)
    else:
        current.recorder.print(args, {"end": end})


@contextmanager
def _prints_deferred():
    global _open, _plain_print
    with _lock:
        if _open == 0:
            _plain_print, builtins.print = builtins.print, _print
        _open += 1
    try:
        yield
    finally:
        with _lock:
            _open -= 1
            if _open == 0:
                builtins.print = _plain_print
