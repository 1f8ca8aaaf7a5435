"""A call of a compiled function, written out as one small function for one signature.

It checks all that its program assumes of the arguments and, until a change was warned of, that its surroundings are as they
were, takes the arrays out of the tensors, runs the program, writes the parameters and wraps the results. Where anything is not
as it was it gives `MISSED`, and `jit` looks again in the general way: what `signature` says of the arguments, and
`Watched.same` of all else, is what is checked here.

    call = written_call(compiled, held, args, kwargs, names)     # of arguments that `held`, a program, was found for
    print(call.source)
    result = call(args, kwargs)                           # or MISSED
"""

import builtins
import keyword
import re
from functools import partial
from operator import getitem

import numpy as np

from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..gradient.reverse_run import Mutable
from .operators import Number
from .recorder import current
from .surroundings import Cell_, Same, defaults_of, hooks_of, own_attribute, parameter_state, parts_of, state_of

MISSED = object()  # what a written call gives where its program may not hold
TENSOR = object()  # stands for a tensor in the structure of an output
NUMBER = object()  # for a number that the program computes


def form(leaf):
    """What stands for a leaf of the output in its structure."""
    return NUMBER if isinstance(leaf, Number) else TENSOR if isinstance(leaf, Tensor) else leaf


def made(leaf, values):
    """The leaf of the output that a leaf of its structure stands for, the next of `values`."""
    return wrap(next(values)) if leaf is TENSOR else next(values).item() if leaf is NUMBER else leaf


_slot = vars(Tensor)["_value"]  # where a parameter's own value is, in no derivative and no recording
_WORDS = {
    "MISSED": MISSED, "Tensor": Tensor, "current": current, "errstate": np.errstate, "ndarray": np.ndarray,
    "new": object.__new__, "state_of": state_of, "stored": _slot.__get__, "store": _slot.__set__,
}  # fmt: skip
_PLACES = {  # how a `Watched` gets its value -> the same as source
    getitem: "{}[{!r}]", getattr: "{}.{}", own_attribute: "vars({})[{!r}]", parts_of: "tuple(map(id, {}[{!r}].values()))",
    defaults_of: "({0}.__defaults__, {0}.__kwdefaults__)",
}  # fmt: skip


class _Unwritable(Exception):
    """An argument of a kind that is left to the general way."""


def written_call(compiled, held, args, kwargs, names):
    """The function `call(args, kwargs)` of one program; it has its `source`. None where an argument is of an unusual kind.

    `names` are those of the positional arguments.
    """
    writer = _Writer()
    try:
        writer.parts("args", names, args)
        writer.entries("kwargs", kwargs)
    except _Unwritable:
        return None
    if isinstance(cell := compiled.__wrapped__, Cell_):
        phase = cell.phase or "train"
        writer.miss(f"({writer.name_of(cell)}.phase or 'train') != {phase!r}")
    for watched in [*held.limits, *(held.watched if compiled.watching else ())]:
        writer.watched(watched)
    inputs = writer.inputs + [writer.source(source) for source in held.recorder.sources]
    source = "\n".join(
        [
            "def call(args, kwargs):",
            "    if current.substitutions or current.recorder is not None: return MISSED",
            "    try:",
            *[f"        {line}" for line in writer.lines],
            "    except (KeyError, ValueError, AttributeError): return MISSED",
            *[f"    {line}" for line in writer.run(held, inputs, compiled)],
        ]
    )
    exec(compile(source, "<labkit call>", "exec"), writer.space)
    call = writer.space["call"]
    call.source = source
    return call


