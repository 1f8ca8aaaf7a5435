"""What the README shows is what one gets."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)
PYTHON = [i for i, (language, _) in enumerate(BLOCKS) if language == "python"]


@pytest.fixture(scope="module")
def printed():
    """What each Python block prints, run one after the other as a reader would."""
    space, outputs = {"__name__": "readme"}, {}
    for i in PYTHON:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(BLOCKS[i][1], f"<README block {i}>", "exec"), space)
        outputs[i] = out.getvalue()
    return outputs


@pytest.mark.parametrize("i", PYTHON)
def test_a_block_prints_what_stands_below_or_beside_it(i, printed):
    if BLOCKS[i + 1][0] == "text":
        expected = BLOCKS[i + 1][1]
    else:
        expected = "".join(re.findall(r"^print\(.*\) +# (.*\n)", BLOCKS[i][1], re.M))
    assert printed[i].strip() == expected.strip()


def test_the_first_screen_has_a_picture_and_two_commands():
    first = README.split("\n## ")[0]
    assert re.search(r'<img src="(\S+)" alt="[^"]{40,}"', first)
    assert len(re.findall(r"^```bash$", first, re.M)) == 2
    for picture in re.findall(r'(?:src|srcset)="(\S+)"', first):
        assert (Path(__file__).parent.parent / picture).is_file()
