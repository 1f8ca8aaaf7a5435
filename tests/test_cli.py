"""The command line: complete help, a doctor that tells, a lab that starts."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from labkit import __version__, cli


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "labkit.cli", *arguments], capture_output=True, text=True, timeout=120)


def test_help_names_every_command():
    text = run("--help").stdout
    assert all(command in text for command in ("lab", "progress", "cases", "course", "grade", "doctor"))
    assert run().stdout == text


def test_version():
    assert run("--version").stdout.strip() == f"labkit {__version__}"


def test_an_unknown_option_is_a_usage_error():
    done = run("doctor", "--fast")
    assert done.returncode == 2 and "--fast" in done.stderr


def test_doctor_lists_every_package_and_tries_the_engine():
    done = run("doctor")
    assert done.returncode == 0 and "The engine works." in done.stdout
    assert all(package in done.stdout for package in cli.PACKAGES)


def doctor_without(package, monkeypatch, capsys):
    """Exit status of `labkit doctor` where a package is not there, its line, and all that was printed."""
    monkeypatch.setattr(cli, "_version", lambda name: None if name == package else "1.0")
    status, printed = cli.main(["doctor"]), capsys.readouterr().out
    return status, next(" ".join(line.split()) for line in printed.splitlines() if f" {package} " in line), printed


@pytest.mark.parametrize("package", [name for name, (_, extra) in cli.PACKAGES.items() if extra])
def test_an_optional_package_is_not_installed_and_the_doctor_says_how_to_get_it(package, monkeypatch, capsys):
    status, line, printed = doctor_without(package, monkeypatch, capsys)
    purpose, extra = cli.PACKAGES[package]
    how = extra if extra.startswith("pip ") else f'pip install "labkit[{extra}]"'
    assert line == f"not installed {package} {purpose}: {how}"
    assert status == 0 and "missing" not in printed and printed.endswith("The engine works.\n")


@pytest.mark.parametrize("package", [name for name, (_, extra) in cli.PACKAGES.items() if not extra])
def test_what_labkit_needs_is_missing_and_the_doctor_fails(package, monkeypatch, capsys):
    status, line, printed = doctor_without(package, monkeypatch, capsys)
    assert line == f"missing {package} {cli.PACKAGES[package][0]}: pip install labkit"
    assert status == 1 and "not installed" not in printed and "The engine does not work" in printed


def test_the_doctor_misses_no_notebooks_where_none_came(monkeypatch, capsys):
    monkeypatch.setattr(cli, "notebooks_folder", lambda: None)
    assert cli.main(["doctor"]) == 0
    assert "not installed  notebooks    clone the repository" in capsys.readouterr().out


def test_lab_without_notebooks_says_what_to_do(tmp_path, capsys):
    assert cli.main(["lab", "--notebooks", str(tmp_path / "nowhere")]) == 2
    assert "--notebooks FOLDER" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="stops the server with a signal")
def test_lab_serves_the_notebooks_on_a_free_port(tmp_path):
    environment = os.environ | {"JUPYTER_RUNTIME_DIR": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "labkit.cli", "lab", "--no-browser"]
    server = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        where = _wait_for_server(tmp_path)
        url = f"{where['url']}api/contents/06_grad_every_case.ipynb?content=0&token={where['token']}"
        assert _answer(url)["type"] == "notebook"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)


def _answer(url, tries=50):
    for _ in range(tries):
        try:
            with urllib.request.urlopen(url, timeout=20) as response:
                return json.load(response)
        except urllib.error.URLError:  # it has said where it will be, but is not listening yet
            time.sleep(0.2)
    raise AssertionError(f"no answer from {url}")


def _wait_for_server(folder, seconds=60):
    for _ in range(seconds * 10):
        for info in folder.glob("jpserver-*.json"):
            try:
                return json.loads(info.read_text())
            except json.JSONDecodeError:
                pass
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start within {seconds} s")
