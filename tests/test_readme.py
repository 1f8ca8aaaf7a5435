"""What the README and the pages beside it show is what one gets; they name all that there is."""

import contextlib
import io
import re
import sys

import address
import course
import pytest

README = (course.ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = {
    path: re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
    for path in address.pages()
}
WITH_CODE = [path for path, blocks in BLOCKS.items() if any(language == "python" for language, _ in blocks)]


def expected(blocks, i):
    """What the Python block should print: the text below it, or else what stands beside its prints."""
    if i + 1 < len(blocks) and blocks[i + 1][0] == "text":
        return blocks[i + 1][1]
    return "".join(re.findall(r"^print\(.*\) +# (.*\n)", blocks[i][1], re.M))


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: path.stem)
def test_each_block_prints_what_stands_below_or_beside_it(path):
    """One after the other, as a reader would run them."""
    space = {"__name__": "page"}
    for i, (language, code) in enumerate(BLOCKS[path]):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, f"<{path.name} block {i}>", "exec"), space)
            assert out.getvalue().strip() == expected(BLOCKS[path], i).strip(), code


def test_the_readme_and_the_tour_have_code():
    assert {path.stem for path in WITH_CODE} >= {"README", "tour"}


def test_the_first_screen_has_a_moving_picture_and_the_two_commands():
    first = README.split("\n## A function")[0]
    assert re.search(r'<img [^>]*src="\S+\.gif" alt="[^"]{40,}"', first)
    commands = re.findall(r"^```bash\n(python3 .*?)^```$", first, re.M | re.S)
    assert [command.split("\n")[-2] for command in commands] == [".venv/bin/labkit lab", ".venv/bin/pytest"]
    assert f"<!-- test command -->\n```bash\n{commands[1]}```" in first, ".ci/run finds it there"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_a_python_that_is_too_old_is_refused_before_anything_is_downloaded(page, monkeypatch):
    """The pip that comes with Python 3.10 would download one NumPy after the other."""
    blocks = [code for _, code in BLOCKS[course.ROOT / page] if "-m venv" in code]
    for check in [re.match(r"python3 -c '(.*)' &&\npython3 -m venv .* &&\n", code)[1] for code in blocks]:
        monkeypatch.setattr(sys, "version_info", (3, 11))
        exec(check, {})
        monkeypatch.setattr(sys, "version_info", (3, 10, 13))
        with pytest.raises(AssertionError, match=r"\d\.\d"):
            exec(check, {})
    assert blocks


def test_a_command_can_be_read_where_the_readme_is_830_pixels_wide():
    lines = [
        line for language, code in BLOCKS[course.ROOT / "README.md"] if language != "py" for line in code.splitlines()
    ]
    assert max(map(len, lines)) <= 90 and "--quiet" not in README


def test_every_notebook_is_listed_by_its_title():
    titles = {path.name: re.match(rf"# {course.NUMBER} · (.*)", course.markdown(path))[1] for path in course.NOTEBOOKS}
    listed = re.findall(rf"^\| ({course.NUMBER}) \| \[(.*)\]\(notebooks/(\S+)\) \| [^|]+ \|$", README, re.M)
    assert {name: title for _, title, name in listed} == titles
    assert all(name.startswith(number.lower()) for number, _, name in listed)
