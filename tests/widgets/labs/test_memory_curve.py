"""The memory curve shows what the tape and its checkpoints hold, and its numbers are those that other measurements find."""

import tracemalloc
from functools import cache

import numpy as np
import pytest
from javascript import in_page

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.memory import checkpoint, memory_report
from labkit.mindspore import ops
from labkit.widgets.labs.memory_curve import LAST, LAYERS, SEGMENTS, WALKS, MemoryCurve, at_time, moments, most

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


@pytest.mark.needs("node")
@pytest.mark.parametrize("retain", [False, True])
def test_the_page_reads_every_moment_that_was_recorded(retain):
    for count in range(LAYERS + 1):
        run = moments(count, retain)
        found = in_page(usual(), "(data, count, retain) => runOf(data, count, retain)", count, retain)
        for one, moment in zip(found, run, strict=True):
            assert [one[name] for name in ("kind", "layer", "time")] == [moment.kind, moment.layer, moment.time]
            assert (
                one["held"] == np.bincount(moment.held, minlength=LAYERS).tolist() if moment.held else not one["count"]
            )


@pytest.mark.needs("node")
def test_the_page_says_the_sentences_of_python():
    asked = [
        usual().state_with(time=time, checkpoints=float(count), retain=retain)
        for time in (0.0, 0.5, 1.0, 16.0, 17.0, 30.5, 47.0, 64.0) for count in (0, 1, 3, 4, 16) for retain in (False, True)
    ]  # fmt: skip
    found = in_page(usual(), "(data, states) => states.map((state) => sentenceOf(data, state))", asked)
    assert found == [usual().describe(**state).splitlines()[-1] for state in asked]


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", SEGMENTS)
def test_the_questions_are_about_the_turn_and_the_worst_moment(name):
    count = 0 if name == "none" else int(name)
    run, state = usual().runs[name, "releases"], usual().state_with(checkpoints=float(count))
    first, second = (in_page(usual(), "questionAt", state, k) for k in (0, 1))
    assert first["answer"] == len(at_time(run, LAYERS).held) and second["answer"] == most(run)
    assert all(one["right"] and one["otherwise"] for one in (first, second))


@pytest.mark.parametrize("state, words", [
    ({}, "At most 8 results are held at once instead of 16, for 33% more time. Results held now: 1, the output."),
    ({"checkpoints": 2.0, "retain": True}, "held now: 2, where checkpoints end. What ran again is not retained."),
    ({"checkpoints": 0.0, "retain": True}, "the time is 48. Results held now: 16."),
    ({"time": 20.0}, "Checkpoints: 4, of 4 layers each. Time 20: layer 16 runs again. Results held: 8."),
    ({"time": 1.0, "checkpoints": 3.0}, "Checkpoints: 3, of 5 or 6 layers each. Time 1: layer 1 runs. Results held: 1."),
])  # fmt: skip
def test_the_sentence_says_what_is_held_and_what_it_costs(state, words):
    assert words in usual().describe(**state) and usual().svg("dark", **state).startswith("<svg")


def test_four_checkpoints_of_sixteen_layers_hold_the_least():
    peaks = [most(moments(k, False)) for k in range(1, LAYERS + 1)]
    assert min(peaks) == peaks[3] == 8 and peaks[0] == 17