class _Writer:
    """The lines of a call as they are written; `space`: the names they use; `inputs`, `tensors`: what the program is given."""

    def __init__(self):
        self.lines, self.space, self.inputs, self.tensors = [], dict(_WORDS), [], []
        self._taken = {*_WORDS, *keyword.kwlist, "args", "kwargs", "call", "now", *dir(builtins)}
        self._known, self._parameters = {}, {}

    def miss(self, condition, note=""):
        """The call gives MISSED where `condition` holds."""
        self.lines.append(f"if {condition}: return MISSED{f'  # {note}' if note else ''}")

    def name(self, wanted):
        """A name that is not taken yet, like `wanted`."""
        wanted = found = re.sub(r"\W|^(?=\d)", "_", wanted)
        number = 1
        while found in self._taken:
            number += 1
            found = f"{wanted}_{number}"
        self._taken.add(found)
        return found

    def name_of(self, value, wanted=None):
        """The name of an object that the call compares with or looks into."""
        if value is None or value is True or value is False:
            return str(value)
        if id(value) not in self._known:
            name = self.name(wanted or type(value).__name__.lower())
            self._known[id(value)], self.space[name] = name, value
        return self._known[id(value)]

    # ---- arguments: what `_signature` tells apart ----

    def argument(self, name, value):
        """Miss unless the argument called `name` has the signature of `value`."""
        kind = type(value)
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            self.tensor(name, value)
        elif isinstance(value, Mutable) and isinstance(value, (int, float)):
            raise _Unwritable
        elif isinstance(value, (tuple, list)):
            if kind.__iter__ not in (tuple.__iter__, list.__iter__):
                raise _Unwritable
            self.miss(f"type({name}) is not {self.name_of(kind)}")
            self.parts(name, [f"{name}_{k}" for k in range(len(value))], value)
        elif isinstance(value, dict):
            if kind is not dict or any(type(key) is not str for key in value):
                raise _Unwritable
            self.miss(f"type({name}) is not dict")
            self.entries(name, value)
        elif isinstance(value, slice):
            self.miss(f"type({name}) is not slice")
            for part in ("start", "stop", "step"):
                self.entry(f"{name}.{part}", part, getattr(value, part))
        else:
            self.constant(name, value)

    def parts(self, name, names, values):
        parts = [self.name(wanted) for wanted in names]
        self.lines.append(f"{', '.join(parts)}, = {name}" if parts else f"() = {name}")
        for part, value in zip(parts, values, strict=True):
            self.argument(part, value)

    def entries(self, name, values):
        self.miss(f"[*{name}] != {[*values]}" if values else name)
        for key, value in values.items():
            self.entry(f"{name}[{key!r}]", key, value)

    def entry(self, text, wanted, value):
        name = self.name(wanted)
        self.lines.append(f"{name} = {text}")
        self.argument(name, value)

    def tensor(self, name, tensor):
        if type(tensor) is not Tensor:
            raise _Unwritable
        value = self.name(f"{name}_value")
        self.miss(f"type({name}) is not Tensor")
        self.lines.append(f"{value} = {name}._value")
        dtype = self.name_of(tensor._value.dtype, tensor._value.dtype.name)
        scalar = f" and type({value}) is not {dtype}.type" if not tensor._value.shape else ""
        self.miss(f"type({value}) is not ndarray{scalar}")
        self.miss(f"{value}.shape != {tensor._value.shape} or {value}.dtype != {dtype}")
        self.inputs.append(value)
        self.tensors.append(name)

    def constant(self, name, value):
        state = state_of(value)
        if type(state) is Same:
            return self.miss(f"{name} is not {self.name_of(value)}")
        if isinstance(value, (np.ndarray, np.void, set)):  # the same object may have other contents
            return self.miss(f"{self.name_of(state, 'state')} != state_of({name})")
        self.miss(f"{name} is not {self.name_of(value)} and {self.name_of(state, 'state')} != state_of({name})")

    # ---- surroundings: what `Watched.same` asks ----

    def watched(self, watched):
        get = watched.get
        if get.func is parameter_state and type(get.args[0]) is Parameter:
            return self.parameter(get.args[0], watched)
        if get.func is hooks_of and not watched.value:
            return self.miss(f"{self.name_of(get.args[0])}._hooks", watched.name)
        if (get.func is parts_of or get.args[1:] == ("_hooks",)) and not watched.value:
            return self.miss(self.place(partial(getitem, *get.args)), watched.name)
        place = self.place(get)
        if watched.fixed and type(watched.state) is Same:
            return self.miss(f"{place} is not {self.name_of(watched.value)}", watched.name)
        state = self.name_of(watched.state, "state")
        if watched.fixed:
            same = f"(now := {place}) is not {self.name_of(watched.value)} and {state} != state_of(now)"
        else:
            same = f"{state} != {place if watched.plain else f'state_of({place})'}"
        self.miss(same, watched.name)

    def place(self, get):
        owner, *key = get.args
        text = _PLACES.get(get.func)
        if text is None or (get.func is getattr and (not key[0].isidentifier() or keyword.iskeyword(key[0]))):
            return f"{self.name_of(get)}()"
        return text.format(self.name_of(owner), *key)

    def parameter(self, parameter, watched):
        """What a program assumes of a parameter, and its value, which is likely an input."""
        shape, dtype = watched.state
        known, value = self.name_of(parameter), self.name(f"{watched.name}_value")
        dtype = self.name_of(dtype, dtype.name)
        self._parameters[id(parameter)] = value
        self.lines.append(f"{value} = stored({known})")
        self.miss(f"{value}.shape != {shape} or {value}.dtype != {dtype}", watched.name)

    # ---- the run ----

    def source(self, source):
        """An input that is not an argument: a parameter's value, or what is drawn for every run."""
        value = self._parameters.get(id(source.args[0])) if isinstance(source, partial) else None
        return value or f"{self.name_of(source, 'drawn')}()"

    def run(self, held, inputs, compiled):
        """Run the program, replay its side effects, return its output."""
        results = [self.name("result") for _ in range(held.count + len(held.recorder.results()))]
        names = f"{', '.join(results)}, = " if results else ""
        run, outputs = self.name_of(held.program.run, "program"), results[: held.count]
        yield 'with errstate(all="ignore"):'
        yield f"    {names}{run}({', '.join(inputs)})"
        yield f"{self.name_of(compiled)}._hits += 1"
        written = [parameter for parameter, _ in held.recorder.written.values()]
        if (
            held.recorder.prints
            or held.recorder.assigned
            or held.recorder.updated
            or any(type(parameter) is not Parameter for parameter in written)
        ):
            given = f"[{', '.join(self.tensors)}]"
            yield f"{self.name_of(held.recorder)}.replay([{', '.join(results[held.count :])}], {given})"
        else:
            for parameter, result in zip(written, results[held.count :], strict=False):
                yield f"store({self.name_of(parameter)}, {result})"
        tensors = [self.name("tensor") for _ in outputs]
        for tensor, result in zip(tensors, outputs, strict=True):
            yield f"{tensor} = new(Tensor)"
            yield f"{tensor}._value = {result}"
        yield f"return {self.output(held.structure, iter(tensors))}"

    def output(self, tree, tensors):
        """The structure of the output, as `map_leaves` would make it."""
        if tree is TENSOR:
            return next(tensors)
        if tree is NUMBER:
            return f"{next(tensors)}._value.item()"
        if isinstance(tree, dict):
            return f"{{{', '.join(f'{self.name_of(k)}: {self.output(v, tensors)}' for k, v in tree.items())}}}"
        if not isinstance(tree, (tuple, list)):
            return self.name_of(tree)
        inner = f"[{', '.join(self.output(branch, tensors) for branch in tree)}]"
        if type(tree) is list:
            return inner
        if type(tree) is tuple:
            return f"({inner[1:-1]},)" if tree else "()"
        return (
            f"{self.name_of(tree)}._make({inner})" if hasattr(tree, "_make") else f"{self.name_of(type(tree))}({inner})"
        )
