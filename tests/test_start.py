"""What starts often loads little: `bench_start.py` has the seconds."""

import subprocess
import sys

import pytest

from labkit.classroom.exercises import Exercises

# what is started: the packages, and the rooms of labkit, that it does without
STARTS = {
    "import labkit": ("import labkit", {"numpy", "autograd"}, {"labkit.engine", "labkit.cli"}),
    "labkit --help": (
        "from labkit.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        {"numpy", "autograd", "nbformat", "jsonschema", "matplotlib", "IPython", "psutil"},
        {"labkit.engine", "labkit.classroom", "labkit.jail", "labkit.widgets"},
    ),
    "labkit course new": (
        "from labkit.cli import main; main(['course', 'new', 'fresh'])",
        {"nbformat", "jsonschema", "matplotlib", "IPython", "psutil"},
        {"labkit.mindspore", "labkit.torch", "labkit.widgets", "labkit.grading.build", "labkit.grading.grader"},
    ),
    "import labkit.classroom": (
        "import labkit.classroom",
        {"nbformat", "jsonschema", "matplotlib", "IPython", "anywidget", "ml_dtypes"},
        {"labkit.mindspore", "labkit.torch", "labkit.widgets", "labkit.grading", "labkit.classroom.exercises.nb00"},
    ),
}


@pytest.mark.parametrize("start", STARTS)
def test_what_starts_often_loads_only_what_it_needs(start, tmp_path):
    code, packages, rooms = STARTS[start]
    seen = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('loaded', *sys.modules)"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    loaded = set(seen.splitlines()[-1].split())
    assert not (packages | rooms) & loaded


def test_an_exercise_that_is_asked_for_loads_its_own_module_alone(tmp_path):
    code = (
        "import sys; from labkit.classroom import EXERCISES; EXERCISES['grad-slip']\n"
        "print([name for name in sys.modules if 'exercises.nb' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "['labkit.classroom.exercises.nb06']\n"


def test_two_exercises_of_one_name_are_refused_where_all_are_listed(tmp_path, monkeypatch):
    package = tmp_path / "two_of_a_name"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for module in ("nb1", "nb2"):
        (package / f"{module}.py").write_text(
            "from types import SimpleNamespace\nEXERCISES = [SimpleNamespace(name='twin')]"
        )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="called 'twin': in nb1 and in nb2"):
        list(Exercises("two_of_a_name", package))
