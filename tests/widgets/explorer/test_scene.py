"""A story folded in a certain way is a scene: views, dials, captions and links hang together."""

import json

import autograd.numpy as np
import javascript
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from small_programs import programs

import labkit.torch as torch
from labkit.widgets.explorer.panels import VIEWS
from labkit.widgets.explorer.run.folding import Block, blocks, paths
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.tape import of_tensor
from labkit.widgets.explorer.scene import MOST_FOR_ALL_VIEWS, FoldedStory, description
from labkit.widgets.explorer.ways import key_of, opened_by, without
from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import holds, to_json

LOOK = script("look.js")


def flat(story):
    return [n.index for n in story.nodes if not n.leaf]


def shown(fun, *args, view="chain", parts=None, opened=frozenset(), **more):
    story = of_function(fun, args or fun.leaves)
    return FoldedStory(story, flat(story) if parts is None else parts, opened, view, **more)


@given(programs(ends=2))
@drawn(8)
def test_every_mark_and_caption_speaks_of_dials_and_links_that_there_are(program):
    scene = shown(program).scene()
    dials = {d.name: len(d.values) for d in scene.dials}
    for panel in scene.panels:
        for mark in panel.marks:
            assert mark.link is None or mark.link in scene.links
            for dial, varied in mark.vary.items():
                assert all(0 <= at < dials[dial] + 1 for changes in varied.values() for at, _ in changes)
        whens = [panel.when, *(mark.when for mark in panel.marks)]
        assert all(0 <= at < dials[dial] for when in whens for dial, places in when.items() for at in places)
    for caption in scene.captions:
        assert all(0 <= at < dials[caption.dial] for at, _ in caption.texts) and set(caption.when) <= set(dials)
    for link in scene.links.values():
        assert all(0 <= at < dials[dial] for dial, at in link.go.items())
    json.dumps(to_json(scene), allow_nan=False)


@pytest.mark.parametrize("view", VIEWS)
def test_the_views_show_their_panels(view):
    scene = shown(lambda x, w: np.tanh(x * w), 1.0, 2.0, view=view).scene()
    panels = {"both": ["tape", "graph"], "chain": ["chain", "slopes"]}.get(view, [view])
    assert [p.name for p in scene.panels if holds(p.when, scene.start())] == panels
    assert next(d for d in scene.dials if d.name == "retain").when == {"view": [1, 3]}


def test_each_view_says_more_than_the_steps():
    scene = shown(lambda x, w: x * w, 1.0, 2.0).scene()
    last = {view: scene.caption(scene.state(step=-1, view=name)) for view, name in VIEWS.items()}
    assert last["tape"].startswith(last["chain"]) and "On the tape" in last["tape"]
    assert last["graph"].startswith(last["chain"]) and "reused" in last["graph"]
    assert "stays" in scene.caption(scene.state(step=-1, view=1, retain=1))


def test_a_large_graph_has_the_view_asked_for_alone():
    scene = shown(lambda x: sum(x * i for i in range(MOST_FOR_ALL_VIEWS)), 1.0, view="graph").scene()
    assert [p.name for p in scene.panels][:2] == ["graph", "program"] and "view" not in [d.name for d in scene.dials]


def test_a_tape_has_the_chain_rule_and_the_tape():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    scene = FoldedStory(story := of_tensor(loss), flat(story), frozenset(), "tape").scene()
    assert [p.name for p in scene.panels] == ["chain", "tape", "inside"] and "retain" in [d.name for d in scene.dials]
    loss.backward()
    scene = FoldedStory(story := of_tensor(loss), flat(story), frozenset(), "tape").scene()
    assert "retain" not in [d.name for d in scene.dials] and "released its saved values" in scene.notice


@pytest.mark.parametrize(
    "fun, words",
    [
        (lambda x, y: x * y, "A graph of 1 op from x and y to the result; 1 step of the chain rule leads back."),
        (lambda x: x, "A graph of 0 ops from x to the result; no steps of the chain rule lead back."),
        (lambda *xs: sum(xs), "and 2 more to the result; 8 steps of the chain rule lead back."),
        (lambda: 1.0, "A graph of 0 ops to the result; no steps of the chain rule lead back."),
    ],
)
def test_the_description_counts(fun, words):
    count = fun.__code__.co_argcount if not fun.__code__.co_flags & 4 else 8
    story = of_function(fun, [1.0] * count)
    assert words in description(FoldedStory(story, flat(story), frozenset(), "chain").units())


# ---- folding ----


