"""The memory curve shows what the tape and its checkpoints hold, and its numbers are those that other measurements find."""

import json
import tracemalloc
from functools import cache

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.memory import checkpoint, memory_report
from labkit.mindspore import ops
from labkit.widgets.kit.scene import holds, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.memory_curve.run import LAYERS, moments
from labkit.widgets.labs.memory_curve.scene import LAST, SEGMENTS, WALKS, MemoryCurve, at_time, most

CUTS = [name for name in SEGMENTS if name != "none"]


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return MemoryCurve()


states = pytest.mark.parametrize("name", SEGMENTS)


def in_parts(layer, parts):
    """The chain of layers in so many checkpoints."""

    def some(h):
        for _ in range(LAYERS // parts):
            h = layer(h)
        return h

    def chain(h):
        for _ in range(parts):
            h = checkpoint(some)(h)
        return h

    return chain


def test_without_checkpoints_every_result_is_kept_and_released_on_the_way():
    run = usual().runs["none", "releases"]
    held = [len(moment.held) for moment in run if moment.kind == "back"]
    assert len(at_time(run, LAYERS).held) == LAYERS
    assert held == [16, 16, *range(15, 1, -1)]
    assert run[-1].held == (LAYERS - 1,)  # the result, which the caller holds


def test_with_retain_graph_nothing_is_released():
    assert {len(m.held) for m in usual().runs["none", "retain_graph"] if m.kind in ("back", "end")} == {LAYERS}


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("walk", WALKS)
def test_checkpoints_keep_one_result_each_and_hold_one_segment_more_at_the_worst_moment(name, walk):
    run, parts = usual().runs[name, walk], int(name)
    assert at_time(run, LAYERS).held == tuple(range(LAYERS // parts - 1, LAYERS, LAYERS // parts))
    assert most(run) == parts + LAYERS // parts


@states
@pytest.mark.parametrize("walk", WALKS)
def test_a_checkpoint_costs_one_forward_run_more(name, walk):
    run = usual().runs[name, walk]
    kinds = [moment.kind for moment in run]
    assert kinds.count("forward") == kinds.count("back") == LAYERS
    assert kinds.count("again") == (0 if name == "none" else LAYERS)
    assert run[-1].time == (48 if name == "none" else LAST)


@pytest.mark.parametrize("name", CUTS)
def test_the_same_is_kept_as_the_memory_report_finds(name):
    x = ms.Tensor(np.ones(1000, np.float32))
    report = memory_report(in_parts(ops.tanh, int(name)), x)
    assert report.kept / x.nbytes == int(name) - 1  # without the result


def test_the_tape_without_checkpoints_weighs_what_is_held():
    size, run, seen = 2**16, usual().runs["none", "releases"], []
    note = lambda *_: seen.append(tracemalloc.get_traced_memory()[0] / size / 4)
    h = torch.ones(size, requires_grad=True)
    tracemalloc.start()
    for _ in range(LAYERS):
        h = torch.tanh(h)
        h.grad_fn.register_hook(note)
        note()
    h.backward(torch.ones(size))
    tracemalloc.stop()
    counts = [len(moment.held) for moment in run if moment.kind in ("forward", "back")]
    assert seen[:LAYERS] == pytest.approx(counts[:LAYERS], abs=0.3)
    assert np.ptp(np.subtract(seen[LAYERS + 3 :], counts[LAYERS + 3 :])) < 1.3  # besides a few gradients on their way


def marks(panel, role, **dials):
    (found,) = (p for p in usual().scene.panels if p.name == panel)
    return [
        (mark, at, words, state)
        for mark, at, words, state in visible_marks(found, usual().scene.state(**dials))
        if mark.role == role
    ]


@states
@pytest.mark.parametrize("time", [0, 1, 15, 16, 17, 30, 47, 64])
def test_the_filled_boxes_are_the_results_that_are_held(name, time):
    moment = at_time(usual().runs[name, "releases"], time)
    boxes = [found for role in ("kept", "op") for found in marks("curve", role, segments=name, time=time)]
    assert {i for i, (*_, state) in enumerate(boxes) if state == ""} == set(moment.held)
    count = len(moment.held)
    assert f"{count} result{' is' if count == 1 else 's are'} held" in usual().describe(segments=name, time=time)


def test_one_arrow_points_the_way_at_the_layer_at_work():
    def pointing(time):
        return [
            role for role in ("head", "backhead") for *_, state in marks("curve", role, time=time) if state != "hidden"
        ]

    assert [pointing(time) for time in (1, 17, 21, LAST)] == [["head"], ["head"], ["backhead"], ["backhead"]]


def test_two_copies_are_written_into_their_box():
    words = [words for _, _, words, _ in marks("curve", "value", segments="1", time=LAST - 2)]
    assert words == ["2"]


@states
def test_the_curve_ends_at_its_time_and_its_top_is_the_most(name):
    at, *_ = (at for _, at, *_ in marks("curve", "savedvector", segments=name) if "opacity" not in at)
    points = np.array([[float(v) for v in point.split()] for point in at["d"][1:].split("L")])
    run, (left, bottom) = usual().runs[name, "releases"], points[0]
    per_time = (points[-1, 0] - left) / run[-1].time
    per_result = (bottom - points[-1, 1]) / len(run[-1].held)
    assert per_time == pytest.approx(6.0, abs=0.01)
    assert (bottom - points[:, 1].min()) / per_result == pytest.approx(most(run), abs=0.2)


@states
def test_a_dot_that_can_be_dragged_is_on_the_curve_and_a_ring_at_its_top(name):
    run = usual().runs[name, "releases"]
    for time in (0, 9, 20, 40, LAST):
        ((_, dot, *_),) = (found for found in marks("curve", "savedbar", segments=name, time=time))
        state = usual().scene.state(segments=name, time=time)
        (grip,) = (grip for grip in usual().scene.grips if grip.dial == "time" and holds(grip.when, state))
        expected = (62 + 6.0 * min(time, run[-1].time), 268 - 8 * len(at_time(run, time).held))
        assert (dot["cx"], dot["cy"]) == pytest.approx(expected) == grip.spots[time]
    rings = [at for mark, at, _, state in marks("curve", "ravine", segments=name) if mark.tag == "circle"]
    assert [at["cy"] for at in rings] == [268 - 8 * most(run)]


def test_it_plays_in_less_than_eight_seconds():
    assert usual().scene.dials[0].pace * LAST < 8000


def test_the_cover_begins_at_the_time_shown():
    for time in (0, 16, LAST - 1):
        _, (_, at, *_) = marks("curve", "area", time=time)
        assert at["x"] == 62 + 6.0 * time and at["x"] + at["width"] == 62 + 6.0 * LAST
    assert len(marks("curve", "area", time=LAST)) == 1  # nothing is covered at the end


def test_the_questions_are_about_the_turn_and_the_worst_moment():
    turn, worst = (usual().scene.dials[0].asks[LAYERS + i] for i in (0, 1))
    for name in SEGMENTS:
        for walk in WALKS:
            state, run = usual().scene.state(segments=name, walk=walk), usual().runs[name, walk]
            (first,), (second,) = ([ask for ask in asks if holds(ask.when, state)] for asks in (turn, worst))
            assert first.answer == len(at_time(run, LAYERS).held)
            assert second.answer == most(run)
            for ask in (first, second):
                assert ask.answer not in dict(ask.slips) and len(dict(ask.slips)) == len(ask.slips)


def test_while_one_predicts_the_table_is_out_of_sight_and_other_runs_begin_anew():
    told = ("savedbar", "bar", "name", "ravine", "savedtext", "badtext", "inkvector", "plain")
    seen = [(words, state) for role in told for _, _, words, state in marks("all", role) if words != "time"]
    assert {state for _, state in seen} == {"answer"}
    assert all(dial.resets == {"time": 0} for dial in usual().scene.dials[1:])


@states
def test_what_is_to_come_is_seen_faintly_but_by_those_who_predict(name):
    for role in ("savedvector", "inkvector"):
        found = [(at["d"], "opacity" in at, state) for _, at, _, state in marks("curve", role, segments=name, time=0)]
        faint = [d for d, is_faint, state in found if is_faint and state == "answer"]
        assert len(faint) == (role == "savedvector" or name != "none") and all((d, False, "") in found for d in faint)
    told = [state for role in ("ravine", "savedtext") for *_, state in marks("curve", role, segments=name, time=0)]
    assert told == ["answer", "answer"]


def test_the_first_cut_is_dragged_to_where_each_number_of_checkpoints_has_it():
    (grip,) = (grip for grip in usual().scene.grips if grip.name == "cut")
    for name, spot in zip(CUTS, grip.spots[1:], strict=True):
        firsts = [at["d"] for _, at, *_ in marks("curve", "outline", segments=name)]
        assert f"M{spot[0]:g} 12" in "".join(firsts) and spot[0] == 62 + 24 * LAYERS // int(name)


def test_the_curve_of_peaks_is_that_of_every_number_of_checkpoints_and_names_its_least():
    (curve,) = [at["d"].points for _, at, *_ in marks("all", "ravine") if len(getattr(at["d"], "points", ())) > 2]
    peaks = [most(moments(k, False)) for k in range(1, LAYERS + 1)]
    assert [(x.value, y.value) for x, y in curve] == list(enumerate(peaks, 1))
    assert min(peaks) == peaks[3] and [words for _, _, words, _ in marks("all", "savedtext")] == ["the least: 8"]
    assert [words for _, _, words, _ in marks("all", "badtext")] == ["1 checkpoint holds 17: more than none"]


@states
def test_a_ring_on_the_curve_of_peaks_stands_above_what_is_dragged(name):
    (grip,) = (grip for grip in usual().scene.grips if grip.name == "peak")
    ring, *_ = (at for mark, at, *_ in marks("all", "before", segments=name) if mark.tag == "circle")
    assert ring["cx"] == pytest.approx(grip.spots[SEGMENTS.index(name)][0], abs=0.1)
    assert ring["cy"].value == most(usual().runs[name, "releases"])
    assert str(most(usual().runs[name, "releases"])) in [
        words for _, _, words, _ in marks("all", "name", segments=name)
    ]


def test_what_is_held_at_the_end_is_said_to_be_the_output_and_why_retain_graph_keeps_no_more():
    assert "Now 1 result is held, the output." in usual().describe(segments="4")
    assert "Now 2 results are held: where parts end. What ran again is not retained." in usual().describe(
        segments="2", walk=1
    )
    assert "Now 16 results are held." in usual().describe(segments="none", walk=1)


def test_it_is_small_and_can_be_drawn():
    assert len(json.dumps(to_json(usual().scene), allow_nan=False)) < 260_000
    assert usual().svg("dark", segments="none", time=0).startswith("<svg")
