"""What is seen from where `show` was called: the variables there, and how its arguments are written."""

import ast
import linecache
import sys
from collections.abc import Mapping
from inspect import CO_OPTIMIZED
from itertools import islice
from types import FrameType, ModuleType
from typing import Any


def variables_outside(up: int = 2) -> dict[str, Any]:
    """The variables where `show` was called, `up` frames above; that frame keeps no copy of them."""
    frame = sys._getframe(up)
    found = {**frame.f_globals, **frame.f_locals}
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
        copy = frame.f_locals  # of what a function has; it would live as long as the call
        if sys.getrefcount(copy) <= 3:  # the frame, `copy`, and the call that counts: nobody else looks at it
            copy.clear()
    return found


def spelled(variables: Mapping[str, Any], up: int = 2) -> list[str]:
    """The positional arguments as they are written in the call `up` frames above, without the modules before the names of
    functions; [] where the source is not known."""
    frame = sys._getframe(up)
    try:
        call = ast.parse(_source(frame).strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return []
    if not isinstance(call, ast.Call) or any(isinstance(arg, ast.Starred) for arg in call.args):
        return []
    modules = {name for name, value in variables.items() if isinstance(value, ModuleType)}
    return [ast.unparse(_Plain(modules).visit(arg)) for arg in call.args]


def _source(frame: FrameType) -> str:
    """The text of the call that a frame is in."""
    first, last, begin, end = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    if first is None or last is None or begin is None or end is None:
        return ""
    lines = [linecache.getline(frame.f_code.co_filename, i).encode() for i in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    return b"".join(lines).decode(errors="replace")


class _Plain(ast.NodeTransformer):
    """`torch.nn.functional.mse_loss` as `mse_loss`: names of modules are left out."""

    def __init__(self, modules: set[str]):
        self.modules = modules

    def visit_Attribute(self, node):
        base = node.value
        while isinstance(base, ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name) and base.id in self.modules:
            return ast.Name(node.attr)
        return self.generic_visit(node)
