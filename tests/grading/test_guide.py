"""The instructor's guide: its blocks, run one after the other in an empty folder as printed, do what it says."""

import csv
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from labkit.classroom import EXERCISES

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
GUIDE, REFERENCE = (
    (NOTEBOOKS / f"{name}.md").read_text(encoding="utf-8") for name in ("for_instructors", "instructors_reference")
)
LANGUAGES, BLOCKS = zip(*re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The folder `my-course` after all commands, and what they printed."""
    folder = tmp_path_factory.mktemp("guide")
    (folder / "bin").mkdir()
    command = folder / "bin" / "labkit"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m labkit "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euc", "\n".join(BLOCKS)], cwd=folder, env=environment, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr
    return folder / "my-course", done.stdout


@pytest.mark.needs("bubblewrap")
def test_the_course_is_ready(course):
    assert set(LANGUAGES) == {"bash"} and "No problems" in course[1]


@pytest.mark.needs("bubblewrap")
def test_ada_has_all_points_the_others_none(course):
    with open(course[0] / "grades.csv", newline="") as file:
        lines = {line["student_id"]: line for line in csv.DictReader(file)}
    assert lines["ada"]["score"] == lines["ada"]["max_score"] != "0.0"
    assert lines["blaise"]["score"] == lines["carl"]["score"] == "0.0"


@pytest.mark.needs("bubblewrap")
def test_moodles_own_table_comes_back_with_adas_points(course):
    with open(course[0] / "for-moodle.csv", newline="") as file:
        ada, blaise = csv.DictReader(file)
    assert (ada["Grade"], blaise["Grade"]) == ("100", "")
    with open(course[0] / "moodle.csv", newline="") as file:
        lines = {line["student_id"]: line for line in csv.DictReader(file)}
    assert lines["ada"]["time_from"] == "" and lines["carl"]["status"] == "no submission"
    assert zipfile.ZipFile(course[0] / "for-moodle.zip").namelist() == [
        "Ada Lovelace_10000_assignsubmission_file_/slopes.html"
    ]


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("name", re.findall(r"^\| `([^`]+)` \|", GUIDE, re.MULTILINE))
def test_every_file_of_the_table_is_written(course, name):
    assert (course[0] / name).stat().st_size


def test_exercises_named_in_the_guide_exist():
    named = re.findall(r'"([a-z]+-[a-z-]+)"', "".join(re.findall(r"```toml\n(.*?)```", REFERENCE, re.DOTALL)))
    assert named and set(named) <= set(EXERCISES)
