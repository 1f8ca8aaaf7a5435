"""A JupyterLab of its own, and notebooks opened in it by a browser."""

import ast
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import warm_kernels

HERE = Path(__file__).parent
PRIVATE = {
    "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython",
}  # fmt: skip
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is in the page
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def until(holds, seconds=600) -> bool:
    """Wait until `holds()`, for as long as even a busy machine may need; whether it came to that."""
    end = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


class Server:
    """JupyterLab (and Notebook, where installed) on a free loopback port, with all its files in `folder`.

    Notebooks that are written here have warm kernels, where there are such; those that are copied have what they name.
    """

    def __init__(self, folder: Path):
        self.root, own = folder / "notebooks", folder / "jupyter"
        self.root.mkdir(parents=True)
        for name, values in SETTINGS.items():
            file = own / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        places = {variable: str(own / name) for variable, name in PRIVATE.items()}
        self.kernel = "warm" if warm_kernels.available() else "python3"
        if self.kernel == "warm":
            warm_kernels.forge()
            places["JUPYTER_PATH"] = str(warm_kernels.SPECIFICATION)
        modules = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
        options = ["--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"]
        options += [f"--ServerApp.root_dir={self.root}", "--IdentityProvider.token="]
        options += ["--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"]
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterlab", *options], cwd=self.root, stdout=log, stderr=subprocess.STDOUT,
                env=os.environ | places | {"PYTHONPATH": modules},
            )  # fmt: skip
        self.url = self._wait(own / "runtime")

    def _wait(self, runtime, seconds=600):
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            for file in runtime.glob("jpserver-*.json"):
                try:
                    url = json.loads(file.read_text())["url"].rstrip("/")
                    urllib.request.urlopen(f"{url}/api/status", timeout=60).close()
                    return url
                except (OSError, ValueError):
                    pass  # not yet listening, or the file is half written
            time.sleep(0.1)
        self.close()
        raise RuntimeError(f"JupyterLab did not start within {seconds} s:\n{self.log.read_text()}")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def write(self, name: str, cells: list[str]) -> str:
        """A notebook of code cells; returns its path in the server."""
        code = [nbformat.v4.new_code_cell(cell) for cell in cells]
        kernel = {"kernelspec": {"name": self.kernel, "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=code, metadata=kernel), self.root / f"{name}.ipynb")
        return f"{name}.ipynb"


class Notebook:
    """A notebook opened in `page`, which shows JupyterLab or (`tab=False`) is to show Notebook 7.

    It has the given code cells; without any, it is opened as it was saved.
    """

    def __init__(self, page, server: Server, name: str, cells: list[str] | None = None, tab=True):
        self.page, self.path = page, f"{name}.ipynb" if cells is None else server.write(name, cells)
        if tab:
            self.open()
        else:
            page.goto(f"{server.url}/notebooks/{self.path}")
            page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context")
            self.do("window.notebook = jupyterapp.shell.currentWidget")
        self.do("await notebook.context.ready; await notebook.sessionContext.ready; await notebook.revealed")
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def open(self):
        """Open it, or bring its tab to the front."""
        self.do(f"window.notebook = await jupyterapp.commands.execute('docmanager:open', {{path: {self.path!r}}})")

    def do(self, code: str, seconds=600):
        """Run JavaScript in the page, and give up after a while."""
        late = f"new Promise((_, no) => setTimeout(() => no(Error('not done after {seconds} s')), {seconds * 1000}))"
        return self.page.evaluate(f"() => Promise.race([(async () => {{ {code} }})(), {late}])")

    def run(self, cell: int | None = None):
        """Run one cell, or all, as the menu does, and wait until it is done."""
        if cell is None:
            self.do("await jupyterapp.commands.execute('notebook:run-all-cells')")
        else:
            self.do(
                f"notebook.content.activeCellIndex = {cell}; await jupyterapp.commands.execute('notebook:run-cell')"
            )

    def outputs(self, cell: int):
        """The output area of a cell."""
        return self.panel.locator(".jp-Notebook-cell").nth(cell).locator(".jp-Cell-outputArea")

    def sources(self) -> list[str]:
        return self.do("return [...notebook.content.model.cells].map(cell => cell.sharedModel.getSource())")

    def kernel(self, expression: str):
        """The value of a Python expression in the kernel: a number, a text, or a list of such."""
        content = json.dumps({"code": "", "store_history": False, "user_expressions": {"value": expression}})
        reply = self.do(
            f"const future = notebook.sessionContext.session.kernel.requestExecute({content}); return (await future.done).content"
        )
        value = reply["user_expressions"]["value"]
        assert value["status"] == "ok", value
        return ast.literal_eval(value["data"]["text/plain"])

    def restart(self):
        self.do("await notebook.sessionContext.session.kernel.restart()")

    def close(self, save=False):
        """Close the notebook and its kernel."""
        if save:
            self.do("await notebook.context.save()")
        self.do("await notebook.sessionContext.shutdown(); notebook.context.model.dirty = false; notebook.dispose()")
