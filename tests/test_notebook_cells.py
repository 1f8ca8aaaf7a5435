"""A notebook cell that fails says which one, what was expected and what came; its kernel is as good as an ordinary one."""

import os
import select
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import warm_kernels
from jupyter_client.manager import KernelManager
from nbformat.v4 import new_code_cell, new_notebook, new_output
from notebook_cells import LINES, failure
from same_numbers import alike, as_stored

PATIENCE = 600  # seconds: how busy the machine is decides no test


class Differs(Exception):
    """What nbval raises, as far as it is read."""

    inner_traceback = " mismatch 'text/html'"


def printed(text):
    return new_output("stream", text=text)


def told(stored, came):
    cell = new_code_cell("print(x)", id="mean-of-two", outputs=stored)
    return failure("03_training.ipynb", cell, came, Differs("Cell outputs differ"))


# ---- what is said ----


def test_a_difference_names_the_cell_and_shows_both_sides():
    assert told([printed("2\nfour\n")], [printed("2\nfive\n")]).splitlines() == [
        "03_training.ipynb, cell mean-of-two: Cell outputs differ",
        "",
        "print(x)",
        "",
        "--- expected: stored in the notebook",
        "+++ came: computed now",
        "@@ -1,2 +1,2 @@",
        " 2",
        "-four",
        "+five",
    ]


def test_an_exception_is_shown_without_colours_codes():
    raised = new_output("error", ename="ValueError", evalue="no", traceback=["\x1b[31mValueError\x1b[39m: no"])
    assert told([], [raised]).endswith("print(x)\n\nValueError: no")


def test_a_long_difference_is_cut():
    words = told([], [printed("\n".join(map(str, range(500))))])
    assert words.endswith(f"... and {500 + 3 - LINES} more lines")


def test_pictures_are_no_text():
    shown = new_output("display_data", data={"image/png": "AAAA", "text/plain": "<Figure>"})
    assert told([shown], [shown]).endswith("The text is as expected;  mismatch 'text/html'")


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


def test_what_came_is_compared_as_it_is_stored_and_stays_as_it_was():
    stored, came = [printed("1.2345678\n")], [printed("1.2345679\n")]
    assert as_stored(came, stored) == stored and came[0].text == "1.2345679\n"
    shown = [new_output("execute_result", {"text/plain": text}) for text in ("7.3890557", "7.389056")]
    assert as_stored(shown[1:], shown[:1])[0].data == {"text/plain": "7.3890557"}


# ---- warm kernels ----


@pytest.fixture(scope="module")
def forge():
    if not warm_kernels.available():
        pytest.skip("kernels are forked on Linux alone")
    warm_kernels.forge()


@pytest.fixture
def kernel(forge, monkeypatch, tmp_path):
    """A kernel of its own: its manager and its client."""
    monkeypatch.setenv("JUPYTER_PATH", str(warm_kernels.SPECIFICATION))
    manager = KernelManager(kernel_name="warm")
    manager.start_kernel(cwd=str(tmp_path), env=os.environ | {"WORD": "given"})
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=PATIENCE)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def value(client, expression):
    """What an expression is in the kernel, as text."""
    reply = client.execute("", user_expressions={"value": expression}, reply=True, timeout=PATIENCE)
    found = reply["content"]["user_expressions"]["value"]
    return found.get("data", {}).get("text/plain") or f"{found['ename']}: {found['evalue']}"


def test_a_warm_kernel_has_the_folder_and_the_environment_that_it_was_given(kernel, tmp_path):
    _, client = kernel
    assert value(client, "__import__('os').getcwd()") == repr(str(tmp_path))
    assert value(client, "__import__('os').environ['WORD']") == "'given'"


def test_a_warm_kernel_has_imported_nothing_of_labkit_and_does_not_find_the_tests_tools(kernel):
    _, client = kernel
    assert value(client, "[m for m in __import__('sys').modules if m.split('.')[0] == 'labkit']") == "[]"
    assert value(client, "__import__('warm_kernels')") == "ModuleNotFoundError: No module named 'warm_kernels'"


def test_a_warm_kernel_can_be_interrupted(kernel):
    manager, client = kernel
    loop = "print('running', flush=True)\nwhile True: pass"
    sent = client.execute(loop, stop_on_error=False)  # else what is asked too soon after an error is aborted
    while client.get_iopub_msg(timeout=PATIENCE)["msg_type"] != "stream":
        pass
    manager.interrupt_kernel()
    while (reply := client.get_shell_msg(timeout=PATIENCE))["parent_header"]["msg_id"] != sent:
        pass
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert value(client, "6 * 7") == "42"


def test_nothing_is_left_of_a_warm_kernel_that_was_killed(kernel):
    manager, client = kernel
    process = int(value(client, "__import__('os').getpid()"))
    running = os.pidfd_open(process)
    manager.shutdown_kernel(now=True)

    assert select.select([running], [], [], PATIENCE)[0]
    os.close(running)
