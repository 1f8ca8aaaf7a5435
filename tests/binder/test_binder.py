"""Binder builds: repo2docker's own Dockerfile, step by step in a virtual environment with the base image's versions.

`pytest -m binder -s` runs it (a minute or two, and PyPI is needed) and prints what a start costs.
"""

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = ("01_first_gradient", "05_grad_and_value_and_grad", "09_loss_scaling")
BASE = {  # of the base image's packages, those that labkit's notebooks run on
    "jupyterlab", "notebook", "ipywidgets", "jupyterlab_widgets", "widgetsnbextension", "ipykernel", "ipython", "nbclient",
    "nbformat", "traitlets", "tornado", "jupyter_client", "jupyter_core", "jupyter_server",
}  # fmt: skip


def requirements():
    lines = (ROOT / "binder/requirements.txt").read_text().splitlines()
    return {re.split(r"[><=~]", line)[0] for line in lines if line and not line.startswith("#")}


def test_binder_brings_what_the_notebooks_need():
    """Everything that labkit and its `notebooks` extra need, but for what the base image has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["notebooks"], *extras["bfloat16"]]
    names = {re.split(r"[><=~\[]", name)[0] for name in wanted} - {"labkit-autodiff"}
    assert names - {"jupyterlab", "ipywidgets"} == requirements()


def test_binder_pins_a_python_that_labkit_supports_and_runs_post_build():
    assert (ROOT / "binder/runtime.txt").read_text().strip() in {"python-3.11", "python-3.12", "python-3.13"}
    assert os.access(ROOT / "binder/postBuild", os.X_OK)
    assert not (ROOT / "binder/environment.yml").exists()  # repo2docker would ignore requirements.txt


def python_for_binder():
    """The Python of runtime.txt if this machine has it, else the one that runs the tests."""
    version = (ROOT / "binder/runtime.txt").read_text().strip().removeprefix("python-")
    found = shutil.which(f"python{version}")
    works = found and subprocess.run([found, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0
    return found if works else sys.executable


def checkout(folder):
    """The files as they would be cloned."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in filter(None, listed.stdout.splitlines()):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def environment(folder, python=sys.executable):
    if python == sys.executable:
        venv.create(folder, with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", folder], check=True)
    return folder / "bin"


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def dockerfile_and_pins(tool, source):
    """What repo2docker would build, and the versions in its base image's lock for the chosen Python."""
    run([tool / "pip", "install", "--quiet", "jupyter-repo2docker"])
    done = subprocess.run(
        [tool / "jupyter-repo2docker", "--no-build", "--debug", source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    text = done.stdout + done.stderr
    version = (source / "binder/runtime.txt").read_text().strip().removeprefix("python-")
    (lock,) = tool.parent.glob(
        f"lib/*/site-packages/repo2docker/buildpacks/conda/environment.py-{version}-linux-64.lock"
    )
    found = re.findall(r"/([A-Za-z0-9_.-]+)-([0-9][^-/]*)-[^-/]+$", re.sub(r"#.*", "", lock.read_text()), re.M)
    return text, {name: version for name, version in found if name in BASE}


def installing_steps(dockerfile):
    """The RUN lines that concern the repository, in order."""
    steps = [line.removeprefix("RUN ").strip() for line in dockerfile.splitlines() if line.startswith("RUN ")]
    return [s for s in steps if "binder/" in s]


@pytest.mark.binder
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Binder's image is Linux")
def test_binder_image_runs_the_notebooks(tmp_path):
    source, began = tmp_path / "repo", time.perf_counter()
    checkout(source)
    dockerfile, pins = dockerfile_and_pins(environment(tmp_path / "tool"), source)
    assert pins.keys() >= {"jupyterlab", "notebook", "ipywidgets", "ipykernel"}
    steps = installing_steps(dockerfile)
    assert [s for s in steps if "requirements.txt" in s] and steps[-1] == "./binder/postBuild"

    prefix = environment(tmp_path / "image", python_for_binder())
    run([prefix / "pip", "install", "--quiet", *(f"{name}=={version}" for name, version in pins.items())])
    before = size(prefix.parent)
    outside = {"PATH": f"{prefix}:{os.environ['PATH']}", "KERNEL_PYTHON_PREFIX": str(prefix.parent)}
    installed = time.perf_counter()
    for step in steps:
        run(["bash", "-c", step], cwd=source, env={**os.environ, **outside})
    took = time.perf_counter() - installed
    run([prefix / "pip", "check"])
    kept = dict(line.split("==") for line in run([prefix / "pip", "freeze"]).splitlines() if "==" in line)
    names = {name.lower().replace("-", "_"): version for name, version in kept.items()}
    assert {name: names[name] for name in pins} == pins, "the base image's own versions must stay"

    assert [path.name for path in (source / "notebooks").glob("*.ipynb") if '"output_type"' in path.read_text()] == []
    assert list((prefix.parent / "etc/jupyter/labconfig").iterdir())
    for name in NOTEBOOKS:
        code = (
            f"import nbformat, nbclient; notebook = nbformat.read('{name}.ipynb', 4); "
            "nbclient.NotebookClient(notebook, timeout=120).execute()"
        )
        run([prefix / "python", "-c", code], cwd=source / "notebooks")
    print(
        f"\nBinder on top of its base image: {len(names) - len(pins)} packages, {size(prefix.parent) - before:.0f} MB, "
        f"{took:.0f} s to install; everything here {time.perf_counter() - began:.0f} s"
    )


def size(folder):
    """Megabytes in a folder."""
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink()) / 2**20
