"""What this thread is doing to parameters and tensors: standing in for them in a derivative, or recording a program."""

import builtins
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ...engine import current as shown
from ...engine import getval, isbox
from ...program import Effect, Interpreted, Op, Undecided, record_decision, record_effect, recorded, refuse, trace_error


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


def concrete(value, what, kind=Undecided):
    """The plain array behind a tensor's value. Raises TraceError, of a `kind`, saying `what` was asked, while it is recorded."""
    refuse(value, what, kind)
    return getval(value)


def numbers_of(value, what="use the numbers of a tensor") -> Any:
    """The plain array behind a value, for code that goes on by its numbers: while they are recorded, Python has to run it."""
    return concrete(value, what, Interpreted)


def only_inside(thing, what):
    """Raise TraceError, saying `what` was done, if a program is being recorded and `thing` was there before."""
    if current.recorder is not None and id(thing) in current.recorder.outside:
        raise trace_error(f"{what}, which would happen once")


def text_of(value, written):
    """`written(array)`; while recorded, a mark that `print` replaces by it whenever the program runs."""
    if current.recorder is not None and recorded(value) is not None:
        return current.recorder.mark(value, written)
    return written(concrete(value, "turn a tensor into text"))


class Recorder:
    """Collects what a program depends on and does besides its output: parameters read and written, things printed."""

    def __init__(self, recording, outside=()):
        self.recording, self.read, self.written = recording, {}, {}
        self.sources = []  # of inputs besides the arguments: functions that give their values before a run
        self.shown, self.prints = [], []  # (value, how it is written); (lines with marks of shown values, options)
        self.in_order, self.sides = False, 0  # prints are in the order of the run; how many choices are open
        self.said: list = []  # what this run has to print
        self.undefined: dict[str, str] = {}  # name that has no value on some way -> what is said where it is used
        self.own: dict[int, Any] = {}  # id of a tensor that stands for an argument -> it, in their order
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
        lines = [self._line(a) for a in args]
        if not self.in_order:
            self.prints.append((lines, options))
            return
        self.effect("prints", "what the function prints", lines, lambda lines: self.said.append((lines, options)))

    def decide(self, value, ask) -> Any:
        """What `ask(array)` gives of a recorded value; the program holds as long as it does."""
        return record_decision(self.recording.log, value, ask)

    def effect(self, name, words, lines, act):
        """`act(lines)` whenever the program runs here, with the texts of that run."""
        marks = [int(mark) for line in lines for mark in re.findall("\x02(\\d+)\x03", line)]
        written = [self.shown[mark][1] for mark in marks]

        def run(*values):
            texts = dict(zip(marks, (w(np.asarray(v)) for w, v in zip(written, values, strict=True)), strict=True))
            act([_with_texts(line, texts) for line in lines])

        record_effect(self.recording.log, Effect(run, name, words), [self.shown[mark][0] for mark in marks])

    def _line(self, argument):
        if hasattr(argument, "__engine_value__"):
            return text_of(argument.__engine_value__(), as_printed)
        if isinstance(argument, (tuple, list)):
            return "\n".join(self._line(a) for a in argument)
        return str(argument)

    def results(self):
        """What the program computes besides its output: values of arguments, parameters and attributes, values to print."""
        shown = [] if self.in_order else [value for value, _ in self.shown]
        held = [value for assigned in self.assigned for value in assigned.values]
        arguments = [*self.own.values()]
        updated = [bare_recorded(arguments[place]._value) for place in self.updated]
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
        self.say()
        if not self.prints:
            return
        texts = [w(np.asarray(v)) for (_, w), v in zip(self.shown, rest, strict=True)]
        for lines, options in self.prints:
            _show([_with_texts(line, texts) for line in lines], options)

    def say(self):
        """Print what this run has said so far."""
        said, self.said = self.said, []
        for lines, options in said:
            _show(lines, options)


def _with_texts(line, texts):
    """A line with a text for each mark."""
    return re.sub("\x02(\\d+)\x03", lambda m: texts[int(m[1])], line)


def _show(lines, options):
    for line in lines:
        print(line, **options)


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


@contextmanager
def flow(fun, values) -> Iterator[None]:
    """While open, the functions that `fun` uses run as rewritten, if a graph or a program is recorded of these values."""
    box = next((value for value in values if recorded(value) is not None), None)
    if busy() or (box is None and shown.scopes is None):
        yield
        return
    from .source_code import rewritten_code, run_as
    from .surroundings import functions_of, surroundings

    with run_as(rewritten_code, functions_of(surroundings(fun))):
        if box is None:
            yield
            return
        from ...program import Recording

        recorder = Recorder(Recording.of(box))
        recorder.in_order = True
        with recorder.active():
            yield


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
