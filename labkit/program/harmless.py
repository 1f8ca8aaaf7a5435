"""Functions that can be seen to have no side effect, so that they need not be watched: watching costs more than recording.

What `guard` refuses is a call of the user's code: `log.append(x)`, `next(batches)`, `time.time()`. Where none of the code that
can be reached has such a name in it, and nothing that can be reached is such a function or of an unknown kind, there is none.
From an object, all that it holds can be reached, and all methods of its classes but `__init__`, which has been called.
"""

import builtins
import dis
import functools
import types
from collections import ChainMap, OrderedDict
from functools import lru_cache

import numpy as np
from autograd.core import primitive_jvps, primitive_vjps

from ..dialects.class_paths import Placed
from ..engine import is_library, isbox

_VALUES = {
    bool, int, float, complex, str, bytes, type(None), type(...), slice, range, np.ufunc, types.MemberDescriptorType,
}  # fmt: skip
_CONTAINERS = (tuple, list, dict, OrderedDict, set, frozenset)
_WRAPPERS = {
    functools.partial: ("func", "args", "keywords"), types.MethodType: ("__func__", "__self__"),
    property: ("fget", "fset", "fdel"), staticmethod: ("__func__",), classmethod: ("__func__",), ChainMap: ("maps",),
}  # fmt: skip
_CALLABLE = {type(np.sum), types.BuiltinFunctionType}
_BUILTINS = {
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len",
    "list", "map", "max", "min", "pow", "print", "range", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple",
    "zip",
}  # fmt: skip
_ALLOWED = {id(getattr(builtins, name)) for name in _BUILTINS}
_OURS = ("autograd", "labkit", "math", "numpy")
_IN_PYTHON = 1 << 9  # the flag of a class that was made while Python ran
_OF_A_CLASS = {
    "__init__",
    "__annotations__",
    "__annotate_func__",
    "__dict__",
    "__weakref__",
    "_abc_impl",
    "__abstractmethods__",
}  # run before, if at all
MANY = 10_000  # elements of a list, or things in all: more are not looked at


def harmless(fun, refused) -> bool:
    """Whether all that `fun` can reach is known, and no code of the user's among it has one of the names `refused`."""
    known: dict[int, object] = {}
    names: set[str] = set()
    stack = [fun]
    while stack:
        value = stack.pop()
        if id(value) not in known and type(value) not in _VALUES:
            known[id(value)] = value
            before = len(names)
            found = _inside(value, names)
            if found is None or len(known) > MANY or (len(names) > before and names & refused):
                return False
            stack += found
        if not stack:  # a library may hold what the user put there
            modules = [m for m in known.values() if type(m) is types.ModuleType]
            held = [vars(m)[name] for m in modules for name in names & vars(m).keys()]
            stack = [v for v in held if id(v) not in known and type(v) not in _VALUES]
    return True


def _inside(value, names):
    """What can be reached from a value directly; None if that is not known. The names in a function's code join `names`."""
    kind = type(value)
    if kind is types.FunctionType:
        return _inside_function(value, names)
    if kind is np.ndarray or (isinstance(value, (np.generic, np.dtype)) and _is_ours(kind.__module__)):
        return None if getattr(value, "dtype", value).hasobject else []
    if kind in _CONTAINERS or (issubclass(kind, _CONTAINERS) and _is_labkits(kind)):
        return [*value, *(value.values() if issubclass(kind, dict) else ())] if len(value) <= MANY else None
    if kind in _WRAPPERS:
        return [getattr(value, name) for name in _WRAPPERS[kind]]
    if kind is types.ModuleType:
        return [] if _is_ours(value.__name__) else None
    if id(value) in _ALLOWED:
        return []
    if kind in _CALLABLE or issubclass(kind, type):
        unbound = isinstance(getattr(value, "__self__", None), (types.ModuleType, type(None)))
        if not (unbound and _is_ours(value.__module__ or "")):
            return None
        return _put_into(value) if issubclass(kind, type) and _is_labkits(value) else []
    return None if isbox(value) else _inside_object(value, kind)


def _inside_object(value, kind):
    """What an object and its classes hold; None where one of them is not written in Python, or made as usual."""
    classes = kind.__mro__[:-1]
    if not (type(kind) in (type, Placed) and all(of.__flags__ & _IN_PYTHON for of in classes)):
        return None
    held = [slot.__get__(value) for of in classes for slot in _slots(of) if _filled(slot.__get__, value)]
    if kind.__dictoffset__:
        own = _is_labkits(kind) and kind.__getstate__ is not object.__getstate__  # what a copy would have is enough
        held += [value.__getstate__() if own else object.__getattribute__(value, "__dict__")]
    for of in classes:
        held += [of] if _is_labkits(of) else [vars(of)[name] for name in vars(of).keys() - _OF_A_CLASS]
    return held


def _put_into(kind):
    """The functions that a user has put into a class of labkit's."""
    functions = [f for of in kind.__mro__ for f in vars(of).values() if type(f) is types.FunctionType]
    return [f for f in functions if not is_library(f.__code__.co_filename)]


@lru_cache(maxsize=1024)
def _slots(of):
    return [slot for slot in vars(of).values() if type(slot) is types.MemberDescriptorType]


def _is_labkits(kind):
    return kind.__module__.partition(".")[0] == "labkit"


def _is_ours(module):
    return module.partition(".")[0] in _OURS


def _inside_function(fun, names):
    code = fun.__code__
    held = [cell.cell_contents for cell in fun.__closure__ or () if _filled(getattr, cell, "cell_contents")]
    held += [fun.__defaults__, fun.__kwdefaults__, *(table.get(fun) for table in (primitive_vjps, primitive_jvps))]
    if is_library(code.co_filename):
        return held
    if (used := _names(code)) is None:
        return None
    names |= used
    return held + [vars(builtins).get(name) if name not in fun.__globals__ else fun.__globals__[name] for name in used]


def _filled(look, *place):
    """Whether there is something in a cell of a closure, or in a slot."""
    try:
        return look(*place) is not look
    except (ValueError, AttributeError):
        return False


@lru_cache(maxsize=1024)
def _names(code):
    """All names in a function's code and in that of those inside it; None for a class, an import, an outer name written."""
    for step in dis.get_instructions(code):
        if step.opname in ("IMPORT_NAME", "LOAD_BUILD_CLASS", "STORE_GLOBAL", "DELETE_GLOBAL"):
            return None
        if step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in code.co_freevars:
            return None
    inner = [_names(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    if None in inner or any(name.startswith("__") for name in code.co_names):
        return None
    return frozenset(code.co_names).union(*inner)
