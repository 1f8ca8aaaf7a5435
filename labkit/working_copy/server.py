"""JupyterLab on a working copy. What is set here concerns this server only; the learner's own settings stay."""

import os
import secrets
import shlex
import shutil
import socket
import sys
import sysconfig
import webbrowser
from collections.abc import Mapping, Sequence
from logging import LogRecord
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

from .places import HOME

CONFIG = Path(__file__).parent / "jupyter"  # defaults that the learner's own settings override: no news, no updates
IN_HOME = {  # what Jupyter, IPython and matplotlib write: in the working copy, where the home folder cannot be written
    "JUPYTER_CONFIG_DIR": ".jupyter/config", "JUPYTER_DATA_DIR": ".jupyter/data", "JUPYTER_RUNTIME_DIR": ".jupyter/runtime",
    "IPYTHONDIR": ".jupyter/ipython", "MPLCONFIGDIR": ".jupyter/matplotlib",
}  # fmt: skip


def start_jupyterlab(folder: Path, notebook: str, options: Sequence[str] = ()) -> int:
    """Open a notebook in the JupyterLab that runs on the folder; where none runs, start one, and return when it ends."""
    os.environ.update(variables(folder, os.environ))
    from jupyter_server.serverapp import list_running_servers
    from jupyterlab.labapp import LabApp

    for running in list_running_servers():
        if running.get("root_dir") == str(folder.resolve()) and answers(running["url"]):
            return _open(address(running, notebook), "--no-browser" not in options)
    server = LabApp.initialize_server(argv=arguments(folder, notebook, options))
    for handler in server.log.handlers:
        handler.addFilter(_without_traceback)
    line = framed("JupyterLab (Ctrl-C twice ends it): {address}".format(address=address(server.server_info())))
    server.io_loop.add_callback(print, line, flush=True)
    server.start()
    return 0


def answers(url: str) -> bool:
    """Whether a server is there: one that was killed leaves its file, and another process may have its number."""
    try:
        urlopen(f"{url}api", timeout=10).close()
    except OSError:
        return False
    return True


def _open(url: str, in_browser: bool) -> int:
    print(framed("JupyterLab is already running on this folder: {url}".format(url=url)))
    if in_browser:
        webbrowser.open(url)
    return 0


def _without_traceback(record: LogRecord) -> bool:
    """Keep a message of Jupyter's, and drop the traceback below it: it is of no use to a learner."""
    record.exc_info = record.exc_text = None
    return True


def framed(line: str) -> str:
    """The line between two rules, so that it is found among Jupyter's messages."""
    rule = "-" * min(len(line), 79)
    return f"\n{rule}\n{line}\n{rule}\n"


def address(server: Mapping[str, Any], notebook: str = "") -> str:
    """Where a browser finds a Jupyter server, or a notebook in its JupyterLab."""
    page = f"lab/workspaces/labkit/tree/{quote(notebook)}" if notebook else ""
    return f"{server['url']}{page}{'?token=' if server['token'] else ''}{server['token']}"


def arguments(folder: Path, notebook: str, options: Sequence[str] = ()) -> list[str]:
    """JupyterLab's arguments: a layout of its own for the course, and the learner's `options`."""
    given = [option.split("=")[0] for option in options]
    settings = {
        "--ServerApp.root_dir": str(folder.resolve()),
        "--LabApp.default_url": f"/lab/workspaces/labkit/tree/{quote(notebook)}",
        "--IdentityProvider.token": secrets.token_hex(16),  # of one that it makes itself, Jupyter prints a page
        "--Application.log_level": "WARN",
    }
    if os.name == "posix":  # otherwise, started from no terminal, it runs a login shell, which forgets our PATH
        shell = os.environ.get("SHELL") or shutil.which("bash") or "sh"
        settings["--ServerApp.terminado_settings"] = f"shell_command={shlex.quote(shell)}"
    if not {"--port", "--ServerApp.port"}.intersection(given):
        settings["--port"] = str(_free_port())
    ours = [f"{name}={value}" for name, value in settings.items() if name not in given]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in given:
        ours.append("--allow-root")  # containers run as root, and JupyterLab would refuse to start
    return [*ours, *options]


def variables(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of JupyterLab, its kernels and terminals: they find `labkit`, this Python, and the working copy."""
    first = {"PATH": _folders_of_commands(), "JUPYTER_CONFIG_PATH": [str(CONFIG)]}
    paths = {
        name: os.pathsep.join([*folders, *filter(None, [environment.get(name)])]) for name, folders in first.items()
    }
    own = {HOME: str(folder.resolve()), "JUPYTER_PREFER_ENV_PATH": "1"}
    if not os.access(Path(environment.get("HOME", "~")).expanduser(), os.W_OK):
        own |= {name: str(folder.resolve() / inner) for name, inner in IN_HOME.items() if name not in environment}
    return {**environment, **paths, **own}


def _folders_of_commands() -> list[str]:
    """Where this Python is, and where its installation put the command `labkit`."""
    user = sysconfig.get_preferred_scheme("user")
    scripts = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user)]
    holding = [folder for folder in scripts if shutil.which("labkit", path=folder)]
    return list(dict.fromkeys([str(Path(sys.executable).parent), *holding[:1]]))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
