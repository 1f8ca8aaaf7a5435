"""One program of a compiled function: how it is recorded, what it depends on, and how it runs."""

import ast
import re
from contextlib import contextmanager
from functools import partial

import numpy as np

from ...engine import leaves, map_leaves
from ...program import Recording, TraceError, Undecided, is_user, refused_as_arrays
from ..common.parameter import Parameter
from ..common.seed import unmoved
from ..common.tensor import Tensor, wrap
from .call_writer import MISSED, TENSOR, form, made, written_call
from .cell_attributes import Attributes
from .operators import Number
from .recorder import Recorder
from .signature import named, names_of, placed
from .source_code import definition, first_code, rewritten_code, run_as
from .surroundings import Watched, changed_message, functions_of, parameter_state, site_of_change

_PLAIN = (
    "A branch or loop on a tensor becomes one of the program where the source of its function is at hand, and neither "
    "writes an outer variable nor leaves a loop from inside of a `try` or `with`."
)


def missed(args, kwargs):
    """The call of a compiled function that has to be looked up."""
    return MISSED


class Compilation:
    """One program of a compiled function, what it depends on, and what it does besides."""

    def __init__(self, compiled, walk, args, kwargs, tensors):
        self.attributes, functions = Attributes(walk), functions_of(walk)
        self.watched, self.call = self.attributes.instead(walk.found), None
        self.others = [self]  # the programs of this signature that values decide between
        self.alive = args, kwargs  # so that ids in the signature stay theirs
        try:
            with run_as(first_code, functions):
                output, recording = self._recorded(compiled, args, kwargs, tensors)
        except Undecided:
            output, recording = self._rewritten(functions, compiled, args, kwargs, tensors)
        self._check(compiled, args, output)
        outputs = [leaf._value for leaf in leaves(output) if isinstance(leaf, Tensor)]
        self.structure = map_leaves(form, output)
        self.count = len(outputs)
        self.program = recording.finish((*outputs, *self.recorder.results()), in_place=True)
        self._watch_parameters()

    def _rewritten(self, functions, compiled, args, kwargs, tensors):
        """The same of the functions' sources with their control flow rewritten, so that values may decide."""
        try:
            with run_as(rewritten_code, functions):
                return self._recorded(compiled, args, kwargs, tensors, in_order=True)
        except Undecided as error:
            raise TraceError(f"{error} {_PLAIN}") from None
        except RecursionError:
            what = "call itself as often as a value says that is known only when the program runs"
            raise TraceError(
                f"{site_of_change(compiled.__wrapped__, args, '')}: a compiled function cannot {what}. Write a loop."
            ) from None

    def _recorded(self, compiled, args, kwargs, tensors, in_order=False):
        """What the function returns while it is recorded, and the recording."""
        recording = Recording()
        owner = getattr(compiled.__wrapped__, "__self__", compiled.__wrapped__)
        around = [w.value for w in self.watched if not isinstance(w.value, Parameter)]
        self.recorder = Recorder(recording, [*around, owner, *args, *kwargs.values()])
        self.recorder.in_order, self.recorder.attributes = in_order, self.attributes
        names = names_of(compiled, args, kwargs)
        boxes = [recording.input(t._value, name) for t, name in zip(tensors, names, strict=True)]
        fn = compiled.fn

        def run(*boxes):
            given = iter(boxes)
            places = map_leaves(lambda leaf: placed(leaf, given), (list(args), kwargs))
            self.recorder.own = {id(leaf): leaf for leaf in leaves(places) if isinstance(leaf, Tensor)}
            output = fn(*places[0], **places[1])
            return map_leaves(_bare, output)

        active, attributes = self.recorder.active(), self.attributes.open(self.recorder)
        with unmoved(), as_graph_mode_says(self.recorder), active, attributes, refused_as_arrays():
            return recording.run(run, *boxes), recording

    def _check(self, compiled, args, output):
        """Raise TraceError if the run changed what was there before, or returned a text that is not known yet."""
        if (name := self.changed()) is not None:
            raise TraceError(changed_message(site_of_change(compiled.__wrapped__, args, name), name))
        if any(isinstance(leaf, str) and "\x02" in leaf for leaf in leaves(output)):
            where = site_of_change(compiled.__wrapped__, args, "")
            raise TraceError(
                f"{where}: a compiled function cannot return the text of a tensor. Print it, or return the tensor."
            )

    def _watch_parameters(self):
        """Watch what the program assumes of parameters besides their values."""
        known = [w.value for w in self.watched if isinstance(w.value, Parameter)]
        known += [parameter for parameter, _ in self.recorder.read.values()]
        for parameter in {id(p): p for p in known}.values():
            now = partial(parameter_state, parameter)
            self.watched.append(Watched(parameter.name, now, now(), plain=True))
        self.fixed = [(w.get, w.value) for w in self.watched if w.fixed]
        self.changeable = [w for w in self.watched if not w.fixed]

    def current(self):
        """Whether all it depends on is what it was."""
        try:
            untouched = all(get() is value for get, value in self.fixed)
        except (KeyError, ValueError, AttributeError):
            return False
        return all(w.same() for w in (self.changeable if untouched else self.watched))

    def changed(self):
        """The name of what is not what it was, or None."""
        return next((w.name for w in self.watched if not w.same()), None)

    def written(self, compiled, args, kwargs):
        """`call(args, kwargs)` of this program, written when it is first wanted again."""
        if self.call is None:
            self.call = written_call(compiled, self, args, kwargs, named(compiled, args)) or missed
        return self.call

    def run(self, tensors):
        with np.errstate(all="ignore"):
            given = [t._value for t in tensors] + [source() for source in self.recorder.sources]
            results = self.program.run(*given)
        self.recorder.replay(results[self.count :], tensors)
        values = iter(results)
        if self.structure is TENSOR:
            return wrap(results[0])
        return map_leaves(lambda leaf: made(leaf, values), self.structure)


def _bare(leaf):
    """A leaf of the output: a parameter's value, too, is a tensor."""
    return leaf if isinstance(leaf, Number) else wrap(leaf._value) if isinstance(leaf, Tensor) else leaf


_UNKNOWN = "The name '{}' is not defined, or not supported in graph mode."
_ONE_SIDE = "The local variable '{}' is not defined in {} branch, but defined in {} branch.\nIn file {}:{}"


@contextmanager
def as_graph_mode_says(recorder):
    """While open, the error for a name of the user's code that has no value is the one of graph mode."""
    try:
        yield
    except NameError as error:
        name = re.search("'([^']*)'", str(error))
        code, line = _place(error.__traceback__)
        if name is None or code is None:
            raise
        told = recorder.undefined.get(name[1]) or _on_one_side(code, line, name[1])
        raise (UnboundLocalError(told) if told else NameError(_UNKNOWN.format(name[1]))) from None


def _place(traceback):
    """The code and line that an error comes from, if they are the user's."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return (code if is_user(code) else None), traceback.tb_lineno


def _on_one_side(code, line, name):
    """What is said where one side of an `if` above gives the name a value and the other does not; None for any other reason."""
    function = definition(code)
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.If) and (node.end_lineno or 0) < line:
            given = [any(_assigns(part, name) for part in side) for side in (node.body, node.orelse)]
            if any(given) and not all(given):
                sides = ("false", "true") if given[0] else ("true", "false")
                return _ONE_SIDE.format(name, *sides, code.co_filename, node.lineno)
    return None


def _assigns(part, name):
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(part))
