"""One program of a compiled function: how it is recorded, what it depends on, and how it runs."""

import ast
import re
from contextlib import contextmanager
from functools import partial

import numpy as np

from ...engine import leaves, map_leaves
from ...program import Interpreted, Recording, TraceError, is_user, refused_as_arrays, trace_error
from ..common.parameter import Parameter
from ..common.seed import drawing_aside, unmoved
from ..common.tensor import Tensor, wrap
from .call_writer import MISSED, TENSOR, form, made, written_call
from .cell_attributes import Attributes
from .joins import check_join
from .operators import Number
from .recorder import Recorder
from .signature import named, names_of, placed
from .source_code import definition, rewritten
from .surroundings import (
    Watched,
    arguments_of,
    changed_message,
    content_of,
    functions_of,
    hooks_of,
    is_of_cell,
    parameter_state,
    site_of,
)


def missed(args, kwargs):
    """The call of a compiled function that has to be looked up."""
    return MISSED


class Compilation:
    """One program of a compiled function, what it depends on, and its side effects.

    `turned`: the number of the decision that is answered the other way.
    """

    def __init__(self, compiled, walk, args, kwargs, tensors, turned=None):
        self.attributes, functions = Attributes(walk), functions_of(walk)
        self.watched, self.call = self.attributes.instead(walk.found), None
        self.ways = [self]  # the programs of this signature that values decide between
        self.alive = args, kwargs  # so that ids in the signature stay theirs
        self._watch_contents()
        with rewritten(functions):
            output, recording = self._recorded(compiled, args, kwargs, tensors, turned)
        if (name := next((w.name for w in (*self.watched, *self.limits) if not w.same()), None)) is not None:
            raise TraceError(changed_message(site_of(compiled.__wrapped__, args, name), name))
        if any(isinstance(leaf, str) and "\x02" in leaf for leaf in leaves(output)):
            raise trace_error("return the text of a tensor", Interpreted)
        outputs = [leaf._value for leaf in leaves(output) if isinstance(leaf, Tensor)]
        self.output, self.structure, self.count = output, map_leaves(form, output), len(outputs)
        self.program = recording.finish((*outputs, *self.recorder.results()), in_place=True)
        self._watch_parameters()

    def _recorded(self, compiled, args, kwargs, tensors, turned):
        """What the function returns while it is recorded, and the recording."""
        recording = Recording()
        owner = getattr(compiled.__wrapped__, "__self__", compiled.__wrapped__)
        around = [w.value for w in self.watched if not isinstance(w.value, Parameter)]
        self.recorder = Recorder(recording, [*around, owner, *args, *kwargs.values()])
        self.recorder.turned, self.recorder.attributes = turned, self.attributes
        names = names_of(compiled, args, kwargs)
        boxes = [recording.input(t._value, name) for t, name in zip(tensors, names, strict=True)]
        fn = compiled.fn

        def run(*boxes):
            given = iter(boxes)
            places = map_leaves(lambda leaf: placed(leaf, given), (list(args), kwargs))
            self.recorder.own = [leaf for leaf in leaves(places) if isinstance(leaf, Tensor)]
            output = fn(*places[0], **places[1])
            return map_leaves(_bare, output)

        active, attributes = self.recorder.active(), self.attributes.open(self.recorder)
        try:
            with unmoved(), as_graph_mode_says(), active, attributes, refused_as_arrays():
                return recording.run(run, *boxes), recording
        except Exception as error:
            self.recorder.raised(error)
            raise

    def _watch_contents(self):
        """Watch what is in tensors; the `limits` of a program are what the real one, too, sees changed."""
        self.limits = [w for w in self.watched if w.get.func is arguments_of]
        for w in [w for w in self.watched if type(w.value) is Tensor]:
            content = Watched(w.name, partial(content_of, w.value), content_of(w.value), plain=True)
            (self.watched if is_of_cell(w) else self.limits).append(content)

    def _watch_parameters(self):
        """Watch what the program assumes of parameters, apart from their values."""
        known = [w.value for w in self.watched if isinstance(w.value, Parameter)]
        known += [parameter for parameter, _ in self.recorder.read.values()]
        for p in {id(p): p for p in known}.values():
            trained = partial(getattr, p, "_requires_grad")
            self.limits.append(Watched(p.name, partial(parameter_state, p), parameter_state(p), plain=True))
            self.watched.append(Watched(f"{p.name}.requires_grad", trained, trained()))
            self.watched.append(Watched(f"the hooks of {p.name}", partial(hooks_of, p), hooks_of(p), plain=True))

    def holds(self):
        """Whether all is within its limits."""
        return all(w.same() for w in self.limits)

    def changed(self):
        """What has changed around it, a `Watched`, or None."""
        return next((w for w in self.watched if not w.same()), None)

    def written(self, compiled, args, kwargs):
        """`call(args, kwargs)` of this program, written when it is first wanted again."""
        if self.call is None:
            self.call = written_call(compiled, self, args, kwargs, named(compiled, args)) or missed
        return self.call

    def results(self, tensors):
        """What the program computes. Raises Elsewhere where another one is for these values."""
        with np.errstate(all="ignore"):
            return self.program.run(*[t._value for t in tensors], *[source() for source in self.recorder.sources])

    def given(self, results, tensors):
        """What the function gives, for these results, after its side effects."""
        self.recorder.replay(results[self.count :], tensors)
        values = iter(results)
        if self.structure is TENSOR:
            return wrap(results[0])
        return map_leaves(lambda leaf: made(leaf, values), self.structure)


