"""From the README's first command to the first right answer, by keyboard, as somebody does who has never been here.

A screenshot of each step lies in the folder of the test; `pytest -m slow -n0 tests/browser/test_newcomer.py
--basetemp=FOLDER` keeps them, and begins with a clone and an environment of its own.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://localhost:\d+/\S*token=\w+")
PATIENCE = 120_000  # ms, against hanging alone
EXERCISE = 'check("start-order", answer)'


def the_command_of_the_readme(folder):
    """In a clone of what is committed: all that the first command does, without a browser of its own."""
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / "clone"], check=True)
    readme = (folder / "clone" / "README.md").read_text(encoding="utf-8")
    command = re.search(r"^python3 -c .*?labkit lab$", readme, re.MULTILINE | re.DOTALL)[0]
    return ["bash", "-c", command.replace("python3", sys.executable) + " --no-browser"], folder / "clone"


def the_command_alone(folder):
    return [sys.executable, "-m", "labkit", "lab", "--no-browser"], folder


@pytest.fixture(params=[the_command_alone, pytest.param(the_command_of_the_readme, marks=pytest.mark.slow)])
def address(request, tmp_path):
    """Where JupyterLab says that it waits, after the command was typed with an empty home."""
    command, folder = request.param(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "LABKIT", "IPYTHON"))}
    server = subprocess.Popen(
        command, cwd=folder, env=kept | {"HOME": str(home)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        said = []
        for line in server.stdout:
            said.append(line)
            if found := ADDRESS.search(line):
                yield found[0]
                break
        else:
            pytest.fail("JupyterLab did not say where it is:\n" + "".join(said))
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.stdout.close()
        server.wait()


class Newcomer:
    """Somebody with a keyboard, who looks at what is there and keeps a picture of it."""

    def __init__(self, page, album):
        self.page, self.album, self.taken = page, album, 0
        page.set_default_timeout(PATIENCE)

    def photograph(self, what):
        self.taken += 1
        self.page.screenshot(path=self.album / f"{self.taken} {what}.png")

    def active(self):
        return self.page.locator(".jp-Notebook .jp-Cell.jp-mod-active")

    def run_until(self, what):
        """Shift + Enter, cell after cell, until one that says `what` is in hand."""
        for _ in range(40):
            if what in self.active().text_content():
                return
            before = self.active().get_attribute("data-windowed-list-index")
            self.page.keyboard.press("Shift+Enter")
            self.page.locator(f".jp-Cell.jp-mod-active:not([data-windowed-list-index='{before}'])").wait_for(
                state="attached"
            )
        raise AssertionError(f"no cell says {what}")

    def answer(self, value, said):
        """Write an answer over the one in the active cell, run it, and read what comes."""
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(f"answer = {value}\n{EXERCISE}")
        self.page.keyboard.press("Control+Enter")
        self.page.get_by_text(said).last.wait_for()
        self.page.keyboard.press("Escape")


@pytest.mark.skipif(os.name != "posix", reason="ends JupyterLab by a signal")
def test_from_the_first_command_to_the_first_right_answer(go, address, tmp_path):
    newcomer = Newcomer(go(address, width=1280, height=800).page, tmp_path)
    page = newcomer.page

    page.get_by_role("heading", name="A first gradient").wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    assert page.locator(".lm-TabBar-tab.lm-mod-current", has_text="01_first_gradient").count() >= 1
    assert page.locator(".jp-OutputArea-output").count() == 0
    assert page.locator(".Toastify__toast").count() == 0
    explained = page.get_by_role("paragraph").filter(has_text="its last number is −20")
    assert not explained.is_visible()
    newcomer.photograph("the notebook is open, nothing is told")

    page.locator(".jp-Notebook .jp-Cell").first.click()
    newcomer.run_until("labkit.show(")
    page.keyboard.press("Shift+Enter")
    page.locator(".labkit .lab-title").first.wait_for()
    page.get_by_role("button", name="Stop").first.wait_for()
    newcomer.photograph("something moves")
    page.locator("summary", has_text="Explain").first.click()
    explained.wait_for()

    newcomer.run_until(EXERCISE)
    newcomer.answer([2, 2, 2], "start-order: not yet.")
    newcomer.photograph("a wrong answer is told what it misunderstood")
    newcomer.answer([2, 3, 2], "start-order: right (1 point).")
    newcomer.photograph("the first right answer")

    assert (tmp_path / "home" / "labkit-notebooks" / ".labkit-progress.json").read_text().count("start-order") == 1
    assert len(list(tmp_path.glob("*.png"))) == 4
