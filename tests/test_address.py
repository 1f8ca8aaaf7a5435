"""Where the repository is stands in one place; all that follows from it is as it is set, and one command sets it."""

import re
import shutil
import subprocess
import sys
import tomllib

import address
import course
import pytest

MADE = "https://github.com/Some-One/lab.kit"
WORKFLOWS = sorted((course.ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def copy(tmp_path):
    """The files that hold the address, in another folder."""
    for path in [course.ROOT / "pyproject.toml", *address.pages()]:
        there = tmp_path / path.relative_to(course.ROOT)
        there.parent.mkdir(exist_ok=True)
        shutil.copy(path, there)
    return tmp_path


def texts(root):
    return {path: path.read_text(encoding="utf-8") for path in [root / "pyproject.toml", *address.pages(root)]}


# ---- here ----


@pytest.mark.parametrize("path", address.pages(), ids=lambda path: path.stem)
def test_a_page_is_as_it_follows_from_the_setting(path):
    text = path.read_text(encoding="utf-8")
    assert address.rewritten(text, address.setting()) == text, "python tests/tools/address.py"
    assert text.count("<!-- address:") == text.count("<!-- end of address -->") == len(address.PLACE.findall(text))


def test_every_part_has_its_place():
    named = [
        part for path in address.pages() for _, part, _, _ in address.PLACE.findall(path.read_text(encoding="utf-8"))
    ]
    assert sorted(named) == sorted(address.WITHOUT) == sorted(address.WITH)


def test_the_address_stands_nowhere_else():
    known = address.setting()
    outside = {path: address.PLACE.sub("", path.read_text(encoding="utf-8")) for path in address.pages()}
    outside |= {path: path.read_text(encoding="utf-8") for path in [*WORKFLOWS, *course.NOTEBOOKS]}
    wanted = [known, address.site(known)] if known else ["//mybinder.org/v2/", ".github.io/"]
    assert [(path.name, text) for path, whole in outside.items() for text in wanted if text in whole] == []


# ---- when it is set ----


def test_one_command_sets_it_and_another_one_takes_it_back(copy):
    before = texts(copy)
    address.write(copy, MADE)
    assert address.setting(copy) == MADE
    urls = tomllib.loads((copy / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls == {"Repository": MADE, "Documentation": "https://some-one.github.io/lab.kit/"}
    readme = (copy / "README.md").read_text(encoding="utf-8")
    assert f"`git clone {MADE}`" in readme and "](https://some-one.github.io/lab.kit/)" in readme
    binder = re.search(r"\]\((https://mybinder\.org/v2/gh/Some-One/lab\.kit/HEAD\?urlpath=lab/tree/(\S+))\)", readme)
    assert (course.ROOT / binder[2]).is_file()
    assert address.write(copy, MADE) == []
    address.write(copy, None)
    assert texts(copy) == before or address.setting() is not None


def test_an_edit_of_the_setting_is_followed(copy):
    address.write(copy, MADE)
    project = copy / "pyproject.toml"
    project.write_text(
        project.read_text(encoding="utf-8").replace(MADE, "https://github.com/other/labkit"), encoding="utf-8"
    )
    address.write(copy, address.setting(copy))
    assert "https://some-one.github.io" not in "".join(texts(copy).values()).lower()
    assert "https://other.github.io/labkit/" in texts(copy)[copy / "README.md"]


@pytest.mark.parametrize("given", [MADE + ".git", MADE + "/"])
def test_endings_that_github_does_not_need_are_left_out(given):
    assert address.checked(given) == MADE


def test_another_form_of_address_is_refused():
    command = [sys.executable, address.__file__, "git@github.com:someone/labkit"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "invalid checked value" in done.stderr


# ---- the workflows ----


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_no_repository_but_those_of_its_actions(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"github\.com/|\.github\.io", text)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_yaml_with_jobs_that_have_steps(path):
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    assert jobs and all(job["runs-on"] and job["steps"] for job in jobs.values())


def test_each_mark_that_is_documented_has_a_job_and_the_other_way_round():
    text = (course.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    documented = dict(re.findall(r"^\| `\.venv/bin/pytest -m (\w+) ?(.*?)` \|", text, re.MULTILINE))
    jobs = (course.ROOT / ".github" / "workflows" / "extended.yml").read_text(encoding="utf-8")
    assert dict(re.findall(r'\{ mark: (\w+), options: "(.*?)" \}', jobs)) == documented
