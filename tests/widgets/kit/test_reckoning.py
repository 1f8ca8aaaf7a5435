"""Numbers that a page computes: its primitives and its formats are those of Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from javascript import call

from labkit.widgets.kit.lab import digits
from labkit.widgets.kit.module import HERE
from labkit.widgets.kit.reckoning import PRIMITIVES, Const, Program

PRIMITIVE, KIT = (
    (HERE / name).read_text(encoding="utf-8").replace("export ", "") for name in ("primitives.js", "kit.js")
)
TIES = [
    1.125,
    -1.125,
    1.135,
    2.5,
    25.5,
    1234.5,
    99.95,
    999.5,
    123456.5,
    0.00012345,
    0.0,
    -0.0,
    1e-300,
    1e22,
    -1e15,
    0.15,
]
COARSE = st.builds(lambda n, k: n / 2**k, st.integers(-5000, 5000), st.integers(0, 9))  # many lie just between two
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def in_page(program, rows):
    """The numbers of a run in the page, one list for each row of inputs."""
    code = f"""({{ inputs, lines }}, rows) => {{ {PRIMITIVE}; return rows.map((row) => {{
      const found = inputs.map((name) => row[name]);
      for (const line of lines) found.push(resultOf(line, found));
      return found.every(Number.isFinite) ? found : null;
    }}); }}"""
    return call(code, program.written(), rows)


@given(st.lists(FLOATS | COARSE, min_size=20, max_size=60))
def test_the_page_writes_numbers_as_python_does(values):
    values = TIES + values
    for most in (2, 3, 6, 10):
        written = call(
            f"(values, most) => {{ {KIT}; return values.map((value) => digits(value, most)); }}", values, most
        )
        assert written == [digits(value + 0.0, most) for value in values]


@pytest.mark.parametrize("name", PRIMITIVES)
def test_each_primitive_is_that_of_numpy(name):
    count = 3 if name == "where" else 2 if isinstance(PRIMITIVES[name], np.ufunc) and PRIMITIVES[name].nin == 2 else 1
    program = Program([f"x{i}" for i in range(count)])
    place = program.line(name, *range(count))
    draw = np.random.default_rng(0)
    rows = [
        {n: float(v) for n, v in zip(program.inputs, row, strict=True)}
        for row in draw.choice([-1.5, 0.0, 0.25, 0.5, 1.0, 3.0], (40, count))
    ]
    wanted = np.array([program.values([row])[place][0] for row in rows])
    for row, found, value in zip(rows, in_page(program, rows), wanted, strict=True):
        assert (found is None) == (not math.isfinite(value)), row
        assert found is None or found[place] == pytest.approx(value, rel=1e-14, abs=1e-15)


def test_four_bytes_are_rounded_line_by_line():
    program = Program(["x"])
    rounded = program.line("add", 0, Const(0.0), single=True)
    program.line("divide", program.line("multiply", rounded, Const(0.1), single=True), Const(3.0), single=True)
    x = np.float32(0.7)
    assert in_page(program, [{"x": 0.7}])[0][-1] == float(x * np.float32(0.1) / np.float32(3.0))


def test_equal_lines_are_one_and_constants_are_computed_at_once():
    program = Program(["x"])
    assert program.line("multiply", 0, Const(2.0)) == program.line("multiply", 0, Const(2.0)) == 1
    assert program.line("add", Const(1.0), Const(2.0)) == Const(3.0) and program.line("multiply", Const(1.0), 0) == 0
