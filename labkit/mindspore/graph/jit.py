"""Graph mode: a function recorded once per signature, turned into a program, cached, and run from then on.

`jit(fn)` and, in GRAPH_MODE, every gradient function and every cell called from outside run as a `Compiled`. A program holds
for one signature: the structure of the arguments, shapes and dtypes of tensors, values of everything else. Parameters that
the function reads are inputs of the program and those it writes are outputs; random numbers are inputs drawn at every run.

All else that it takes from its surroundings (attributes, globals, closures, lists, dicts, objects, functions) has the value that
it had then, as in the real one. labkit warns of the first change that is not seen, and names the line that reads it.

Where the function asks for the truth of a tensor, in an `if` or a `while`, the program is for this answer, and there is one for
the other answer as well: each of them says when it is not the one (`Elsewhere`). A function that goes on by numbers outside
ops, as those of an array or of `ops.unique`, by many answers, as a long `while` does, or by an answer after random numbers were
drawn, is run by Python every time; that run sees what its surroundings are then.
"""

import types
from collections import namedtuple
from collections.abc import Callable

from ...dialects.user_warnings import warn_user
from ...engine import isbox
from ...program import Elsewhere, Interpreted, Program, trace_error
from ..common.tensor import Tensor
from .call_writer import MISSED
from .compilation import Compilation, missed, other_ways
from .recorder import busy, inside_graph
from .signature import difference, flattened, named
from .source_code import first_code, rewritten
from .surroundings import Cell_, functions_of, site_of, surroundings

__all__ = ["CacheInfo", "Compiled", "jit", "jit_class"]

