"""The command line: complete help, a doctor that tells, a lab that starts."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest
import websocket

from labkit import __version__, cli
from labkit.commands import doctor
from labkit.messages.install_hints import how_to_install
from labkit.sandbox.layers import FILES, LIMITS, Layers
from labkit.working_copy import places, server


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "labkit", *arguments], capture_output=True, text=True, timeout=120)


def test_help_names_every_command():
    text = run("--help").stdout
    assert all(
        re.search(rf"^    {name} ", text, re.M) for name in ("lab", "reset", "progress", "cases", "course", "grade")
    )
    assert set(re.findall(r"^    (\w+)(?: |$)", text, re.M)) == set(cli.COMMANDS)
    assert run().stdout == text


def test_help_loads_nothing_that_a_command_needs():
    """What is loaded beside the standard library: the commands, and where things are."""
    code = (
        "import sys; from labkit.cli import main\ntry: main(['--help'])\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=120)
    ours = {name.split(".")[1] for name in done.stderr.split() if name.startswith("labkit.")}
    assert ours == {"cli", "commands", "imports", "messages", "working_copy"}
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert not loaded & {"numpy", "autograd", "nbformat", "jupyterlab", "tqdm", "asyncio", "email"}


@pytest.mark.parametrize(
    "given, words",
    [
        (["docter"], "Did you mean 'doctor'?"),
        (["--verbose", "progres"], "Did you mean 'progress'?"),
        (["versoin"], "Did you mean 'version'"),
        (["xyz"], "Choose from: "),
    ],
)
def test_an_unknown_command_is_answered_with_near_ones(given, words, capsys):
    assert cli.main(given) == 2 and words in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, as_", [(["help"], ["--help"]), (["help", "lab"], ["lab", "-h"]), (["version"], ["--version"])]
)
def test_help_and_version_are_commands_too(words, as_, capsys):
    printed = []
    for given in (words, as_):
        with pytest.raises(SystemExit, match="0"):
            cli.main(given)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != "" and (words != ["version"] or printed[0] == f"labkit {__version__}\n")


@pytest.mark.parametrize("command, missing", [("course", "ACTION"), ("reset", "NOTEBOOK")])
def test_a_command_without_what_it_needs_prints_its_whole_help(command, missing, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main([command])
    printed = capsys.readouterr().err
    assert "options:" in printed and printed.endswith(f"the following arguments are required: {missing}\n")


def test_nothing_fails_on_a_console_that_cannot_print_a_character(tmp_path):
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LABKIT_HOME": str(tmp_path / "数")}
    described = "import labkit; print(labkit.show(lambda x: -x * x, 1.5).describe())"
    for command in (["-m", "labkit", "doctor"], ["-m", "labkit", "cases", "net-forward"], ["-c", described]):
        done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, timeout=120)
        assert done.returncode == 0 and not done.stderr and done.stdout.decode("ascii")
    assert b" -3" in done.stdout


def test_an_unknown_option_is_a_usage_error():
    done = run("doctor", "--fast")
    assert done.returncode == 2 and "--fast" in done.stderr


def test_doctor_lists_every_package_and_tries_the_engine():
    done = run("doctor")
    assert done.returncode == 0 and "The engine works." in done.stdout
    assert all(package in done.stdout for package in doctor.PACKAGES)


def doctor_without(package, monkeypatch, capsys, *options):
    """Exit status of `labkit doctor` where a package is not there, its line, and all that was printed."""
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == package else "1.0")
    monkeypatch.setattr(doctor, "_layers", Layers)  # to try them takes seconds
    status, printed = cli.main(["doctor", *options]), capsys.readouterr().out
    return status, next(" ".join(line.split()) for line in printed.splitlines() if f" {package} " in line), printed


@pytest.mark.parametrize("package", [name for name, (_, extra) in doctor.PACKAGES.items() if extra])
def test_an_optional_package_is_not_installed_and_the_doctor_says_how_to_get_it(package, monkeypatch, capsys):
    status, line, printed = doctor_without(package, monkeypatch, capsys)
    purpose, extra = doctor.PACKAGES[package]
    assert line == f"not installed {package} {purpose}: {how_to_install(extra)}"
    assert status == 0 and "missing" not in printed and printed.endswith("The engine works.\n")


@pytest.mark.parametrize("package, purpose, status", [
    ("jinja2", "grading", 1), ("jinja2", "notebooks", 0), ("anywidget", "notebooks", 1), ("nbgrader", "grading", 0),
])  # fmt: skip
def test_the_doctor_fails_where_one_purpose_lacks_a_package(package, purpose, status, monkeypatch, capsys):
    found, _, printed = doctor_without(package, monkeypatch, capsys, "--for", purpose)
    assert found == status
    assert printed.endswith(f"Not ready for {purpose}: {package}.\n" if status else f"Ready for {purpose}.\n")


def test_grading_lacks_what_isolates_and_the_doctor_names_it_positively(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_layers", lambda: Layers((LIMITS,), {FILES: "bubblewrap is not installed"}))
    assert cli.main(["doctor", "--for", "notebooks"]) == 0 and cli.main(["doctor", "--for", "grading"]) == 1
    printed = capsys.readouterr().out
    assert "files are limited: yes" in printed and "are hidden: NO, bubblewrap is not installed" in printed
    assert printed.endswith("Not ready for grading: 'files outside the submission are hidden'.\n")


@pytest.mark.parametrize("package", [name for name, (_, extra) in doctor.PACKAGES.items() if extra == ""])
def test_what_labkit_needs_is_missing_and_the_doctor_fails(package, monkeypatch, capsys):
    status, line, printed = doctor_without(package, monkeypatch, capsys)
    assert line == f"missing {package} {doctor.PACKAGES[package][0]}: {how_to_install()}"
    assert status == 1 and "not installed" not in printed and "The engine does not work" in printed


def test_the_doctor_misses_no_notebooks_where_none_came(monkeypatch, capsys):
    monkeypatch.setattr(places, "originals", lambda: None)
    assert cli.main(["doctor"]) == 0
    assert "not installed  notebooks    clone the repository" in capsys.readouterr().out


@contextmanager
def lab(folder, home):
    """`labkit lab` on a new working copy, with settings of its own in `home`: its address, its token, and the process."""
    own = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("RUNTIME", "CONFIG", "DATA")}
    command = [sys.executable, "-m", "labkit", "lab", "--no-browser", "--folder", str(folder)]
    environment = os.environ | own | {"PATH": os.defpath, "SHELL": "/bin/sh"}
    with (home / "printed").open("w") as printed:
        server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed)
    try:
        info = _wait_for_server(server, home / "RUNTIME")
        assert info["pid"] == server.pid, "what ends the command ends JupyterLab"
        yield info["url"], info["token"]
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="stops the server with a signal")
def test_lab_serves_cleared_notebooks_without_news_and_with_terminals_that_find_labkit(tmp_path):
    with lab(tmp_path / "my notebooks", tmp_path) as (url, token):
        notebook = _answer(f"{url}api/contents/05_grad_and_value_and_grad.ipynb?token={token}")["content"]
        assert all(not cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
        plugin = "@jupyterlab/apputils-extension:notification"
        defaults = _answer(f"{url}lab/api/settings/{plugin}?token={token}")["schema"]["properties"]
        assert (defaults["fetchNews"]["default"], defaults["checkForUpdates"]["default"]) == ("false", False)
        (page,) = (tmp_path / "RUNTIME").glob("jpserver-*-open.html")
        assert "/lab/workspaces/labkit/tree/01_first_gradient.ipynb" in page.read_text()
        assert server.answers(url) and not server.answers("http://localhost:9/")
        lines = (tmp_path / "printed").read_text().splitlines()
        (at,) = (i for i, line in enumerate(lines) if line.endswith(f": {url}?token={token}"))
        assert set(lines[at - 1]) == set(lines[at + 1]) == {"-"} and not [line for line in lines if "[I " in line]
        printed = _in_a_terminal(url, token, "labkit doctor")
        assert "The engine works." in printed and "/my notebooks" in printed


def _in_a_terminal(url, token, command):
    """What a command prints in a terminal of JupyterLab that has just been opened."""
    name = _answer(f"{url}api/terminals?token={token}", data=b"")["name"]
    address = f"{url.replace('http', 'ws', 1)}terminals/websocket/{name}?token={token}"
    terminal, printed = websocket.create_connection(address, timeout=600), ""
    terminal.send(json.dumps(["set_size", 50, 200]))
    terminal.send(json.dumps(["stdin", f"{command}; echo status $?\r"]))
    while not re.search(r"status \d", printed):
        kind, *said = json.loads(terminal.recv())
        printed += said[0] if kind == "stdout" else ""
    terminal.close()
    assert "status 0" in printed, printed
    return printed


def _answer(url, data=None, tries=50):
    for _ in range(tries):
        try:
            with urllib.request.urlopen(url, data, timeout=60) as response:
                return json.load(response)
        except urllib.error.URLError:  # it has said where it will be, but is not listening yet
            time.sleep(0.2)
    raise AssertionError(f"no answer from {url}")


def _wait_for_server(server, folder, seconds=600):
    """What JupyterLab tells about itself once it runs; a slow machine is waited for, one that has ended is not."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and server.poll() is None:
        for info in folder.glob("jpserver-*.json"):
            try:
                return json.loads(info.read_text())
            except json.JSONDecodeError:
                pass
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start within {seconds} s, or ended with {server.poll()}")
