"""What the README and the pages beside it show is what one gets; they name all that there is."""

import contextlib
import io
import re

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


def test_the_first_screen_has_a_moving_picture_and_two_commands():
    first = README.split("\n## ")[0]
    assert re.search(r'<img [^>]*src="\S+\.gif" alt="[^"]{40,}"', first)
    assert len(re.findall(r"^```bash$", first, re.M)) == 2


def test_every_notebook_is_listed_by_its_title():
    titles = {path.name: re.match(rf"# {course.NUMBER} · (.*)", course.markdown(path))[1] for path in course.NOTEBOOKS}
    listed = re.findall(rf"^\| ({course.NUMBER}) \| \[(.*)\]\(notebooks/(\S+)\) \| [^|]+ \|$", README, re.M)
    assert {name: title for _, title, name in listed} == titles
    assert all(name.startswith(number) for number, _, name in listed)
