"""A notebook cell that fails says which one, what was expected and what came; last digits of floats may differ."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import warm_kernels
from nbformat.v4 import new_code_cell, new_notebook, new_output
from same_numbers import alike


def test_a_run_tells_it(tmp_path):
    cells = [
        new_code_cell("1 + 1", id="sum", outputs=[new_output("execute_result", {"text/plain": "3"}, execution_count=1)]),
        new_code_cell("1 / 0", id="quotient"),
        new_code_cell("6 * 7", id="product", outputs=[new_output("execute_result", {"text/plain": "42"}, execution_count=3)]),
    ]  # fmt: skip
    for i, cell in enumerate(cells, 1):
        cell.execution_count = i
    nbformat.write(new_notebook(cells=cells), tmp_path / "odd.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "notebook_cells", "--nbval", "-p", "no:cacheprovider", "odd.ipynb"],
        env=os.environ | {"PYTHONPATH": str(Path(warm_kernels.__file__).parent)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "odd.ipynb, cell sum: Cell outputs differ" in done.stdout and "\n-3\n+2\n" in done.stdout
    assert "odd.ipynb, cell quotient: " in done.stdout and "ZeroDivisionError: division by zero" in done.stdout


# ---- what follows the processor ----


@pytest.mark.parametrize(
    ("stored", "came"),
    [
        ("[ 0.        7.3890557]\n", "[0.       7.389056]\n"),
        ("slope 116.585335", "slope 116.58536"),
        ("0.30000000000000004", "0.3000000000000001"),
    ],
)
def test_last_digits_of_floats_in_full_are_the_processors(stored, came):
    assert alike(stored, came)


@pytest.mark.parametrize(
    ("stored", "came"),
    [
        ("0.26", "0.27"),
        ("loss 7.3890557", "lost 7.3890557"),
        ("7.3890557", "7.3890657"),
        ("123456789", "123456788"),
        ("1.5 2.5", "1.5"),
        ("0.30000000000000004", "0.30000000000001"),
    ],
)
def test_everything_else_has_to_be_the_same(stored, came):
    assert not alike(stored, came)
