"""Programs: a run of a function, derivatives included, as straight-line NumPy source that one can read, run and time.

    program = compile_program(labkit.value_and_grad(f), x)   # recorded once, at the shapes and dtypes of x
    print(program)                                           # its source
    program(x)                                               # its value, for any x of that shape and dtype

The layers, in order: `tape` records, `guard` watches for side effects, `simplify` tidies, `write` spells out, `compiler`
puts them together. All but `tape` are loaded when the first program is made.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .tape import Op, TraceError, recorded, refuse, trace_error

if TYPE_CHECKING:
    from .compiler import Program, Recording, compile_program
    from .simplify import Line

__all__ = [
    "Line", "Op", "Program", "Recording", "TraceError", "compile_program", "recorded", "refuse", "trace_error",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("Program", "Recording", "compile_program"):
        return getattr(import_module(".compiler", __name__), name)
    if name == "Line":
        return import_module(".simplify", __name__).Line
    raise AttributeError(f"labkit.program has no {name!r}; it has {', '.join(__all__)}")
