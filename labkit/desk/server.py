"""JupyterLab on a working copy. What is set here concerns this server alone; the learner's own settings stay."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from .places import HOME

CONFIG = Path(__file__).parent / "jupyter"  # defaults that the learner's own settings override: no news, no updates


def start_jupyterlab(folder: Path, notebook: str, options: Sequence[str] = ()) -> int:
    """Open a notebook in JupyterLab, in place of this process where the system can; else returns its exit status."""
    command, environment = command_line(folder, notebook, options), variables(folder, os.environ)
    if os.name == "posix":  # JupyterLab in our place, so that what ends us ends it
        sys.stdout.flush()
        os.execve(command[0], command, environment)
    try:
        return subprocess.call(command, env=environment)
    except KeyboardInterrupt:
        return 0


def command_line(folder: Path, notebook: str, options: Sequence[str] = ()) -> list[str]:
    """JupyterLab in this Python, with a layout of its own for the course, and the learner's `options`."""
    given = [option.split("=")[0] for option in options]
    settings = {
        "--ServerApp.root_dir": str(folder.resolve()),
        "--LabApp.default_url": f"/lab/workspaces/labkit/tree/{quote(notebook)}",
    }
    if os.name == "posix":  # otherwise, started from no terminal, it runs a login shell, which forgets our PATH
        shell = os.environ.get("SHELL") or shutil.which("bash") or "sh"
        settings["--ServerApp.terminado_settings"] = f"shell_command={shlex.quote(shell)}"
    if not {"--port", "--ServerApp.port"}.intersection(given):
        settings["--port"] = str(_free_port())
    command = [sys.executable, "-m", "jupyterlab"]
    command += [f"{name}={value}" for name, value in settings.items() if name not in given]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in given:
        command.append("--allow-root")  # containers run as root, and JupyterLab would refuse to start
    return [*command, *options]


def variables(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of JupyterLab, its kernels and terminals: they find `labkit`, this Python, and the working copy."""
    first = {"PATH": _folders_of_commands(), "JUPYTER_CONFIG_PATH": [str(CONFIG)]}
    paths = {
        name: os.pathsep.join([*folders, *filter(None, [environment.get(name)])]) for name, folders in first.items()
    }
    return {**environment, **paths, HOME: str(folder.resolve()), "JUPYTER_PREFER_ENV_PATH": "1"}


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
