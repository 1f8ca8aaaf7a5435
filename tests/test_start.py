"""What starts often loads little: `bench_start.py` has the seconds."""

import subprocess
import sys

import pytest

# what is started: the packages, and the rooms of labkit, that it does without
STARTS = {
    "import labkit": ("import labkit", {"numpy", "autograd"}, {"labkit.engine", "labkit.cli"}),
    "labkit --help": (
        "from labkit.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        {"numpy", "autograd", "nbformat", "jsonschema", "matplotlib", "IPython", "psutil"},
        {"labkit.engine", "labkit.classroom", "labkit.sandbox", "labkit.widgets"},
    ),
    "labkit course new": (
        "from labkit.cli import main; main(['course', 'new', 'fresh'])",
        {"nbformat", "jsonschema", "matplotlib", "IPython", "psutil"},
        {"labkit.mindspore", "labkit.torch", "labkit.widgets", "labkit.grading.build", "labkit.grading.grader"},
    ),
    "import labkit.classroom": (
        "import labkit.classroom",
        {"nbformat", "jsonschema", "matplotlib", "IPython", "anywidget", "ml_dtypes"},
        {
            "labkit.mindspore",
            "labkit.torch",
            "labkit.widgets",
            "labkit.grading",
            "labkit_exercise_start_fix",
        },
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


def test_an_exercise_that_is_asked_for_runs_its_own_file_alone(tmp_path):
    code = (
        "import sys; from labkit.classroom import EXERCISES; list(EXERCISES); 'fd-step' in EXERCISES; EXERCISES['grad-slip']\n"
        "print([name for name in sys.modules if name.startswith('labkit_exercise')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "['labkit_exercise_grad_slip']\n"
