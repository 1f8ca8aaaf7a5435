"""Graph mode: a function recorded once per signature, turned into a program, cached, and run from then on.

`jit(fn)` and, in GRAPH_MODE, every gradient function and every cell called from outside run as a `Compiled`. A program holds
for one signature: the structure of the arguments, shapes and dtypes of tensors, values of everything else. Parameters that
the function reads are inputs of the program and those it writes are outputs; random numbers are inputs drawn at every run;
all else that it takes from its surroundings is watched (`_watching`), and a change recompiles. So nothing goes stale.

The real graph mode compiles the source, not a run. Here the source is asked for where a run asks for the value of a tensor: the
function is recorded once more with its branches and loops rewritten (`_source`), and they stand in the program, both sides and
one round. What has another shape or kind on either side, like `x[mask]`, has a program for each. The real one keeps the first
value of a global for ever; here a change recompiles.
"""

import types
import warnings
from collections import namedtuple
from collections.abc import Callable
from functools import partial

import numpy as np

from ..engine import argument_names, isbox, leaves, map_leaves
from ..program import Elsewhere, Program, Recording, TraceError, Undecided, trace_error
from ._attributes import Attributes
from ._calls import MISSED, TENSOR, form, made, written_call
from ._cell import Cell_
from ._naming import as_graph_mode_says
from ._number import Number, as_number, number
from ._recording import Recorder, busy, inside_graph
from ._run import Mutable
from ._seed import unmoved
from ._source import first_code, rewritten_code, run_as
from ._watching import Watched, changed_message, functions_of, parameter_state, site_of_change, state_of, surroundings
from .parameter import Parameter
from .tensor import Tensor, wrap

__all__ = ["CacheInfo", "Compiled", "jit", "jit_class"]

CacheInfo = namedtuple("CacheInfo", "hits misses size")
MANY = 4  # a function compiled more often than this is worth a warning
MOST = 64  # programs kept for one function; the oldest goes first


_PLAIN = (
    "A branch or loop on a tensor becomes one of the program where the source of its function is at hand, and neither "
    "writes an outer variable nor leaves a loop from inside of a `try` or `with`."
)


