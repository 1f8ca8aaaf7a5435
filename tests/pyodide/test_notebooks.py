"""Every notebook, cell by cell, under the browser's Python: it shows what is stored."""

import re
from configparser import ConfigParser
from pathlib import Path

import nbformat
import numpy as np
import pytest
from notebook_cells import COLOUR, difference, text_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NUMBER = re.compile(r"[-−]?\d+\.?\d*(?:e[-+]?\d+)?")
LAST_DIGITS = {  # cells with float32 numbers of exp or tanh, whose last digit is another there
    "03_build_the_engine.ipynb": {"nested-frameworks", "torch-nodes"},
    "07_stopping_and_changing.ipynb": {"mindspore-assign"},
}
NO_BFLOAT16 = {  # cells that need ml_dtypes, of which there is none for browsers: they say so
    "11_training_step.ipynb": {"bfloat"},
}


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_in_a_browser_what_is_stored(notebook, run, tmp_path):
    out = tmp_path / notebook.name
    run("cells.py", f"/machine{notebook}", f"/machine{out}")
    stored, came = (nbformat.read(path, as_version=4).cells for path in (notebook, out))
    last_digits, without = (listed.get(notebook.name, set()) for listed in (LAST_DIGITS, NO_BFLOAT16))
    wrong = []
    for expected, found in zip(stored, came, strict=True):
        texts = [cleaned(text_of(by_stream(cell.get("outputs", [])))) for cell in (expected, found)]
        if expected.id in last_digits:
            assert near(*texts), f"{expected.id} differs by more than the last digit of a float32: {texts}"
        elif expected.id in without:
            assert "bfloat16 needs the ml_dtypes package: a web page cannot install it" in texts[1], texts[1]
        elif texts[0] != texts[1]:
            wrong += [f"cell {expected.id}", *difference(*(text.splitlines() for text in texts))]
    assert not wrong, "\n".join(wrong)


def by_stream(outputs):
    """Outputs with each stream in one piece: when one is flushed before the other is chance."""
    return sorted(outputs, key=lambda output: (output.output_type == "stream", output.get("name", "")))


def cleaned(text):
    """A text without what may differ between any two runs."""
    rules = ConfigParser()
    rules.read(HERE.parent / "tools" / "nbval.cfg")
    for name in rules.sections():
        text = re.sub(rules[name]["regex"], rules[name]["replace"], text)
    return "\n".join(line.rstrip() for line in COLOUR.sub("", text).splitlines())  # `help` of 3.12 ends lines earlier


def near(one, other):
    """Whether two texts are the same but for the last digits of numbers."""
    found = [[float(n.replace("−", "-")) for n in NUMBER.findall(text)] for text in (one, other)]
    same = len({"".join(NUMBER.sub("#", text).split()) for text in (one, other)}) == 1  # numbers are aligned by spaces
    return same and np.allclose(*found, rtol=4 * np.finfo(np.float32).eps, atol=0)