def other_ways(first, compile_turned):
    """The programs for the other answer to each decision of the first one; graph mode, too, compiles both sides of a branch.

    `compile_turned(number)` compiles with a decision answered the other way. Raises what graph mode says of the other side:
    NameError for a name that has no value there, TypeError for what an op does not take, or for a result of another type. What
    the user's code raises there by itself it will raise when it runs.
    """
    found = []
    for number in first.recorder.turns():
        try:
            with drawing_aside(()):
                other = compile_turned(number)
        except (NameError, TypeError) as error:
            if isinstance(error, NameError) or (_place(error.__traceback__)[0] is None and type(error) is TypeError):
                raise
            continue
        except Exception:  # a loop that does not end, a value that is out of bounds there
            continue
        check_join(first.output, other.output)
        found.append(other)
    return found


def _bare(leaf):
    """A leaf of the output: a parameter's value, too, is a tensor."""
    return leaf if isinstance(leaf, Number) else wrap(leaf._value) if isinstance(leaf, Tensor) else leaf


_UNKNOWN = "The name '{}' is not defined, or not supported in graph mode."
_ONE_SIDE = "The local variable '{}' is not defined in {} branch, but defined in {} branch.\nIn file {}:{}"
_IN_LOOP = (
    "The local variable '{0}' defined in the 'while' loop body cannot be used outside of the loop body. Please define variable "
    "'{0}' before 'while'."
)


@contextmanager
def as_graph_mode_says():
    """While open, the error for a name of the user's code that has no value is the one of graph mode."""
    try:
        yield
    except NameError as error:
        name = re.search("'([^']*)'", str(error))
        code, line = _place(error.__traceback__)
        if name is None or code is None:
            raise
        words = _on_one_side(code, line, name[1])
        raise (UnboundLocalError(words) if words else NameError(_UNKNOWN.format(name[1]))) from None


def _place(traceback):
    """The code and line that an error comes from, if they are the user's."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return (code if is_user(code) else None), traceback.tb_lineno


def _on_one_side(code, line, name):
    """What is said where one side of an `if` above, or a loop, gives the name a value; None for any other reason."""
    function = definition(code)
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, (ast.If, ast.While)) and (node.end_lineno or 0) < line:
            given = [any(_assigns(part, name) for part in side) for side in (node.body, node.orelse)]
            if isinstance(node, ast.While) and any(given):
                return _IN_LOOP.format(name)
            if any(given) and not all(given):
                sides = ("false", "true") if given[0] else ("true", "false")
                return _ONE_SIDE.format(name, *sides, code.co_filename, node.lineno)
    return None


def _assigns(part, name):
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(part))
