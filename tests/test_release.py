"""What names the version names the same one: the package, the changelog, the citation."""

import re
import tomllib
from pathlib import Path

import yaml

import labkit

ROOT = Path(__file__).parent.parent
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
RELEASES = re.findall(
    r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
)


def test_the_citation_and_the_changelog_name_this_version_with_one_date():
    assert RELEASES[0] == (labkit.__version__, CITATION["date-released"])
    assert str(CITATION["version"]) == labkit.__version__


def test_releases_stand_from_the_newest_to_the_first_with_their_dates():
    numbers = [tuple(map(int, version.split("."))) for version, _ in RELEASES]
    assert numbers == sorted(set(numbers), reverse=True) and len(numbers) >= 2
    assert [date for _, date in RELEASES] == sorted((date for _, date in RELEASES), reverse=True)


def test_the_citation_has_what_the_form_asks_for_and_the_licence_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITATION["cff-version"] == "1.2.0" and CITATION["message"] and CITATION["authors"]
    assert CITATION["title"].startswith(labkit.__name__) and CITATION["license"] == project["license"]


def test_types_count_for_who_uses_labkit():
    assert (Path(labkit.__file__).parent / "py.typed").is_file()


def test_the_notice_names_every_document_whose_figures_labkit_holds():
    from labkit.cases.ledger import DOCUMENTS

    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    rows = re.findall(r"^ +\| (\S+) +\| .+ \| (https://gitee\.com/mindspore/docs/blob/(\S+?)/\S+) \|$", notice, re.M)
    assert {version: branch for version, _, branch in rows} == {version: version for version in DOCUMENTS}
