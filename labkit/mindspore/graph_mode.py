"""Graph mode: a function recorded once per signature, turned into a program, cached, and run from then on.

`jit(fn)` and, in GRAPH_MODE, every gradient function and every cell called from outside run as a `Compiled`. A program holds
for one signature: the structure of the arguments, shapes and dtypes of tensors, values of everything else. Parameters that
the function reads are inputs of the program and those it writes are outputs, so neither can go stale; plain numbers and
tensors that it takes from its surroundings (globals, closures, attributes of cells) are watched, and a change recompiles.
"""

import types
import warnings
from collections import namedtuple

import numpy as np

from ..engine import isbox, leaves, map_leaves
from ..engine.graph import argument_names
from ..program import Recording
from ._recording import Recorder, busy
from .nn.cell import Cell
from .parameter import Parameter
from .tensor import Tensor, wrap

__all__ = ["CacheInfo", "Compiled", "jit"]

CacheInfo = namedtuple("CacheInfo", "hits misses size")
MANY = 4  # a function compiled more often than this is worth a warning
_PLAIN = (bool, int, float, str, type(None))
_TENSOR = object()  # stands for a tensor in the structure of an output


class Compiled:
    """`fn` as a compiled function: called like `fn`; a new signature is recorded and compiled once.

    `program(*args)` is the program for these arguments, with its `source`; `cache_info()` counts hits and misses. `depends`
    is the function whose surroundings are watched, `fn` itself unless it wraps another. Raises TraceError where `fn` does
    what a program cannot (see `labkit.program`).
    """

    def __init__(self, fn, depends=None):
        self.fn, self.depends = fn, fn if depends is None else depends
        self._programs, self._hits, self._misses, self._last = {}, 0, 0, None
        self.__name__ = getattr(self.depends, "__name__", type(self.depends).__name__)
        self.__doc__ = self.depends.__doc__

    def __call__(self, *args, **kwargs):
        tensors, signature = flattened((args, kwargs))
        if busy() or any(isbox(t._value) for t in tensors):
            return self.fn(*args, **kwargs)  # part of a derivative or of another program
        return self._found(signature, args, kwargs, tensors).run(tensors)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def program(self, *args, **kwargs):
        """The `Program` that runs for arguments like these."""
        tensors, signature = flattened((args, kwargs))
        return self._found(signature, args, kwargs, tensors).program

    def cache_info(self):
        """How often a program was found, how often one was compiled, and how many are kept."""
        return CacheInfo(self._hits, self._misses, len(self._programs))

    def cache_clear(self):
        """Forget all programs."""
        self._programs.clear()

    def _found(self, signature, args, kwargs, tensors):
        held = self._programs.get(signature)
        if held is not None and held.current():
            self._hits += 1
            return held
        self._misses += 1
        if self._misses > MANY:
            varied = f"the value of {held.changed()}" if held else _difference(self._last, signature)
            warnings.warn(
                f"{self.__name__} has been compiled {self._misses} times; what varied last is {varied}. Every new shape, "
                "dtype or plain value costs a compilation: pass what varies as a Tensor, and keep shapes the same.",
                stacklevel=3,
            )
        self._programs[signature] = held = _Held(self.fn, self.depends, args, kwargs, tensors)
        self._last = signature
        return held


class _Held:
    """One program of a compiled function, what it depends on, and what it does besides."""

    def __init__(self, fn, depends, args, kwargs, tensors):
        self.watched = list(surroundings(depends))
        self.alive = args, kwargs  # so that ids in the signature stay theirs
        recording = Recording()
        self.recorder = Recorder(recording)
        names = _names(depends, args, tensors)
        boxes = [recording.input(t._value, name) for t, name in zip(tensors, names, strict=True)]

        def run(*boxes):
            given = iter(boxes)
            places = map_leaves(
                lambda leaf: wrap(next(given)) if isinstance(leaf, Tensor) else leaf, (list(args), kwargs)
            )
            return fn(*places[0], **places[1])

        with self.recorder.active():
            output = recording.run(run, *boxes)
        outputs = [leaf._value for leaf in leaves(output) if isinstance(leaf, Tensor)]
        self.structure = map_leaves(lambda leaf: _TENSOR if isinstance(leaf, Tensor) else leaf, output)
        self.count = len(outputs)
        self.program = recording.finish((*outputs, *self.recorder.results()), in_place=True)
        self.parameters = [parameter for parameter, _ in self.recorder.read.values()]

    def current(self):
        return all(_same(get(), value) for _, get, value in self.watched)

    def changed(self):
        return next(name for name, get, value in self.watched if not _same(get(), value))

    def run(self, tensors):
        with np.errstate(all="ignore"):
            given = [t._value for t in tensors] + [p._value for p in self.parameters]
            results = self.program.run(*given)
        self.recorder.replay(results[self.count :])
        made = iter(results)
        if self.structure is _TENSOR:
            return wrap(results[0])
        return map_leaves(lambda leaf: wrap(next(made)) if leaf is _TENSOR else leaf, self.structure)