class Compiled:
    """`fn` as a compiled function: called like `fn`; a new signature is recorded and compiled once.

    `program(*args)` is the program for these arguments, with its `source`; `cache_info()` counts hits and misses. `depends`
    is the function whose surroundings are watched, `fn` itself unless it wraps another. Raises TraceError where `fn` does
    what a program cannot (see `labkit.program`).
    """

    def __init__(self, fn, depends=None):
        self.fn, self.__wrapped__ = fn, fn if depends is None else depends
        self._programs, self._hits, self._misses, self._last = {}, 0, 0, None
        self._ready = self._before = _missed  # the calls of the two programs that ran last, written out
        self._writers = None
        self.__name__ = getattr(self.__wrapped__, "__name__", type(self.__wrapped__).__name__)
        self.__doc__ = self.__wrapped__.__doc__

    def __call__(self, *args, **kwargs):
        try:
            output = self._ready(args, kwargs)
            if output is MISSED:
                output = self._before(args, kwargs)
        except Elsewhere:
            output = MISSED
        return self._looked_up(args, kwargs) if output is MISSED else output

    def _looked_up(self, args, kwargs):
        tensors, signature = flattened((args, kwargs))
        if busy() or any(isbox(t._value) for t in tensors):
            with inside_graph(), run_as(first_code, self._writing()):
                return self.fn(*args, **kwargs)  # part of a derivative or of another program
        held = self._program_for(signature, args, kwargs, tensors)
        if held is None:
            return self.fn(*args, **kwargs)
        try:
            return held.run(tensors)
        except Elsewhere:
            return self._elsewhere(signature, args, kwargs, tensors)

    def _writing(self):
        """The functions it calls whose writes are values of their own; found once."""
        if self._writers is None:
            called = functions_of(surroundings(self.__wrapped__))
            self._writers = [fn for fn in called if first_code(fn.__code__) is not None]
        return self._writers

    def _elsewhere(self, signature, args, kwargs, tensors):
        """The output where a value decides otherwise than the program found assumes, and the program for that."""
        held = self._programs[signature]
        for other in [other for other in held.others if other is not held and other.current()]:
            try:
                output = other.run(tensors)
            except Elsewhere:
                continue
            self._programs[signature] = other
            return output
        made = _Compilation(self, surroundings(self.__wrapped__, (*args, *kwargs.values())), args, kwargs, tensors)
        held.others[:] = [*held.others[-MOST:], made]
        made.others = held.others
        self._programs[signature], self._ready, self._before = made, _missed, _missed
        self._misses += 1
        try:
            return made.run(tensors)
        except Elsewhere:
            raise trace_error("go on with a shape or a choice that changes from round to round of a loop") from None

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __getstate__(self):
        return vars(self) | {"_programs": {}, "_ready": _missed, "_before": _missed}  # a copy compiles for itself

    def program(self, *args, **kwargs) -> Program:
        """The `Program` that runs for arguments like these."""
        tensors, signature = flattened((args, kwargs))
        return self._program_for(signature, args, kwargs, tensors).program

    def cache_info(self) -> CacheInfo:
        """How often a program was found, how often one was compiled, and how many are kept."""
        return CacheInfo(self._hits, self._misses, len(self._programs))

    def cache_clear(self) -> None:
        """Forget all programs."""
        self._programs.clear()
        self._ready = self._before = _missed

    def _program_for(self, signature, args, kwargs, tensors):
        """The program that holds now; None inside a derivative of what the surroundings hold."""
        held = self._programs.get(signature)
        if held is not None and held.current():
            self._hits += 1
            self._before, self._ready = self._ready, held.written(self, args, kwargs)
            return held
        walk = surroundings(self.__wrapped__, (*args, *kwargs.values()))
        if any(isinstance(w.value, Tensor) and isbox(w.value._value) for w in walk.found):
            return None
        made = _Compilation(self, walk, args, kwargs, tensors)
        if self._programs.get(signature) is not held:  # another thread was faster
            return made
        self._misses += 1
        if self._misses > MANY:
            self._warn(held, signature, args)
        if len(self._programs) >= MOST:
            self._programs.pop(next(iter(self._programs), None), None)
        self._programs[signature], self._ready, self._before = made, _missed, _missed
        self._last = signature
        return made

    def _warn(self, held, signature, args):
        varied = f"the value of {held.changed()}" if held else _difference(self._last, signature, _named(self, args))
        warnings.warn(
            f"{self.__name__} has been compiled {self._misses} times; what varied last is {varied}. Every new shape, "
            "dtype or plain value costs a compilation: pass what varies as a Tensor, and keep shapes the same.",
            stacklevel=5,
        )


def _missed(args, kwargs):
    """The call of a compiled function that has to be looked up."""
    return MISSED


class _Compilation:
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
        names = _names(compiled, args, kwargs)
        boxes = [recording.input(t._value, name) for t, name in zip(tensors, names, strict=True)]
        fn = compiled.fn

        def run(*boxes):
            given = iter(boxes)
            places = map_leaves(lambda leaf: _input(leaf, given), (list(args), kwargs))
            self.recorder.own = {id(leaf): leaf for leaf in leaves(places) if isinstance(leaf, Tensor)}
            output = fn(*places[0], **places[1])
            return map_leaves(_bare, output)

        with unmoved(), as_graph_mode_says(self.recorder), self.recorder.active(), self.attributes.open(self.recorder):
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
            self.call = written_call(compiled, self, args, kwargs, _named(compiled, args)) or _missed
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


# ---- signatures ----


def _is_input(leaf):
    """Whether an argument is an input of the program. (A parameter is read, and written, as what it is.)"""
    return isinstance(leaf, Tensor) and not isinstance(leaf, Parameter)


def _is_varying(leaf):
    """Whether an argument is a number marked by `mutable`: an input, too."""
    return isinstance(leaf, Mutable) and isinstance(leaf, (int, float))


def _input(leaf, given):
    """What stands for a leaf of the arguments while the function is recorded."""
    if _is_varying(leaf):
        return number(next(given))
    return wrap(next(given)) if _is_input(leaf) else leaf


def flattened(tree):
    """The tensors in nested arguments, in order, and the signature: what the program is made for."""
    tensors: list = []
    return tensors, _signature(tree, tensors)


def _signature(tree, tensors):
    if _is_varying(tree):
        tensors.append(as_number(tree + 0))
        return "Number", type(tree + 0)
    if _is_input(tree):
        tensors.append(tree)
        value = tree._value
        return "Tensor", np.shape(value), value.dtype.str if not isbox(value) else None
    if isinstance(tree, (tuple, list)):
        return type(tree), *[_signature(branch, tensors) for branch in tree]
    if isinstance(tree, dict):
        return dict, *[(key, _signature(branch, tensors)) for key, branch in tree.items()]
    if isinstance(tree, slice):
        return slice, *[_signature(part, tensors) for part in (tree.start, tree.stop, tree.step)]
    state = state_of(tree)
    return state if isinstance(state, tuple) and _hashable(state) else ("object", id(tree))


