"""What a reader can do to what is found on a real tape: join a path that is cut, and fold a square of all pairs."""

import pytest
from dragged import Dragged
from shown_widget import Shown
from small_tapes import cut_off, homes, square_of_pairs
from widget_examples import made

from labkit.realtape import Saved
from labkit.widgets.explorer import Explorer, of_tape
from labkit.widgets.explorer.view.pairs import TURNS


def opened(go, tmp_path, story, **window):
    picture = Explorer(story, "tape")
    page = go(picture.save(tmp_path / "tape.html").as_uri(), reduced_motion="reduce", **window).page
    return Shown(page.locator(".labkit"), picture.scene)


@pytest.fixture
def cut():
    return of_tape(cut_off(Saved("mat1", shape=(4, 8), dtype="float32"), homes=homes("enc", True)))


def words(shown, text):
    return shown.frame.locator("figure:not([hidden]) svg text").get_by_text(text, exact=True).locator("visible=true")


@pytest.mark.parametrize("width", [1280, 420])
def test_a_click_on_the_scissors_joins_the_line_and_another_cuts_it(go, tmp_path, cut, width):
    shown = opened(go, tmp_path, cut, width=width)
    assert words(shown, "no path to loss").count() == 1
    assert shown.click("mend cut")
    assert "backward would go on from mat1" in shown.frame.locator(".lk-say").text_content()
    assert shown.frame.get_by_role("alert").text_content().startswith("Joined: enc.weight and enc.bias would each get")
    assert words(shown, "would get one").count() == 1 and words(shown, "no path to loss").count() == 0
    assert shown.click("mend joined")
    assert words(shown, "no path to loss").count() == 1


def test_who_predicts_is_told_of_the_cut_only_at_the_end(go, tmp_path, cut):
    shown = opened(go, tmp_path, cut)
    notice = shown.frame.get_by_role("alert").filter(has_text="no path leads there")
    assert notice.is_visible()
    shown.frame.get_by_label("Predict first").check()
    assert not notice.is_visible() and words(shown, "enc: Linear").count() == 0
    assert words(shown, "mat1").count() == 1 and words(shown, "mat1: no grad_fn").count() == 0
    shown.frame.get_by_role("button", name="enc.weight and enc.bias").click()
    assert "No path leads to" in shown.frame.locator(".lk-reply").text_content()
    shown.page.keyboard.press("Enter")
    assert notice.is_visible() and words(shown, "enc: Linear").count() == 1
    assert words(shown, "mat1").count() == 0 and words(shown, "mat1: no grad_fn").count() == 1


def test_the_end_of_the_row_is_dragged_down_to_fold_the_square(go, tmp_path):
    shown = opened(go, tmp_path, square_of_pairs(), width=1280)
    assert words(shown, "mm[2] = 4").count() == words(shown, "y[1] = −1").count() == 1
    Dragged(shown).to_spot("pair pairs", 5)
    assert words(shown, "mm[1] = 2").count() == words(shown, "y[2] = 3").count() == 1
    Dragged(shown).to_spot("fold pairs", TURNS)
    assert words(shown, "y[1] = −1").count() == 1 and words(shown, "mse_loss gives 9").count() == 1


def test_a_click_on_what_is_told_opens_the_program_at_its_line(go, tmp_path):
    picture = made("folded")
    page = go(picture.save(tmp_path / "net.html").as_uri(), reduced_motion="reduce", width=1280).page
    page.get_by_role("button", name="No gradient passes relu").click()
    (row,) = page.locator("figure:not([hidden]) rect.lk-row.is-lit").filter(visible=True).all()[-1:]
    assert page.get_by_role("checkbox", name="Program").is_checked() and 0 < row.bounding_box()["y"] < 800
