"""Programs: a run of a function, derivatives included, as straight-line NumPy source that one can read, run and time.

    program = compile_program(labkit.value_and_grad(f), x)   # recorded once, at the shapes and dtypes of x
    print(program)                                           # its source
    program(x)                                               # its value, for any x of that shape and dtype

The layers, in order: `nodes` are recorded, `guard` watches for side effects, `simplify` tidies, `write` spells out,
`compiler` puts them together. All but `nodes` are loaded when the first program is made.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .nodes import Op, TraceError, recorded, refuse, trace_error

if TYPE_CHECKING:
    from .compiler import Program, Recording, compile_program
    from .guard import is_user
    from .simplify import Line

__all__ = [
    "Line", "Op", "Program", "Recording", "TraceError", "compile_program", "is_user", "recorded", "refuse",
    "trace_error",
]  # fmt: skip
_LATER = {
    "Program": "compiler", "Recording": "compiler", "compile_program": "compiler", "is_user": "guard", "Line": "simplify",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"labkit.program has no {name!r}; it has {', '.join(__all__)}")