@given(programs(most=12), st.data())
@drawn(8)
def test_a_click_on_a_block_leads_to_the_way_that_has_it_unfolded(program, data):
    story = of_function(program, program.leaves, program=False)
    ops = flat(story)
    cut = data.draw(st.integers(0, len(ops)))
    parts = [Block("a", "a", ops[:cut])] if cut else []
    parts += [Block("b", "b", [Block("b/c", "c", ops[cut:])])] if ops[cut:] else []
    for opened in [frozenset(), *(frozenset(path) for path in paths(parts).values())]:
        view = FoldedStory(story, parts, opened, "chain")
        units, scene = view.units(), view.scene()
        for unit in units.units:
            if unit.block:
                link = scene.links[f"n{unit.index}"]
                assert opened_by(link.opens, parts) == opened | set(paths(parts)[unit.block.key]) and not link.go
                assert link.tip[-1] == "Click to unfold."
        for name, link in scene.links.items():
            if name.startswith("fold "):
                key = name.removeprefix("fold ")
                assert "opens" in to_json(link)
                assert opened_by(link.opens, parts) == (frozenset() if key == "all" else without(opened, key, parts))


def test_ways_of_folding_that_there_are_not_cannot_be_clicked():
    story = of_function(lambda x: np.sin(np.sin(np.sin(x))), [1.0])
    parts = [Block("a", "a", [1, 2]), 3]
    scene = FoldedStory(story, parts, frozenset(), "chain", ways={key_of(frozenset())}).scene()
    assert all(link.opens is None for link in scene.links.values())
    assert not any("Click" in line for link in scene.links.values() for line in link.tip)


def test_a_way_of_folding_is_written_and_read():
    parts = [Block("a", "a", [Block("a/b", "b", [1, 2]), 3]), Block("c", "c", [4, 5])]
    for way in [set(), {"a"}, {"a", "a/b"}, {"c", "a"}]:
        assert opened_by(key_of(frozenset(way)), parts) == way
    assert opened_by("a/b", parts) == {"a", "a/b"} and opened_by("nothing|else", parts) == frozenset()
    assert without(frozenset({"a", "a/b", "c"}), "a", parts) == {"c"}


def test_the_bar_wraps_and_is_not_in_still_pictures():
    story = of_function(lambda x: sum(x * i for i in range(12)), [1.0])
    ops = flat(story)
    parts = [
        Block(f"a block with a long name {i}", f"a block with a long name {i}", ops[2 * i : 2 * i + 2])
        for i in range(11)
    ]
    bar = FoldedStory(story, [*parts, *ops[22:]], frozenset(b.key for b in parts), "chain").scene().panels[0]
    assert bar.name == "fold" and bar.live and len({m.at["y"] for m in bar.marks}) > 1
    assert max(m.at["x"] for m in bar.marks) < bar.width


# ---- where the reader is, when a part is folded or unfolded ----


@given(programs(most=12), st.data())
@drawn(8)
def test_folding_keeps_the_place(program, data):
    """What has happened in the folded scene has happened in the unfolded one, and as much of it as there is."""
    story = of_function(program, program.leaves, program=False)
    ops = flat(story)
    cut = data.draw(st.integers(0, len(ops)))
    parts = ([Block("a", "a", ops[:cut])] if cut > 1 else ops[:cut]) + ops[cut:]
    opened = frozenset(b.key for b in blocks(parts))
    units = {way: FoldedStory(story, parts, way, "chain").units() for way in (frozenset(), opened)}
    dials = {way: {"places": found.places} for way, found in units.items()}
    moves = [(a, b, i) for a in dials for b in dials for i in range(len(dials[a]["places"]))]
    carried = javascript.call(
        f"(() => {{ {LOOK}; return (moves) => moves.map(([dial, old, at]) => carried(dial, old, at)); }})()",
        [[dials[b], dials[a], i] for a, b, i in moves],
    )
    for (a, b, i), k in zip(moves, carried, strict=True):
        here, there = happened(units[a], i), happened(units[b], k)
        assert there <= here and (a != b or k == i)
        assert k + 1 == len(dials[b]["places"]) or not happened(units[b], k + 1) <= here


def happened(units, step):
    ran = {("ran", n) for u, when in units.ran.items() if when <= step for n in u.nodes}
    walked = {("walked", s.node) for u, when in units.walked.items() if when <= step for s in units.steps_of[u]}
    return ran | walked | ({("seed", 0)} if units.goes_back and step >= units.seed else set())
