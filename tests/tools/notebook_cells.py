"""Notebook cells as tests, a plugin beside nbval, which runs and compares them: warm kernels, and failures that say enough.

`pytest tests/conftest.py notebooks/03_*.ipynb` runs one notebook with them.
"""

import difflib
import os
import re

import numpy as np
import pytest
import warm_kernels
from nbval.plugin import IPyNbCell, NbCellError, coalesce_streams
from same_numbers import as_stored

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LINES = 60  # of a difference
NUMPY_2 = (
    np.lib.NumpyVersion(np.__version__) >= "2.0.0"
)  # NumPy 1 prints numbers otherwise: cells run, and are not compared


def pytest_configure(config):
    if warm_kernels.available() and not config.option.nbval_kernel_name:
        config.option.nbval_kernel_name = "warm"
        os.environ["JUPYTER_PATH"] = os.pathsep.join(
            filter(None, [str(warm_kernels.SPECIFICATION), os.environ.get("JUPYTER_PATH")])
        )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if isinstance(item, IPyNbCell):
        item.options["check"] &= NUMPY_2
        item.compare_outputs = forgiving(item.compare_outputs)
        item.output_timeout = item.config.option.nbval_cell_timeout  # nbval's own 5 s are few for a busy machine
        if item.config.option.nbval_kernel_name == "warm":
            warm_kernels.forge()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if isinstance(item, IPyNbCell) and call.excinfo and isinstance(call.excinfo.value, NbCellError):
        report.longrepr = failure(item.path.name, item.cell, item.test_outputs, call.excinfo.value)
    return report


def forgiving(compare):
    """A comparison of outputs to which the last digits of floats are as stored."""
    return lambda came, stored, skip_compare=None: compare(as_stored(came, stored), stored, skip_compare)


def failure(notebook, cell, outputs, error) -> str:
    """What a failed cell is told by: the notebook and the cell's id, its code, what was expected and what came."""
    parts = [f"{notebook}, cell {cell.id}: {error}", cell.source]
    raised = [output for output in outputs if output.output_type == "error"]
    if raised:
        parts.append(COLOUR.sub("", "\n".join(raised[-1].traceback)))
    else:
        stored, came = (text_of(each).splitlines() for each in (cell.outputs, outputs))
        parts += difference(stored, came) or ["The text is as expected; " + COLOUR.sub("", str(error.inner_traceback))]
    return "\n\n".join(parts)


def difference(stored, came) -> list[str]:
    """The lines that were expected and those that came, each whole if it is short, and where they differ."""
    if stored == came:
        return []
    found = list(
        difflib.unified_diff(stored, came, "expected: stored in the notebook", "came: computed now", lineterm="")
    )
    more = [f"... and {len(found) - LINES} more lines"] if len(found) > LINES else []
    return ["\n".join(found[:LINES] + more)]


def text_of(outputs) -> str:
    """Outputs as text: what was printed, and each kind of what was shown but for pictures."""
    found = []
    for output in coalesce_streams(list(outputs)):
        found += [output.text] if output.output_type == "stream" else []
        found += [f"{output.ename}: {output.evalue}"] if output.output_type == "error" else []
        shown = output.get("data", {})
        found += [str(shown[kind]) for kind in sorted(shown) if not kind.startswith(("image/", "application/vnd"))]
    return "\n".join(found)
