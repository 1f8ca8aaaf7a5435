"""What a function takes from its surroundings, and whether it has changed since it was compiled.

Watched is what the code of a function, and of the functions and cells it uses, names: globals, closures, defaults,
attributes of cells, objects and modules. Numbers, lists and arrays are compared by content, the rest by identity.
"""

import dis
import functools
import inspect
import types
from collections.abc import Callable
from functools import lru_cache, partial
from operator import getitem
from typing import Any

import numpy as np

from ...dialects.class_paths import Placed
from ...engine import isbox
from ...program import is_user
from ..common.tensor import Tensor


class Cell_(metaclass=Placed):
    """The base of `nn.Cell`: graph mode, which cells use, knows a cell by it."""

    construct: Callable[..., Any]
    _run: Callable[..., Any]
    phase: str


_PLAIN = (bool, int, str, bytes, type(None))
_UNSEEN = {"_labkit_compiled", "_params", "_cells", "_auto_prefix", "param_prefix"}  # of a cell; parts are seen apart
LARGE = 1 << 22  # bytes: of larger arrays only the identity is compared
_FOREIGN = ("labkit", "numpy", "autograd", "builtins")


class Watched:
    """One value of the surroundings: its name, how to get it, and its state when the program was recorded.

    `get` is a partial, so that it can be written out (`call_writer`). `fixed`: as long as it is the same object, it is the same.
    `plain`: the value itself is compared.
    """

    __slots__ = ("fixed", "get", "name", "plain", "state", "value")

    def __init__(self, name, get, value, plain=False):
        self.name, self.get, self.value, self.plain = name, get, value, plain
        self.state = value if plain else state_of(value)
        self.fixed = type(self.state) is Same or type(value) in (*_PLAIN, float)

    def same(self):
        """Whether the value is what it was."""
        try:
            now = self.get()
        except (KeyError, ValueError, AttributeError):
            return False
        return (self.fixed and now is self.value) or self.state == (now if self.plain else state_of(now))


class Same:
    """Equal to itself alone: the state of an object that is compared by identity."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Same and self.value is other.value

    def __hash__(self):
        return id(self.value)


def state_of(value, depth=8):
    """Something that compares equal as long as the value is the same."""
    kind = type(value)
    if kind is float:
        return kind, value.hex()
    if isinstance(value, _PLAIN):
        return kind, value
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
        return kind, value.dtype, value.shape, value.tobytes() if value.nbytes <= LARGE else Same(value)
    if isinstance(value, (list, tuple)) and depth:
        return kind, *[state_of(v, depth - 1) for v in value]
    if isinstance(value, dict) and depth:
        return kind, *[(key, state_of(v, depth - 1)) for key, v in value.items()]
    return (kind, frozenset(value)) if isinstance(value, (set, frozenset)) else Same(value)


def hooks_of(parameter):
    """The hooks of a parameter, None for one that was removed."""
    return tuple([handle.hook for handle in parameter._hooks])


def parameter_state(parameter):
    """What a program assumes of a parameter it reads; the value is not among it, for that is an input."""
    value = parameter._value
    return np.shape(value), value.dtype


def content_of(tensor):
    """What a program assumes of a tensor from outside: what is written into it is seen, as in the real one."""
    value = tensor._value
    return Same(value) if isbox(value) else state_of(value)


def is_of_cell(watched):
    """Whether it is an attribute of a cell: what is written into a tensor there is not seen."""
    return watched.get.func is getitem and "_cells" in watched.get.args[0]


def own_attribute(owner, name):
    """What an object itself has under a name, not its class."""
    return vars(owner)[name]


def defaults_of(fn):
    """The defaults of a function's parameters."""
    return fn.__defaults__, fn.__kwdefaults__


def arguments_of(given):
    """The arguments of a partial."""
    return given.args, given.keywords


def parts_of(held, kind):
    """Which parameters or cells a cell has, by identity; `held` is what it holds."""
    return tuple(map(id, held[kind].values()))


def functions_of(walk):
    """The functions, written by the user, that may be called on a walk."""
    found: list = []
    for kind in {id(kind): kind for value in walk.seen for kind in type(value).__mro__}.values():
        found += [vars(kind).get(name) for name in walk.names & vars(kind).keys()]  # by `super()`
    return walk.functions + [f for f in found if isinstance(f, types.FunctionType) and is_user(f.__code__)]


def assigned_attributes(walk):
    """`[(object, name)]`: the attributes that code on a walk may assign of the objects at hand."""
    names = {name for code in walk.codes for name in _assigned_in(code)}
    return [(owner, name) for owner in walk.seen for name in sorted(names)] if names else []


def site_of(fn, args, name):
    """`file:line` where a function, or one that it uses, writes or reads what `name` ends with; else where it begins, or ""."""
    codes, name = surroundings(fn, args).codes, name.rpartition(".")[2]
    for begin in ("STORE_ATTR", "LOAD_"):
        for code in codes:
            for step in dis.get_instructions(code):
                if step.opname.startswith(begin) and step.argval == name and step.positions:
                    return f"{code.co_filename}:{step.positions.lineno}"
    return f"{codes[0].co_filename}:{codes[0].co_firstlineno}" if codes else ""


def changed_message(site, name):
    return (
        f"{site}: a compiled function cannot change {name}: it would happen once, when the function is recorded, and not "
        "again when the program runs. Return the value, or keep it in a Parameter."
    )


def surroundings(fn, args=()):
    """The walk through all that a function or cell called with these arguments takes from outside: `found` is what to watch."""
    names: frozenset = frozenset()
    while True:  # objects are looked into by the names that occur, and looking into methods shows more names
        walk = _Walk(names)
        for root in (fn, *args):
            walk.into(root)
        if walk.names == names:
            return walk
        names = frozenset(walk.names)