def _hashable(state):
    try:
        return hash(state) is not None
    except TypeError:
        return False


def _named(compiled, args):
    """The names of the positional arguments."""
    body = compiled.__wrapped__
    return argument_names(body.construct if isinstance(body, Cell_) else body, len(args))


def _difference(one, other, names=()):
    """Where two signatures differ, in words; `names` are those of the positional arguments, if it is a whole call."""
    if one is None or type(one) is not type(other) or not isinstance(one, tuple) or len(one) != len(other):
        return "the structure of the arguments"
    if one[:1] == ("Tensor",) == other[:1]:
        return f"a tensor's shape or dtype, {one[1:]} and {other[1:]}"
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        if a != b and names and len(a) == len(b):
            place = next(i for i in range(1, len(a)) if a[i] != b[i])
            name = names[place - 1] if k == 1 else a[place][0]
            return f"{name}: {_difference(a[place], b[place])}"
        if a != b:
            inner = isinstance(a, tuple) and isinstance(b, tuple)
            return _difference(a, b) if inner else f"a plain value, {_value_text(one)} and {_value_text(other)}"
    return "nothing in the arguments"


def _value_text(state):
    """A plain value in words, from its state."""
    return float.fromhex(state[1]) if state[0] is float else repr(state[-1])


def _names(compiled, args, kwargs):
    """A name for every tensor of the arguments: the parameter's, numbered inside a tuple."""
    names = []
    for name, argument in [*zip(_named(compiled, args), args, strict=True), *kwargs.items()]:
        count = len(flattened(argument)[0])
        names += (
            [name] if count and not isinstance(argument, (tuple, list, dict)) else [f"{name}_{k}" for k in range(count)]
        )
    return names


# ---- the way in ----


class _Compilations(dict):
    """The compiled forms of one function or cell, kept with it; a copy of that starts with none of its own."""

    def __init__(self, owner=None):
        super().__init__()
        self.owner = id(owner)

    def __deepcopy__(self, memo):
        return _Compilations()

    def __reduce__(self):
        return _Compilations, ()


def compiled_for(fn, options, make):
    """The `Compiled` of a function or cell under these options; made by `make()`.

    It is kept with the function itself, a method's with its object; what cannot hold it, such as a builtin, gets a new one.
    """
    owner, options = (fn.__self__, (fn.__func__, options)) if isinstance(fn, types.MethodType) else (fn, options)
    home = getattr(owner, "__dict__", None)
    if not isinstance(home, dict):
        home = {}
    kept = home.get("_labkit_compiled")
    if kept is None or kept.owner != id(owner):  # a copied or wrapped function has the dict of another
        kept = home["_labkit_compiled"] = _Compilations(owner)
    if options not in kept:
        kept[options] = make()
    return kept[options]


def jit(function=None, **options) -> Callable:
    """Compile a function or cell: `@jit`, `@jit(...)` or `jit(net)`. The options of the real one are accepted.

    The first call for each structure, shape and dtype of the arguments records a program; later ones run it.

    >>> square = jit(lambda x: x * x)
    >>> square(Tensor(3.0)), square(Tensor(4.0)), square.cache_info()
    (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 16), CacheInfo(hits=1, misses=1, size=1))
    """
    if function is None:
        return lambda fn: jit(fn, **options)
    if isinstance(function, Compiled):
        return function
    return Compiled(function._run if isinstance(function, Cell_) else function, function)


def jit_class(cls) -> type:
    """Say of a class that compiled functions may make and use its objects; here they may do so with any. Returns the class.

    Raises TypeError for what is no class, and for a cell's.

    >>> @jit_class
    ... class Doubling:
    ...     def __call__(self, x):
    ...         return x * 2
    >>> jit(lambda x: Doubling()(x))(Tensor(3.0))
    Tensor(shape=[], dtype=Float32, value= 6)
    """
    if not isinstance(cls, type):
        raise TypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    if issubclass(cls, Cell_):
        raise TypeError(f"Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: {cls}.")
    setattr(cls, "__ms_class__", True)  # noqa: B010 - not known of a type
    return cls
