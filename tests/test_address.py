"""The address of the repository is set in one place, and everything that follows from it is as it is set."""

import re

import address
import course
import pytest

MADE = "https://github.com/Some-One/lab.kit"
WORKFLOWS = sorted((course.ROOT / ".github" / "workflows").glob("*.yml"))
PAGES = {path: path.read_text(encoding="utf-8") for path in address.pages()}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_as_it_follows_from_the_setting(path):
    text = PAGES[path]
    assert address.rewritten(text, address.setting()) == text, "python tests/tools/address.py"
    assert text.count("<!-- address:") == text.count("<!-- end of address -->") == len(address.PLACE.findall(text))


def test_every_part_has_its_place():
    named = [part for text in PAGES.values() for _, part, _, _ in address.PLACE.findall(text)]
    assert sorted(named) == sorted(address.WITHOUT) == sorted(address.WITH)


def test_the_address_stands_nowhere_else():
    outside = {path.name: address.PLACE.sub("", text) for path, text in PAGES.items()}
    outside |= {path.name: path.read_text(encoding="utf-8") for path in [*WORKFLOWS, *course.NOTEBOOKS]}
    wanted = ["//mybinder.org", ".github.io/", *filter(None, [address.setting()])]
    assert [(name, text) for name, whole in outside.items() for text in wanted if text in whole] == []


def test_without_an_address_nothing_leads_to_a_server():
    assert not re.search("https?://", "".join(address.WITHOUT.values()))


def test_with_an_address_the_readme_has_badges_a_site_and_a_command_that_clones():
    readme = address.rewritten(PAGES[course.ROOT / "README.md"], MADE)
    assert f"\ngit clone --depth 1 {MADE}\ncd lab.kit\n" in readme
    assert f"]({MADE}/actions/workflows/tests.yml)" in readme and "](https://some-one.github.io/lab.kit/)" in readme
    binder = re.search(r"\]\(https://mybinder\.org/v2/gh/Some-One/lab\.kit/HEAD\?urlpath=lab/tree/(\S+)\)", readme)
    assert (course.ROOT / binder[1]).is_file() and (course.ROOT / ".github/workflows/tests.yml").is_file()


@pytest.mark.parametrize("given", ["git@github.com:someone/labkit", MADE + ".git/x"])
def test_another_form_of_address_is_refused(tmp_path, given):
    (tmp_path / "pyproject.toml").write_text(f'[project.urls]\nRepository = "{given}"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="expected an address like"):
        address.setting(tmp_path)


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
