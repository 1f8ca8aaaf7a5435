"""The figures of the README and of the pages beside it show what the library gives now, and their alternative texts say it."""

import importlib.util
import re
from pathlib import Path

import address
import lab_pictures
import pytest
from widget_examples import LABS, made

from labkit import check_gradient
from labkit.widgets.kit.words import number

image = pytest.importorskip("PIL.Image", reason="the extra notebooks is not installed")
pytest.importorskip("matplotlib", reason="the extra notebooks is not installed").use("Agg")

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "notebooks" / "figures"
PAGES = {path: path.read_text(encoding="utf-8") for path in address.pages()}


def script(name):
    """A figure's script as a module."""
    spec = importlib.util.spec_from_file_location(name, FIGURES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def described(name, theme):
    """What a picture says of itself: the numbers that it was drawn from."""
    (path,) = FIGURES.glob(f"{name}_{theme}.*")
    with image.open(path) as picture:
        return picture.info["comment"].decode() if path.suffix == ".gif" else picture.text.get("Description")


def alternative_text(name):
    found = re.findall(rf'<img [^>]*src="\S*figures/{name}_light\.\w+" alt="([^"]*)"', "".join(PAGES.values()))
    (text,) = found
    return text


@pytest.fixture(scope="module")
def chain_rule():
    return script("chain_rule")


# ---- chain rule ----


def test_the_chain_rule_figure_draws_a_right_gradient(chain_rule):
    values = [leaf.value for leaf in chain_rule.picture().story.leaves]
    assert check_gradient(chain_rule.loss, *values)


def test_the_text_for_the_chain_rule_figure_states_what_is_drawn(chain_rule):
    story, text = chain_rule.picture().story, alternative_text("chain_rule")
    assert {leaf.title for leaf in story.leaves} == {"x", "w"} and "from x and w to the loss" in text
    into_x = [
        sent.total for step in story.steps for sent in step.sent if story.leaves[0].title == "x" and sent.parent == 0
    ]
    assert len(into_x) == 2 and f"x is used twice, so its two contributions add up to {number(into_x[-1])}." in text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chain_rule_pictures_play_this_run(theme, chain_rule):
    picture, words = chain_rule.picture(), described("chain_rule", theme)
    steps = range(1, picture.data["ways"][picture.opened]["last"] + 1)
    said = [picture.describe(step=0), *(picture.describe(step=i).splitlines()[-1] for i in steps)]
    assert words == "\n".join(said), "python notebooks/figures/chain_rule.py"


# ---- the labs ----


def test_every_lab_has_its_picture_on_the_page_of_labs():
    page = PAGES[ROOT / "notebooks" / "labs.md"]
    shown = re.findall(r'figures/labs/(\w+)_light.png" alt="(\w+): [^"]{15,}"', page)
    called = {name: re.findall(r"^(\w+)\(", LABS[name], re.MULTILINE)[-1] for name in lab_pictures.labs()}
    assert dict(shown) == called


@pytest.mark.slow
@pytest.mark.parametrize("name", lab_pictures.labs())
def test_the_pictures_of_a_lab_show_it_as_it_is(name):
    now = made(name).describe()
    assert {described(f"labs/{name}", theme) for theme in ("light", "dark")} == {now}, (
        "python tests/tools/lab_pictures.py"
    )


def test_the_pictures_of_the_labs_are_small():
    assert sum(path.stat().st_size for path in lab_pictures.FOLDER.iterdir()) < 1_500_000
