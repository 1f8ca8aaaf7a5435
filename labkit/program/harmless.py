"""Functions that can be seen to have no side effect, so that nobody need watch them: watching costs more than recording.

What `guard` refuses is a call of the user's code: `log.append(x)`, `next(batches)`, `time.time()`. Where none of the code that
can be reached has such a name in it, and nothing that can be reached is such a function or of an unknown kind, there is none.
"""

import builtins
import dis
import functools
import types
from functools import lru_cache

import numpy as np
from autograd.core import primitive_jvps, primitive_vjps

from ..engine import is_library

_VALUES = {bool, int, float, complex, str, bytes, type(None), type(...), slice, range, np.ufunc}
_CALLABLE = {type(np.sum), types.BuiltinFunctionType}
_BUILTINS = {
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len",
    "list", "map", "max", "min", "pow", "print", "range", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple",
    "zip",
}  # fmt: skip
_ALLOWED = {id(getattr(builtins, name)) for name in _BUILTINS}
_OURS = ("autograd", "labkit", "math", "numpy")
MANY = 10_000  # elements of a list, more than are looked at


def harmless(fun, refused):
    """Whether all that `fun` can reach is known, and no code of the user's among it has one of the names `refused`."""
    known, names, stack = {}, set(), [fun]
    while stack:
        value = stack.pop()
        if id(value) not in known and type(value) not in _VALUES:
            known[id(value)] = value
            found = _inside(value, names)
            if found is None or names & refused:
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
    if kind in (tuple, list, dict, set, frozenset):
        return [*value, *(value.values() if kind is dict else ())] if len(value) <= MANY else None
    if kind is functools.partial:
        return [value.func, value.args, value.keywords]
    if kind is types.ModuleType:
        return [] if _is_ours(value.__name__) else None
    if id(value) in _ALLOWED:
        return []
    if kind in _CALLABLE or issubclass(kind, type):
        unbound = isinstance(getattr(value, "__self__", None), (types.ModuleType, type(None)))
        return [] if unbound and _is_ours(value.__module__ or "") else None
    return None


def _is_ours(module):
    return module.partition(".")[0] in _OURS


def _inside_function(fun, names):
    code = fun.__code__
    held = [cell.cell_contents for cell in fun.__closure__ or () if _filled(cell)]
    held += [fun.__defaults__, fun.__kwdefaults__, *(table.get(fun) for table in (primitive_vjps, primitive_jvps))]
    if is_library(code.co_filename):
        return held
    if (used := _names(code)) is None:
        return None
    names |= used
    return held + [vars(builtins).get(name) if name not in fun.__globals__ else fun.__globals__[name] for name in used]


def _filled(cell):
    try:
        return cell.cell_contents is not cell
    except ValueError:
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
