"""Errors about boxes, explained in the user's terms.

autograd's boxes stand for arrays. If plain Python or NumPy cannot use a box as it uses an array, its error mentions an
`ArrayBox`. The engine calls the user's functions through `run`, which replaces such an error by one that does not mention
boxes.
"""

import dis
import re
from typing import Any

import autograd.numpy as anp
from autograd.core import vspace
from autograd.extend import Box

from . import boxes
from .checks import VALUE, described
from .dtypes import isbox
from .user_code import is_library


def run(fun, args, kwargs=None) -> Any:
    """`fun(*args, **kwargs)`, the user's function on boxes. Its errors are passed on; an error of Python or NumPy about a box
    is replaced by an explained one."""
    try:
        return fun(*args, **(kwargs or {}))
    except Exception as error:
        explanation = explained(error)
        if explanation is None:
            raise
        explanation.is_explained = True
        raise explanation.with_traceback(error.__traceback__) from error


_TAKING = {boxes.new_box.__code__, vspace.__code__}  # code of functions whose local `value` is the non-number
_REFUSING = _TAKING | {type(boxes.Own.boxes).__missing__.__code__}


def explained(error) -> Any:
    """The error that explains `error`, if that is about a box; else None."""
    done = getattr(error, "is_explained", False)  # by a run inside this one
    if done or type(error).__module__.partition(".")[0] not in ("builtins", "numpy"):  # or the user's own
        return None
    end = last_frame(error.__traceback__)
    if end is not None and end.tb_frame.f_code in _REFUSING:
        came = described(last_frame(error.__traceback__, _TAKING.__contains__).tb_frame.f_locals["value"])
        return TypeError("expected numbers or arrays, but got {kind}".format(kind=came))
    if not (_speaks_of_a_box(error) or _speaks_of_a_box(error.__cause__) or _raised_by_a_box(error.__cause__)):
        return None
    kind = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return kind(_words(error))


def last_frame(traceback, wanted=lambda code: True) -> Any:
    """The innermost entry of a traceback whose code is `wanted`, or None."""
    found = None
    while traceback is not None:
        found = traceback if wanted(traceback.tb_frame.f_code) else found
        traceback = traceback.tb_next
    return found


def _speaks_of_a_box(error):
    return error is not None and re.search(_box_names(), str(error)) is not None


def _raised_by_a_box(error):
    """Whether it comes from a box's own method, such as `__float__`."""
    own = lambda code: code.co_argcount == 1 and is_library(code.co_filename)
    end = last_frame(error.__traceback__, own) if error is not None else None
    return end is not None and isbox(end.tb_frame.f_locals.get(end.tb_frame.f_code.co_varnames[0]))


def _box_names():
    return rf"\b({'|'.join(kind.__name__ for kind in Box.types)})\b"


def _words(error):
    if _was_storing(error):
        if error.__cause__ is not None:
            return (
                "a value that is being differentiated cannot be stored in an existing array, because its gradient would be lost. "
                "Collect the values in a list and join them at the end: np.array(values), or np.stack(values), of autograd.numpy"
            )
        if "item" in str(error):
            return (
                "an array that is being differentiated cannot be changed in place, as by x[0] = 1, because the backward pass "
                "needs its old values. Make a new array: np.where(condition, new, x), or np.concatenate([new, x[1:]])"
            )
    if isinstance(error, AttributeError) and isbox(getattr(error, "obj", None)):
        known = callable(getattr(anp, error.name or "", None))
        return (_FUNCTION if known else _NO_ATTRIBUTE).format(value=VALUE, name=error.name)
    if error.__cause__ is not None:
        return _PASSED.format(value=VALUE, advice=_ADVICE)
    name = _box_names()
    shown = rf"<[\w.]*{name} object at 0x[0-9a-f]+>|'{name}' object|'{name}'|{name}(\.__\w+__)?"
    return f"{re.sub(shown, VALUE, str(error))}. {_ADVICE}"


_FUNCTION = "{value} has no .{name}. Write np.{name}(x), of autograd.numpy"
_NO_ATTRIBUTE = "{value} has no .{name}. Use the functions of autograd.numpy"
_PASSED = "{value} was passed to code that takes plain numbers, so its gradient would be lost. {advice}"
_ADVICE = "Use the functions of autograd.numpy on the value itself"


def _was_storing(error):
    """Whether the user's line was writing to an element: `x[0] = 1`, `x[0] += 1`, `del x[0]`."""
    end = last_frame(error.__traceback__, lambda code: not is_library(code.co_filename))
    if end is None:
        return False
    steps = dis.get_instructions(end.tb_frame.f_code)
    name = next((step.opname for step in steps if step.offset == end.tb_lasti), "")
    return name in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