CacheInfo = namedtuple("CacheInfo", "hits misses size")
MANY = 4  # a function compiled more often than this is worth a warning
MOST = 64  # programs kept for one function; the oldest goes first
MANY_WAYS = 16  # programs for one signature, between which values decide: more are run by Python
_UNSEEN = (
    "{name} has changed since {function} was compiled. As in MindSpore, the compiled function keeps using the old value{site}. "
    "Pass what varies as an argument, keep it in a Parameter, or compile again."
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
        self._ready = self._before = missed  # the calls of the two programs that ran last, written out
        self._writers, self._interpreted = None, set()
        self.watching = True  # until a change that is not seen has been warned of
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
        tensors, signature = self._signature(args, kwargs)
        if busy() or any(isbox(t._value) for t in tensors):
            return self._by_python(args, kwargs)  # part of a derivative or of another program
        try:
            held = None if signature in self._interpreted else self._program_for(signature, args, kwargs, tensors)
            if held is not None:
                way, results = self._way(held, signature, args, kwargs, tensors)
                return way.given(results, tensors)
        except Interpreted:
            self._interpreted.add(signature)
            self._programs.pop(signature, None)
        except Elsewhere:  # another thread has changed a parameter meanwhile
            pass
        return self._by_python(args, kwargs)

    def _signature(self, args, kwargs):
        """The tensors among the arguments, and what the program is for; of a cell that is the phase, too."""
        tensors, signature = flattened((args, kwargs))
        return tensors, (signature, getattr(self.__wrapped__, "phase", "") or "train")

    def _by_python(self, args, kwargs):
        """The output of a run, in which a name has a value as in a program."""
        if self._writers is None:
            called = functions_of(surroundings(self.__wrapped__))
            self._writers = [fn for fn in called if first_code(fn.__code__) is not None]
        with inside_graph(), rewritten(self._writers):
            return self.fn(*args, **kwargs)

    def _way(self, held, signature, args, kwargs, tensors):
        """The program for what the values decide, compiled where it is not there yet, and its results."""
        for way in [held, *[way for way in held.ways if way is not held]]:
            try:
                results = way.results(tensors)
            except Elsewhere:
                continue
            self._programs[signature] = way
            return way, results
        if len(held.ways) >= MANY_WAYS:
            raise trace_error("take more than {count} paths".format(count=MANY_WAYS), Interpreted)
        made = Compilation(self, surroundings(self.__wrapped__, (*args, *kwargs.values())), args, kwargs, tensors)
        held.ways.append(made)
        made.ways, self._programs[signature] = held.ways, made
        self._misses += 1
        return made, made.results(tensors)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __getstate__(self):
        return vars(self) | {
            "_programs": {},
            "_interpreted": set(),
            "_ready": missed,
            "_before": missed,
        }  # a copy compiles for itself

    def program(self, *args, **kwargs) -> Program:
        """The `Program` that runs for arguments like these."""
        tensors, signature = self._signature(args, kwargs)
        held = self._program_for(signature, args, kwargs, tensors)
        return self._way(held, signature, args, kwargs, tensors)[0].program

    def cache_info(self) -> CacheInfo:
        """How often a program was found, how often one was compiled, and how many are kept."""
        return CacheInfo(self._hits, self._misses, len(self._programs))

    def refresh(self):
        """Forget the programs whose surroundings have changed: a new gradient function sees them as they are."""
        for signature, held in [*self._programs.items()]:
            if held.changed():
                del self._programs[signature]
                self._ready, self._before, self.watching = missed, missed, True

    def _program_for(self, signature, args, kwargs, tensors):
        """The program that holds now; None inside a derivative of what the surroundings hold."""
        held = self._programs.get(signature)
        if held is not None and held.holds():
            if self.watching and (changed := held.changed()):
                self._warn_of_change(changed, args)
            self._hits += 1
            self._before, self._ready = self._ready, held.written(self, args, kwargs)
            return held
        walk = surroundings(self.__wrapped__, (*args, *kwargs.values()))
        if any(isinstance(w.value, Tensor) and isbox(w.value._value) for w in walk.found):
            return None
        compile_turned = lambda number: Compilation(self, walk, args, kwargs, tensors, number)
        made = compile_turned(None)
        made.ways += other_ways(made, compile_turned)
        for way in made.ways:
            way.ways = made.ways
        if self._programs.get(signature) is not held:  # another thread was faster
            return made
        self._misses += 1
        if self._misses > MANY:
            self._warn_of_many(signature, args)
        if len(self._programs) >= MOST:
            self._programs.pop(next(iter(self._programs), None), None)
        self._programs[signature], self._ready, self._before = made, missed, missed
        self._last = signature
        return made

    def _warn_of_change(self, changed, args):
        """Warn once, and write the calls without what is watched for the warning."""
        self.watching, self._ready, self._before = False, missed, missed
        for held in self._programs.values():
            for way in held.ways:
                way.call = None
        site = site_of(self.__wrapped__, args, changed.name)
        warn_user(_UNSEEN.format(name=changed.name, function=self.__name__, site=site and f" ({site} uses it)"))

    def _warn_of_many(self, signature, args):
        varied = difference(self._last and self._last[0], signature[0], named(self, args))
        warn_user(_MANY.format(name=self.__name__, count=self._misses, what=varied))


_MANY = (
    "{name} has been compiled {count} times; the last difference was in {what}. Every new shape, dtype or plain value causes a "
    "compilation: pass values that vary as a Tensor, and keep shapes the same."
)


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
    """The `Compiled` of a function or cell under these options; made by `make()`. That of a gradient is refreshed.

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
    elif options != "cell":
        kept[options].refresh()
    return kept[options]


def jit(function=None, **options) -> Callable:
    """Compile a function or cell: `@jit`, `@jit(...)` or `jit(net)`. The options of the real one are accepted.

    The first call for each structure, shape and dtype of the arguments records a program; later ones run it. What changes outside
    of it afterwards, an attribute, a global or a list, is not seen, as in the real one; labkit warns of the first change. Unlike
    the real one it sees `Parameter.set_data`, and raises TraceError for a side effect, such as a list appended to.

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

    Raises TypeError for what is not a class, and for a cell's.

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
