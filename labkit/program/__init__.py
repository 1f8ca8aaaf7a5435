"""Programs: a run of a function, derivatives included, as straight-line NumPy source that one can read, run and time.

    program = compile_program(labkit.value_and_grad(f), x)   # recorded once, at the shapes and dtypes of x
    print(program)                                           # its source
    program(x)                                               # its value, for any x of that shape and dtype

The layers, in order: `nodes` are recorded, `guard` watches for side effects, `decisions` say for which values a program is,
`simplify` tidies, `source_text` writes each `line`, `compiler` puts them together. All but `nodes` are loaded when the first
program is made.
"""

from ..imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