class _Walk:
    """One walk through everything that can be reached; `names` are those that occur in code."""

    def __init__(self, names):
        self.known, self.names, self.found, self.seen = names, set(names), [], []
        self.codes, self.functions, self._ids = [], [], set()

    def value(self, name, look, *place):
        get = partial(look, *place)
        try:
            value = get()
        except (KeyError, ValueError, AttributeError):  # not there yet
            return
        self.found.append(Watched(name, get, value))
        self.into(value)

    def into(self, value):
        """Watch what `value` depends on in turn."""
        if isinstance(value, (*_PLAIN, float, np.ndarray, np.generic, Tensor)) or id(value) in self._ids:
            return
        self._ids.add(id(value))
        self.seen.append(value)  # so that its id stays its own
        for kind, look in _KINDS:
            if isinstance(value, kind):
                return look(self, value)
        self.object(value)

    def function(self, fn):
        if getattr(fn, "__module__", None) is not None and fn.__module__.startswith("labkit."):
            return
        if is_user(fn.__code__):
            self.codes.append(fn.__code__)
            self.functions.append(fn)
            outer, attributes = names_in(fn.__code__)
            self.names |= attributes
            space = fn.__globals__
            for name in sorted(outer & space.keys()):
                self.value(name, getitem, space, name)
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            self.value(name, getattr, cell, "cell_contents")
        if fn.__defaults__ or fn.__kwdefaults__:
            self.value(f"a default of {fn.__name__}", defaults_of, fn)

    def method(self, method):
        self.into(method.__func__)
        self.into(method.__self__)

    def partial(self, given):
        self.value("the function of a partial", getattr, given, "func")
        self.value("the arguments of a partial", arguments_of, given)

    def sequence(self, values):
        for value in values.values() if isinstance(values, dict) else values:
            self.into(value)

    def cell(self, cell):
        held, kind = vars(cell), type(cell)
        ours = any(c.__module__.startswith("labkit.") for c in kind.__mro__ if Cell_ not in (c, *c.__bases__))
        for name in [n for n in held if n not in _UNSEEN]:
            if ours or name in self.known or _ANY in self.known or name in ("training", "_hooks"):
                known = f"the hooks of {kind.__name__}" if name == "_hooks" else f"{kind.__name__}.{name}"
                self.value(known, getitem, held, name)
        for part in ("_params", "_cells"):
            here = partial(parts_of, held, part)
            self.found.append(Watched(f"{kind.__name__}.{part}", here, here(), plain=True))
            self.into(held[part])
        self.names |= {"construct", "bprop"}
        self.object(cell)

    def object(self, owner):
        """Attributes that are named somewhere; of labkit's own objects all."""
        kind = owner if isinstance(owner, type) else type(owner)
        root = kind.__module__.partition(".")[0]
        if hasattr(owner, "__wrapped__"):
            return self.into(owner.__wrapped__)
        if root == "labkit" and not isinstance(owner, (type, Cell_)):
            for name in [n for n in getattr(owner, "__dict__", ()) if not n.startswith("_")]:
                self.value(f"{kind.__name__}.{name}", own_attribute, owner, name)
        if root in _FOREIGN or isinstance(owner, types.BuiltinFunctionType):
            return
        if callable(owner):
            self.names.add("__call__")
        for name in sorted(self.known):
            self._attribute(owner, kind, name)

    def _attribute(self, owner, kind, name):
        found = inspect.getattr_static(owner, name, _MISSING)
        if found is _MISSING:
            return
        if isinstance(found, (types.FunctionType, staticmethod, classmethod, property)):
            if not isinstance(found, classmethod):
                holder = owner if name in getattr(owner, "__dict__", ()) else kind
                self.value(f"{kind.__name__}.{name}", getattr, holder, name)
            self.into(getattr(found, "fget", getattr(found, "__func__", found)))
        elif isinstance(found, _SLOTS) or not (hasattr(found, "__get__") or name in _own(owner)):
            self.value(f"{kind.__name__}.{name}", getattr, owner, name)

    def module(self, module):
        if module.__name__.partition(".")[0] in _FOREIGN:
            return
        for name in sorted(self.known & vars(module).keys()):
            self.value(f"{module.__name__}.{name}", getitem, vars(module), name)


def _own(owner):
    """A cell's attributes, which are watched already."""
    return vars(owner) if isinstance(owner, Cell_) else ()


_MISSING = property()
_ANY = "*"  # among the names of attributes, where code looks attributes up by computed names
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_KINDS: list[tuple[type | tuple, Callable]] = [
    (types.FunctionType, _Walk.function),
    (types.MethodType, _Walk.method),
    (functools.partial, _Walk.partial),
    (types.ModuleType, _Walk.module),
    (Cell_, _Walk.cell),
    ((list, tuple, dict, set), _Walk.sequence),
]


@lru_cache(maxsize=4096)
def _assigned_in(code):
    """The names of attributes that code assigns, with that of the functions defined inside it."""
    inner = [_assigned_in(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname == "STORE_ATTR").union(*inner)


@lru_cache(maxsize=4096)
def names_in(code):
    """The names of globals, and of attributes, in a function's code and in that of the functions defined inside it."""
    outer, attributes = set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            outer.add(step.argval)
        elif step.argval in code.co_names:
            attributes.add(step.argval)
    inner = [names_in(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    if outer & {"getattr", "vars"}:
        attributes.add(_ANY)
    return frozenset(outer).union(*(o for o, _ in inner)), frozenset(attributes).union(*(a for _, a in inner))