# ---- signatures ----


def flattened(tree):
    """The tensors in nested arguments, in order, and the signature: what the program is made for."""
    tensors = []
    return tensors, _signature(tree, tensors)


def _signature(tree, tensors):
    if isinstance(tree, Tensor):
        tensors.append(tree)
        value = tree._value
        return "Tensor", np.shape(value), value.dtype.str if not isbox(value) else None
    if isinstance(tree, (tuple, list)):
        return type(tree), *[_signature(branch, tensors) for branch in tree]
    if isinstance(tree, dict):
        return dict, *[(key, _signature(branch, tensors)) for key, branch in tree.items()]
    return (type(tree), tree) if isinstance(tree, _PLAIN) else ("object", id(tree))


def _difference(one, other):
    """Where two signatures differ, in words."""
    if one is None or type(one) is not type(other) or not isinstance(one, tuple) or len(one) != len(other):
        return "the structure of the arguments"
    if one[:1] == ("Tensor",) == other[:1]:
        return f"a tensor's shape or dtype, {one[1:]} and {other[1:]}"
    for a, b in zip(one, other, strict=True):
        if a != b:
            return (
                _difference(a, b)
                if isinstance(a, tuple) and isinstance(b, tuple)
                else f"a plain value, {a!r} and {b!r}"
            )
    return "nothing in the arguments"


def _names(fn, args, tensors):
    """A name for every tensor of the arguments: the parameter's, numbered inside a tuple."""
    names = []
    body = fn.construct if isinstance(fn, Cell) else fn
    for name, argument in zip(argument_names(body, len(args)), args, strict=True):
        count = len(flattened(argument)[0])
        names += [name] if isinstance(argument, Tensor) else [f"{name}_{k}" for k in range(count)]
    return names + [f"kwarg{k}" for k in range(len(tensors) - len(names))]


# ---- what a function takes from its surroundings ----


def surroundings(fn, seen=None):
    """`(name, getter, value)` of the plain values and tensors that a function or cell takes from globals, closures and
    attributes, those of the functions and cells it uses included. Parameters are not among them: they are inputs."""
    seen = set() if seen is None else seen
    if id(fn) in seen:
        return
    seen.add(id(fn))
    for name, get in _sources(fn):
        try:
            value = get()
        except (KeyError, ValueError, AttributeError):
            continue
        if isinstance(value, _PLAIN) or (isinstance(value, Tensor) and not isinstance(value, Parameter)):
            yield name, get, value
        elif (isinstance(value, (Cell, types.FunctionType, types.MethodType)) and not _is_ours(value)) or isinstance(
            value, Cell
        ):
            yield from surroundings(value, seen)


def _sources(fn):
    """Names and getters of everything a function's code, or a cell, refers to."""
    if isinstance(fn, Cell):
        attributes = vars(fn)
        yield from ((f"{type(fn).__name__}.{name}", lambda n=name: attributes[n]) for name in list(attributes))
        yield from ((f"{type(fn).__name__}.{name}", lambda c=cell: c) for name, cell in fn._cells.items())
        fn = type(fn).construct
    fn = getattr(fn, "__func__", fn)
    code = getattr(fn, "__code__", None)
    if code is None:
        return
    space = fn.__globals__
    yield from ((name, lambda n=name: space[n]) for name in code.co_names if name in space)
    for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
        yield name, lambda c=cell: c.cell_contents


def _is_ours(value):
    """Whether a function or cell is the dialect's own, whose surroundings do not change."""
    return getattr(type(value) if isinstance(value, Cell) else value, "__module__", "").startswith("labkit.")


def _same(one, other):
    return one is other or (type(one) is type(other) and isinstance(one, _PLAIN) and one == other)


# ---- the way in ----


def compiled_for(fn, options, make):
    """The `Compiled` of a function or cell under these options, kept with the function itself; made by `make()`."""
    home = getattr(fn, "__dict__", None)
    if home is None:
        return make()
    kept = home.setdefault("_labkit_compiled", {})
    if options not in kept:
        kept[options] = make()
    return kept[options]


def jit(function=None, **options):
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
    return Compiled(function._run if isinstance(function, Cell) else function, function)
