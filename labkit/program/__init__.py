"""Programs: a run of a function, derivatives included, as straight-line NumPy source that one can read, run and time.

    program = compile_program(labkit.value_and_grad(f), x)   # recorded once, at the shapes and dtypes of x
    print(program)                                           # its source
    program(x)                                               # its value, for any x of that shape and dtype

The layers, in order: `tape` records, `simplify` tidies, `write` spells out, `compiler` puts them together.
"""

from .compiler import Program, Recording, compile_program
from .simplify import Line
from .tape import Op, TraceError, recorded, refuse, trace_error

__all__ = ["Line", "Op", "Program", "Recording", "TraceError", "compile_program", "recorded", "refuse", "trace_error"]
