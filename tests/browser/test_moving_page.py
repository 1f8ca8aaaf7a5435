"""A page moves between the positions of a dial as its scene says, and begins by itself only where it may."""

import json
from dataclasses import replace

import pytest
from shown_widget import Shown
from widget_examples import EXAMPLES, Demo, made

from labkit.widgets.kit.bound import turned
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Dial, Panel, Scene, holds, looks, text

TOKENS = """frame => [...frame.querySelectorAll("figure:not([hidden]) .lk-tokentext")]
  .filter(node => node.getClientRects().length).map(node => [node.textContent, Math.round(node.getAttribute("x"))])"""
SEEN = """frame => JSON.stringify({
  said: frame.querySelector(".lk-say").textContent,
  at: frame.querySelector(".lk-slider:not([hidden]) input, .lk-plane:not([hidden]) input").value,
  texts: [...frame.querySelectorAll("figure.lk-panel")].map(figure => figure.hidden ? null
    : [...figure.querySelectorAll("svg > *")].map(node =>
      node.tagName === "text" && node.getClientRects().length ? node.textContent : "")),
})"""
USUAL = ("cut",)  # of all, those that a usual run tries
BELOW = "<!doctype html><div style='height: 3000px'></div><iframe src='{}' width='900' height='600'></iframe>"


def playing():
    """A picture that plays when it is seen."""
    demo = Demo()
    demo.plays_at_once = True
    return demo


def test_it_stops_at_some_positions_runs_over_the_others_and_goes_round(go, tmp_path):
    dial = Dial("at", "At", [str(i) for i in range(12)], start=4, pace=1000.0, stops=[4, 8])
    scene = Scene("Stops", "Some.", [dial], [Panel("panel", "", 100, 40, [text(5, 20, "here")])])
    page = go(Picture(scene).save(tmp_path / "page.html").as_uri()).page
    shown, seen = Shown(page.locator(".labkit"), scene), []
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    shown.control(dial).get_by_role("button", name="Play").click()
    for _ in range(16):
        page.clock.run_for(200)
        seen.append(shown.position(dial))
    assert seen[:4] == [8] * 4 and seen.count(8) >= 4 and seen[-4:] == [4] * 4
    assert shown.control(dial).get_by_role("button", name="Play").count() == 1


@pytest.fixture
def below(go, tmp_path):
    """A function: a picture in a frame far below, and the page."""

    def open_(picture, options, **dials):
        picture.save(tmp_path / "picture.html", **dials)
        (tmp_path / "page.html").write_text(BELOW.format("picture.html"), encoding="utf-8")
        page = go((tmp_path / "page.html").as_uri(), **options).page
        frame = page.frame_locator("iframe")
        frame.locator(".lk-title").wait_for()
        return page, frame

    return open_


def test_it_plays_when_it_comes_into_view(below):
    page, frame = below(playing(), {})
    page.wait_for_timeout(300)
    assert frame.get_by_role("button", name="Pause").count() == 0
    page.mouse.wheel(0, 4000)
    frame.get_by_role("button", name="Pause").wait_for()


@pytest.mark.parametrize("why", ["predicts", "turned", "less motion", "not to play"])
def test_it_does_not_begin_by_itself(below, why):
    demo = Demo()
    demo.plays_at_once = why != "not to play"
    demo.scene = replace(demo.scene, predict=why == "predicts")
    options = {"reduced_motion": "reduce"} if why == "less motion" else {}
    page, frame = below(demo, options, step=int(why == "turned"))
    page.mouse.wheel(0, 4000)
    page.wait_for_timeout(300)
    assert frame.get_by_role("button", name="Play").count() == 1


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in USUAL else pytest.mark.live) for name in EXAMPLES
])  # fmt: skip
def test_while_it_plays_every_number_is_one_that_the_sentence_is_about(go, tmp_path, name):
    """Seen at many moments, on the way between positions too, forwards and back: words and numbers of one position."""
    picture = made(name)
    page = go(picture.save(tmp_path / "page.html").as_uri(), reduced_motion="reduce").page
    shown = Shown(page.locator(".labkit"), picture.scene)
    if not shown.main:
        pytest.skip("nothing plays")
    page.emulate_media(reduced_motion="no-preference")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    shown.turn(shown.main, (shown.main.plays or [0])[0])
    page.clock.run_for(2000)
    control, moved = shown.control(shown.main), 0
    control.get_by_role("button", name="Play").click()
    for moment in range(14):
        page.clock.run_for(131)
        moved += shown.frame.locator("[data-moving]").count()
        assert disagreeing(shown, json.loads(shown.frame.evaluate(SEEN))) == []
        if moment == 10:
            control.get_by_role("button", name="Back", exact=True).click()
    assert moved > 5


def disagreeing(shown, seen):
    """What is said otherwise than at the position of the dial: marks that are told when they change may still be as before."""
    dial, scene = shown.main, shown.scene
    track = dial.plays or range(len(dial.values))
    state = turned(scene.dials, shown.state, {dial.name: track[int(seen["at"])]})
    beside = [p for p in (state[dial.name] - 1, state[dial.name] + 1) if 0 <= p < len(dial.values)]
    near = [turned(scene.dials, state, {dial.name: p}) for p in beside]
    found = [seen["said"]] * (seen["said"] != scene.said(state))
    for panel, texts in zip(scene.panels, seen["texts"], strict=True):
        for mark, words in zip(panel.marks, texts or [""] * len(panel.marks), strict=False):
            late = any(move.property in ("text", "state", "appears") for move in mark.moves)
            right = {told(mark, one) for one in [state, *(near if late else [])]}
            found += [words] * (bool(texts) and mark.tag == "text" and words not in right)
    return found


def told(mark, state):
    _, words, name = looks(mark, state)
    return words if name not in ("hidden", "asked") and holds(mark.when, state) else ""
