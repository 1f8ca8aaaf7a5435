"""The wrong-engine lab: every verdict is compared with gradients found another way, and the code shown with the code run."""

import inspect
import json
import textwrap
from itertools import combinations

import autograd.numpy as anp
import numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

import labkit
import labkit.mindspore as ms
from labkit.mindspore import nn
from labkit.widgets.kit.scene import holds, latest, looks, to_json, width_of
from labkit.widgets.kit.strokes import numbers
from labkit.widgets.kit.words import brief
from labkit.widgets.labs.wrong_engines import WrongEngineLab, broken, first_wrong
from labkit.widgets.labs.wrong_engines.bench import Visit, Write
from labkit.widgets.labs.wrong_engines.broken import ENGINES, unbroadcast
from labkit.widgets.labs.wrong_engines.causes import MENDS
from labkit.widgets.labs.wrong_engines.lessons import lessons
from labkit.widgets.labs.wrong_engines.lines import mended, source
from labkit.widgets.labs.wrong_engines.run import Subject

BROKEN = [name for name in ENGINES if name != "right"]


@pytest.fixture(scope="module")
def lab():
    return WrongEngineLab()


def two_paths(x):
    h = x**2
    a = h + 5
    return a * h


def shown(lab, **dials):
    """`{panel: [(role, text, state, attributes)]}` of what is seen when the bug is found."""
    state = lab.still_state(**dials)
    return {
        panel.name: [
            (mark.role, words, name, at)
            for mark in panel.marks
            if holds(mark.when, state)
            for at, words, name in [looks(mark, state)]
            if name != "hidden" and words
        ]
        for panel in lab.scene.panels
        if holds(panel.when, state)
    }


# ---- engines and their verdicts ----


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_the_right_engine_finds_the_gradients_of_autograd(lab, lesson):
    run = lab.plays["right", lesson.name].passes[0]
    places = tuple(range(len(lesson.args)))
    args = [np.asarray(a, float) for a in lesson.args]
    for i, expected in enumerate(labkit.grad(lesson.fun, places)(*args)):
        np.testing.assert_allclose(run.result[i], expected)


def test_each_fault_shows_on_the_graph_made_for_it_and_not_on_all(lab):
    table = {
        (engine, lesson.name): play.fault.cause
        for lesson in lab.lessons
        for engine in ENGINES
        if (play := lab.plays[engine, lesson.name]).fault
    }
    assert table == {
        ("recursion", "diamond"): "too early, and again",
        ("visited once", "diamond"): "too early",
        ("overwrite", "diamond"): "overwritten",
        ("overwrite", "used twice"): "overwritten",
        ("no unbroadcast", "bias"): "not unbroadcast",
        ("not reset", "three steps"): "not reset",
    }


@pytest.mark.parametrize(
    ("engine", "h", "x"),
    [("right", 13, 52), ("recursion", 13, 16 + 52), ("visited once", 13, 16), ("overwrite", 4, 16)],
)
def test_on_two_paths_each_engine_gives_what_can_be_found_by_hand(engine, h, x):
    """h = 4 gets 9 along the short path and 4 along the long one, and passes on four times what it has."""
    nodes = {}

    def kept(all_nodes, output):
        ENGINES[engine](all_nodes, output)
        nodes.update((node.label, float(node.grad)) for node in all_nodes)

    first_wrong(kept, two_paths, 2.0, steps=1)
    assert (nodes["h"], nodes["x"]) == (h, x)


@pytest.mark.parametrize("engine", ["recursion", "visited once"])
def test_plain_recursion_is_wrong_first_where_a_value_is_passed_on_before_all_has_arrived(engine):
    report = first_wrong(ENGINES[engine], two_paths, 2.0)
    assert (report.node, float(report.arrived), float(report.expected)) == ("h", 4.0, 13.0)
    assert report.code == "parts = node.vjp(node.grad)"
    assert "9 from" in report.text


def test_a_gradient_left_over_is_added_and_sends_training_astray(lab):
    w, held, path = 1.0, 0.0, []
    for _ in range(3):
        held += float(labkit.grad(lambda w: (2 * w - 6) ** 2)(w))
        w, path = w - 0.1 * held, [*path, w]
    seen = [float(p.bench.story.nodes[0].value) for p in lab.plays["not reset", "three steps"].passes]
    np.testing.assert_allclose(seen, path)
    right = [float(p.bench.story.nodes[0].value) for p in lab.plays["right", "three steps"].passes]
    assert abs(right[-1] - 3) < abs(seen[-1] - 3)


def test_the_gradient_of_a_bias_is_the_sum_over_the_batch(lab):
    fault = lab.plays["no unbroadcast", "bias"].fault
    np.testing.assert_allclose(np.sum(fault.wrong.arrived), fault.wrong.expected)
    assert np.shape(fault.wrong.arrived) == (3,) and np.shape(fault.wrong.expected) == ()


@st.composite
def expressions(draw):
    """A function of three numbers, as steps (op, place, place) over the values so far; all values are used or returned."""
    steps = draw(
        st.lists(st.tuples(st.sampled_from("+*-"), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=7)
    )

    def fun(x, y, z):
        values = [x, y, z]
        for op, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(a + b if op == "+" else a * b if op == "*" else a - 0.5 * b)
        return anp.tanh(0.01 * sum(values[3:], values[0]))

    return fun


@drawn(8)
@given(expressions())
def test_on_any_graph_the_right_engine_is_right(fun):
    assert first_wrong(broken.right, fun, 0.7, -1.3, 0.9)


@drawn(8)
@given(expressions())
def test_overwriting_goes_wrong_exactly_where_the_lost_parts_do_not_add_up_to_zero(fun):
    numbers = 0.7, -1.3, 0.9
    report, subject = first_wrong(broken.overwrite, fun, *numbers, steps=1), Subject(fun, numbers)
    parts = subject.bench(subject.values).parts.values()
    harmless = all(np.isclose(sum(float(part) for _, part in arrived[:-1]), 0, atol=1e-12) for arrived in parts)
    assert bool(report) == harmless


def test_the_first_wrong_node_is_found_by_comparison_not_by_name():
    """A right engine under a broken one's name is right."""
    report = first_wrong(broken.right, two_paths, 2.0)
    assert report and report.cause == "" and "all 5 nodes" not in report.text and "4 nodes" in report.text


# ---- the code shown is the code run ----


@pytest.mark.parametrize("name", list(ENGINES))
def test_the_lines_shown_are_those_of_the_function_that_runs(lab, name):
    panel = next(p for p in lab.scene.panels if p.name == f"code {name}")
    rows = {words for role, words, _, _ in shown(lab, engine=name)[panel.name] if role == "code"}
    code = textwrap.dedent(inspect.getsource(ENGINES[name])).replace(inspect.getdoc(ENGINES[name]), "")
    assert rows - {"+"} - set(mended(ENGINES[name])[1]) <= set(code.splitlines())
    assert f"def {ENGINES[name].__name__}(nodes: Nodes, output: Node) -> None:" in rows


def test_every_line_that_is_lit_ran(lab):
    for play in lab.plays.values():
        numbers = {number for number, _ in source(play.engine)[0]}
        for m in range(len(play.moments)):
            assert {place.number for place in play.lines(m)} <= numbers


@pytest.mark.parametrize("name", ["overwrite", "no unbroadcast", "not reset"])
def test_the_lines_said_to_mend_an_engine_mend_it(name):
    before, lines = mended(ENGINES[name])
    rows = [row for _, row in source(ENGINES[name])[0]]
    if name == "overwrite":
        del rows[before - 1]
        before -= 1
    scope = dict(vars(broken))
    exec("\n".join([*rows[:before], *lines, *rows[before:]]), scope)
    engine = scope[ENGINES[name].__name__]
    for lesson in lessons():
        assert first_wrong(engine, lesson.fun, *lesson.args, steps=3)


def test_the_line_at_fault_is_the_one_that_stored_or_passed_on_the_wrong_gradient():
    codes = {name: first_wrong(ENGINES[name], two_paths, 2.0).code for name in ("recursion", "overwrite", "not reset")}
    assert codes == {
        "recursion": "parts = node.vjp(node.grad)",
        "overwrite": "parent.grad = g",
        "not reset": "parent.grad = parent.grad + g",
    }


# ---- what the picture shows ----


def test_the_cards_show_the_gradients_that_the_engine_left(lab):
    for i, (engine, lesson) in enumerate(lab.plays):
        play = lab.plays[engine, lesson]
        slider = f"{engine}_{lesson}".replace(" ", "_")
        seen = shown(lab, engine=engine, graph=lesson, **{slider: -1})
        texts = [
            words for name in seen if name.startswith("graph") for role, words, _, _ in seen[name] if role == "value"
        ]
        for node, value in zip(play.passes[-1].bench.nodes, play.passes[-1].result, strict=True):
            assert brief(value) in texts, (i, engine, lesson, node)


@pytest.mark.parametrize("engine", BROKEN)
def test_a_wrong_card_says_what_it_should_be(lab, engine):
    play = next(p for (e, _), p in lab.plays.items() if e == engine and p.fault)
    right = lab.plays["right", play.lesson.name].passes[play.fault.step].result[play.fault.wrong.node]
    if play.fault.step:  # later steps start elsewhere
        right = play.passes[play.fault.step].bench.gradients[play.fault.wrong.node]
    signs = [
        words
        for name, marks in shown(lab, engine=engine, graph=play.lesson.name).items()
        if name.startswith("graph")
        for role, words, _, _ in marks
        if role == "badtext"
    ]
    assert "first wrong" in signs and f"should be {brief(right)}" in signs


def test_as_many_cards_are_outlined_as_wrong_as_the_engine_leaves_wrong_gradients(lab):
    for engine, lesson in lab.plays:
        play, slider = lab.plays[engine, lesson], f"{engine}_{lesson}".replace(" ", "_")
        state = lab.still_state(engine=engine, graph=lesson, **{slider: -1})
        panel = next(p for p in lab.scene.panels if p.name.startswith("graph") and holds(p.when, state))
        outlined = [m for m in panel.marks if holds(m.when, state) and looks(m, state)[2] == "wrong"]
        last = play.passes[-1]
        close = [np.allclose(got, right) if np.shape(got) == right.shape else False
                 for got, right in zip(last.result, last.bench.gradients, strict=True)]  # fmt: skip
        right_too_late = play.fault is not None and play.fault.cause.startswith("too early")  # passed on before
        assert len(outlined) == close.count(False) + right_too_late, (engine, lesson)


def test_no_card_is_outlined_before_the_first_wrong_node_shows(lab):
    for play in lab.plays.values():
        if play.fault:
            assert not any(play.wrong_at(m) for m in range(play.first))
            assert play.fault.wrong.node in play.wrong_at(play.first)


def test_a_hunt_that_is_over_shows_the_fault_and_explains_it(lab):
    for (engine, lesson), play in lab.plays.items():
        state, slider = lab.still_state(engine=engine, graph=lesson), f"{engine}_{lesson}".replace(" ", "_")
        said = lab.scene.told(state)
        if play.fault:
            assert state[slider] == play.first and "The first wrong node is" in said and MENDS[play.fault.cause] in said
        else:
            assert state[slider] == len(play.moments) - 1 and "Every gradient is right" in said


def test_until_the_bug_is_found_nothing_shows_it(lab):
    for (engine, lesson), play in lab.plays.items():
        slider, hunt = (f"{before}{engine}_{lesson}".replace(" ", "_") for before in ("", "hunt_"))
        for m in range(len(play.moments)) if play.fault else ():
            state = lab.scene.state(engine=engine, graph=lesson, **{slider: m, hunt: 2})
            seen = [
                (mark.role, words, name)
                for panel in lab.scene.panels
                if holds(panel.when, state)
                for mark in panel.marks
                if holds(mark.when, state)
                for _, words, name in [looks(mark, state)]
                if name != "hidden" and (words or mark.tag != "text")
            ]
            assert not [one for one in seen if one[0] in ("bad", "badline", "badtext", "kept") or one[2] == "wrong"]
            assert "wrong" not in lab.scene.told(state) and "right" not in lab.scene.told(state).removesuffix("right?")


def test_each_hunt_has_the_first_wrong_node_as_its_answer_and_hints_that_hold(lab):
    hunts = {dial.name: dial.hunt for dial in lab.scene.dials if dial.hunt}
    for (engine, lesson), play in lab.plays.items():
        hunt = hunts.get(f"hunt_{engine}_{lesson}".replace(" ", "_"))
        if engine == "right":
            assert hunt is None
            continue
        named = hunt.choices[hunt.answer]
        assert named == (play.passes[0].bench.called(play.fault.wrong.node) if play.fault else "none: all are right")
        assert len(hunt.hints) == 2 and set(hunt.choices) - {hunt.answer} <= set(hunt.says)
        assert not play.fault or named in hunt.hints[1]
        assert set(hunt.choices) - {"none"} <= set(lab.scene.links)


@pytest.mark.parametrize("engine", BROKEN)
def test_where_a_broken_engine_is_right_it_says_why(lab, engine):
    for (name, lesson), play in lab.plays.items():
        if name == engine and play.right:
            said = lab.scene.told(lab.still_state(engine=engine, graph=lesson))
            assert len(said) > len("Done. Every gradient is right in all 3 steps. ")


def test_the_graph_that_shows_an_engines_fault_follows_the_engine(lab):
    for engine in BROKEN:
        assert "The first wrong node" in lab.describe(engine=engine)


def test_every_position_of_every_dial_has_its_sentence(lab):
    for caption in lab.scene.captions:
        dial = next(d for d in lab.scene.dials if d.name == caption.dial)
        assert all(latest(caption.texts, m, "") for m in range(len(dial.values)))


def test_marks_vary_with_dials_that_exist_and_the_scene_is_plain_data(lab):
    names = {dial.name: len(dial.values) for dial in lab.scene.dials}
    for panel in lab.scene.panels:
        for mark in panel.marks:
            assert set(mark.vary) | set(mark.when) <= set(names)
            for dial, varied in mark.vary.items():
                assert all(0 <= m < names[dial] for changes in varied.values() for m, _ in changes)
    json.dumps(to_json(lab.scene), allow_nan=False)


def test_texts_stay_inside_their_cards_and_panels(lab):
    sizes = {"name": (12.5, False, True), "value": (12, True, False), "code": (12, True, False)}
    for engine in ENGINES:
        for lesson in lab.lessons:
            slider = f"{engine}_{lesson.name}".replace(" ", "_")
            for m in range(len(lab.plays[engine, lesson.name].moments)):
                state = lab.still_state(engine=engine, graph=lesson.name, **{slider: m})
                for panel in lab.scene.panels:
                    if holds(panel.when, state):
                        _fits(panel, state, sizes)


def _fits(panel, state, sizes):
    seen = [(mark, *looks(mark, state)) for mark in panel.marks if holds(mark.when, state)]
    seen = [s for s in seen if s[3] != "hidden"]
    cards = [at for mark, at, _, _ in seen if mark.tag == "rect" and mark.role in ("op", "loss", "leaf", "back")]
    for mark, at, words, _ in seen:
        if mark.tag != "text" or not words:
            continue
        size, mono, bold = sizes.get(mark.role, (12, False, False))
        wide = width_of(words, size, mono, bold)
        left = at["x"] - {"start": 0, "middle": wide / 2, "end": wide}[at["text-anchor"]]
        assert left >= -1 and left + wide <= panel.width + 1 and at["y"] <= panel.height, (panel.name, words)
        around = [
            c for c in cards if c["y"] <= at["y"] <= c["y"] + c["height"] and c["x"] <= at["x"] <= c["x"] + c["width"]
        ]
        if mark.role in ("name", "value") and around:
            assert left >= around[0]["x"] and left + wide <= around[0]["x"] + around[0]["width"], words


def test_an_answer_that_is_asked_for_can_be_told_from_its_slips(lab):
    numbers = [a for d in lab.scene.dials for asks in d.asks.values() for a in asks if isinstance(a.answer, float)]
    assert numbers
    for ask in numbers:
        for slip, _ in ask.slips:
            assert abs(slip - ask.answer) > ask.tolerance * abs(ask.answer)


def test_the_overview_shows_a_verdict_only_once_the_bug_is_found(lab):
    state = lab.scene.state(**{d.name: 0 for d in lab.scene.dials if d.kind == "slider"})
    (panel,) = [panel for panel in lab.scene.panels if panel.name == "overview"]
    hidden = [words for mark in panel.marks for _, words, name in [looks(mark, state)] if words and name != "hidden"]
    assert set(hidden) == {"?", *lab.engines, *(lesson.name for lesson in lab.lessons)}
    assert hidden.count("?") == len(lab.plays)
    told = [words for _, words, _, _ in shown(lab)["overview"]]
    assert "?" not in told and told.count("right") == 1 + len(lab.plays) - 6  # the engine's name, too


# ---- one's own function, one's own engine ----


def test_your_own_function_is_run_by_all_engines():
    own = WrongEngineLab(lambda x, w: anp.tanh(x * w) + x, 0.5, 2.0)
    verdicts = {name: play.fault.cause if play.fault else "" for (name, _), play in own.plays.items()}
    assert verdicts == dict.fromkeys(ENGINES, "") | {"overwrite": "overwritten", "not reset": "not reset"}
    right = own.plays["right", "<lambda>"].passes[0].result
    np.testing.assert_allclose(right[0], labkit.grad(lambda x, w: anp.tanh(x * w) + x)(0.5, 2.0))


def test_a_network_learns_by_its_parameters():
    layer = nn.Dense(3, 2)
    play = WrongEngineLab(layer, ms.Tensor(np.ones((4, 3)), ms.float32)).plays["not reset", "Dense"]
    kept = [play.passes[0].bench.nodes[i].label for i in play.subject.learned]
    assert len(play.passes) == 2 and len(kept) == 2 and play.fault.cause == "not reset"
    np.testing.assert_allclose(play.fault.held, play.passes[0].result[play.fault.wrong.node])


def test_your_own_engine_joins_the_broken_ones():
    own = WrongEngineLab(engine=lambda nodes, output: broken.overwrite(nodes, output))
    assert own.scene.state()["engine"] == list(own.engines).index("yours")
    assert own.plays["yours", "used twice"].fault.cause == "overwritten"


def test_gradients_may_be_returned_instead_of_left_in_the_nodes():
    def mine(nodes, output):
        grads = {output: np.ones_like(output.value)}
        for node in reversed(nodes):
            for parent, g in zip(node.parents, node.vjp(grads.pop(node) if node.parents else 0.0), strict=True):
                grads[parent] = grads.get(parent, 0.0) + unbroadcast(g, parent.value)
        return grads

    for lesson in lessons():
        assert first_wrong(mine, lesson.fun, *lesson.args)


def test_a_dict_that_is_kept_between_calls_is_recognised_as_not_reset():
    def mine(nodes, output, grads={}):  # noqa: B006
        grads[output] = 1.0
        for node in reversed(nodes):
            for parent, g in zip(node.parents, node.vjp(grads[node]), strict=True):
                grads[parent] = grads.get(parent, 0.0) + g
        return grads

    report = first_wrong(mine, lambda w: (2 * w - 6) ** 2, 1.0)
    assert (report.cause, report.step) == ("not reset", 2)


def walk(nodes, output, *, seed=1.0, order=reversed, store=lambda old, g, value: old + unbroadcast(g, value)):
    """An engine to vary."""
    output.grad = seed
    for node in order(nodes):
        for parent, g in zip(node.parents, node.vjp(node.grad), strict=True):
            parent.grad = store(parent.grad, g, parent.value)


CAUSES = {
    "wrong order": ({"order": list}, two_paths, "h"),
    "no seed": ({"seed": 0.0}, two_paths, "v1"),
    "sign": ({"store": lambda old, g, value: old - g}, two_paths, "a"),
    "no array": ({"store": lambda old, g, value: "g"}, two_paths, "a"),
    "not stored": ({"store": lambda old, g, value: old}, two_paths, "a"),
    "only the first": ({"store": lambda old, g, value: old if np.any(old) else g}, two_paths, "h"),
    "wrong value": ({"store": lambda old, g, value: old + 1.5 * g}, two_paths, "a"),
    "visited again": ({"order": lambda nodes: [n for n in reversed(nodes) for _ in range(2)]}, two_paths, "a"),
    "never visited": ({"order": lambda nodes: reversed(nodes[2:])}, two_paths, "x"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_causes_are_recognised_by_what_an_engine_does(cause):
    change, fun, node = CAUSES[cause]
    report = first_wrong(lambda nodes, output: walk(nodes, output, **change), fun, 2.0)
    assert (report.cause, report.node) == (cause, node), report.text
    assert MENDS[cause] in report.text


def test_a_transposed_gradient_is_recognised():
    def mine(nodes, output):
        broken.right(nodes, output)
        nodes[0].grad = nodes[0].grad.T

    report = first_wrong(mine, lambda x: anp.sum(3 * x), np.ones((3, 2)))
    assert (report.cause, report.node) == ("transposed", "x")


def test_walking_along_every_path_is_right_but_visits_too_often():
    def mine(nodes, output):
        for node in nodes:
            node.grad = np.zeros_like(node.value)

        def visit(node, g):
            node.grad = node.grad + g
            for parent, part in zip(node.parents, node.vjp(g), strict=True):
                visit(parent, unbroadcast(part, parent.value))

        visit(output, np.ones_like(output.value))

    report = first_wrong(mine, two_paths, 2.0)
    assert report and "called vjp 4 times, where 3 are enough" in report.text


def test_further_wrong_nodes_are_named():
    assert first_wrong(broken.recursion, two_paths, 2.0).others == ("x",)


# ---- nothing is lost ----


def test_what_an_engine_raises_is_told_with_its_line():
    def mine(nodes, output):
        raise KeyError("loss")

    report = first_wrong(mine, two_paths, 2.0)
    assert not report and report.cause == "raised" and isinstance(report.error, KeyError)
    assert report.code == 'raise KeyError("loss")' and "had not visited any node" in report.text


def test_a_gradient_that_was_never_stored_is_named():
    report = first_wrong(lambda nodes, output: {}[output], two_paths, 2.0)
    assert MENDS["no seed"] in report.text


def test_endless_recursion_and_endless_loops_end():
    def deeper(nodes, output):
        return deeper(nodes, output)

    def forever(nodes, output):
        while True:
            output.grad = 1.0

    for engine in (deeper, forever):
        assert first_wrong(engine, two_paths, 2.0).cause == "endless"


def test_a_recursion_that_doubles_at_every_node_is_cut_and_still_found_wrong():
    def ladder(x):
        for _ in range(20):
            x = anp.sin(x) + x
        return x

    report = first_wrong(broken.recursion, ladder, 0.3)
    assert "too early" in report.cause and "stopped after 10,000" in report.text
    assert "never visited again" not in report.text


@pytest.mark.parametrize("answer", [None, [1.0], {"x": 1.0}])
def test_an_answer_of_another_kind_is_told_what_is_expected(answer):
    report = first_wrong(lambda nodes, output: answer, two_paths, 2.0)
    assert report.cause == "no answer" and "expected" in report.text


def test_values_cannot_be_changed_by_an_engine():
    def mine(nodes, output):
        nodes[0].value[...] = 0.0

    assert isinstance(first_wrong(mine, two_paths, 2.0).error, ValueError)


@pytest.mark.parametrize("engine", [lambda nodes, output: 1 / 0, lambda nodes, output: None, walk])
def test_the_lab_shows_whatever_an_engine_does(engine):
    own = WrongEngineLab(engine=engine)
    assert own.describe() and own.svg()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: WrongEngineLab(3), TypeError, "expected a function and its arguments"),
        (lambda: WrongEngineLab(two_paths), TypeError, "no arguments"),
        (lambda: WrongEngineLab(two_paths, "2"), TypeError, "expected a real number"),
        (lambda: WrongEngineLab(lambda x: 1.0, 2.0), ValueError, "computed from its inputs"),
        (lambda: WrongEngineLab(lambda x: (x * 2, x * 3), 2.0), ValueError, "2 of them"),
        (lambda: WrongEngineLab(lambda x: sum([x] * 60), 2.0), ValueError, "at most 40 ops"),
        (lambda: WrongEngineLab(two_paths, 2.0, argnums=1), IndexError, "argnums below 1"),
        (lambda: WrongEngineLab(two_paths, 2.0, steps=0), ValueError, "1 to 10 steps"),
        (lambda: WrongEngineLab(engine=3), TypeError, "backward(nodes, output)"),
        (lambda: first_wrong(3, two_paths, 2.0), TypeError, "backward(nodes, output)"),
        (lambda: first_wrong(broken.right, two_paths, 2.0, steps=0), ValueError, "at least one step"),
    ],
)
def test_bad_input_is_told_what_is_expected(call, error, said):
    with pytest.raises(error) as raised:
        call()
    assert said in str(raised.value)


def test_an_exception_of_the_function_is_passed_on_with_a_note():
    with pytest.raises(ZeroDivisionError) as raised:
        first_wrong(broken.right, lambda x: 1 / 0, 2.0)
    assert "run forwards" in raised.value.__notes__[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_numbers_that_are_not_finite_do_no_harm(value):
    own = WrongEngineLab(lambda x: anp.exp(x) * x, value)
    assert own.plays["right", "<lambda>"].right
    assert own.describe(engine="overwrite")


def test_where_the_function_takes_another_way_the_steps_end():
    own = WrongEngineLab(lambda w: w * w if w > 0.9 else w + 1.0, 1.0, steps=3)
    assert len(own.plays["not reset", "<lambda>"].passes) == 1
    assert "takes another way" in own.describe(engine="not reset")


# ---- the nodes that engines get ----


def test_what_vjp_sends_has_the_shape_of_the_result_where_a_value_was_repeated():
    shapes = {}

    def look(nodes, output):
        for node in nodes:
            if node.op == "add":
                shapes.update(zip([p.label for p in node.parents], map(np.shape, node.vjp(np.ones(node.value.shape)))))

    first_wrong(look, lambda x, b: anp.sum(x + b), np.ones((4, 3)), np.ones(3), steps=1)
    assert shapes == {"x": (4, 3), "b": (4, 3)}


def test_every_visit_and_every_change_of_a_gradient_is_noted(lab):
    events = lab.plays["right", "used twice"].passes[0].events
    assert [type(e) for e in events[-5:]] == [Write, Write, Visit, Write, Write]
    assert sum(isinstance(e, Visit) for e in events) == 2
    x, w = (float(e.value) for e in events[-2:])
    assert (x, w) == (3.0, 3.0)


def test_edges_forwards_keep_clear_of_the_gradients_and_labels_of_one_another(lab):
    for panel in (p for p in lab.scene.panels if p.name.startswith("graph")):
        cards = [m.at for m in panel.marks if m.tag == "rect" and m.role == "back"]
        top = min(at["y"] for at in cards)
        rows = {at["y"] for at in cards}
        for edge in (m for m in panel.marks if m.role == "edge") if len(rows) == 1 else ():
            assert max(numbers(edge.at["d"])[1::2]) < top
        labels = {(m.at["x"], m.at["y"]) for m in panel.marks if m.role == "slope"}
        assert all(abs(x - u) > 12 for (x, y), (u, v) in combinations(labels, 2) if abs(y - v) < 30)


def test_it_plays_to_its_end_and_asks_which_one_is_suspected(lab):
    state = lab.scene.state(recursion_diamond=7)
    assert lab.plays_at_once and lab.scene.told(state).endswith("Which one do you suspect?")
    asked = [m for p in lab.scene.panels if p.name == "graph 0" for m in p.marks if m.text == "?"]
    assert all(m.link and m.link.startswith("lesson 0 n") for m in asked)
    assert [sum(holds(m.when, {**state, "hunt_recursion_diamond": tries}) for m in asked) for tries in (0, 3)] == [4, 0]


ROOM = 388 / 0.82  # px of a panel on a phone


def test_on_a_phone_no_graph_is_cut_and_all_is_there_in_its_order(lab):
    graphs = [panel for panel in lab.scene.panels if panel.name.startswith("graph")]
    assert any(panel.narrow for panel in graphs)
    for panel in graphs:
        slim = panel.narrow or panel
        assert slim.width <= ROOM and slim.narrow is None
        words = [sorted(mark.text for mark in one.marks if mark.role in ("name", "slope")) for one in (panel, slim)]
        assert words[0] == words[1]
        boxes = {
            tuple(m.at[k] for k in ("x", "y", "width", "height"))
            for m in slim.marks
            if m.role in ("op", "loss", "leaf")
        }
        for (x, y, w, h), (u, v, p, q) in combinations(boxes, 2):
            assert x + w <= u or u + p <= x or y + h <= v or v + q <= y


def written(lab, **state):
    """What is written in the panels."""
    state = lab.scene.state(**state)
    seen = [m for p in lab.scene.panels if holds(p.when, state) for m in p.marks if holds(m.when, state)]
    return [words for _, words, name in (looks(mark, state) for mark in seen) if words and name != "hidden"]


def test_what_was_passed_on_more_than_once_is_told_and_why_a_right_end_is_no_excuse(lab):
    last = len(lab.plays["recursion", "diamond"].moments) - 1
    assert "passed on 4, 13" in written(lab, engine="recursion", recursion_diamond=last)
    assert not any("passed on" in words for words in written(lab, engine="recursion", recursion_diamond=4))
    said = lab.scene.told(lab.still_state(engine="recursion", graph="diamond"))
    assert "In the end it has 13; but 4 had been passed on by then." in said
    assert "In the end" not in lab.scene.told(lab.still_state(engine="overwrite", graph="used twice"))


@pytest.mark.parametrize("misses", range(4))
def test_after_a_miss_the_right_gradients_stand_beside_those_of_the_engine(lab, misses):
    words = written(lab, engine="recursion", recursion_diamond=7, hunt_recursion_diamond=misses)
    wanted = {"right: 52", "right: 13", "right: 4", "right: 1"} if misses in (1, 2) else set()
    assert {one for one in words if one.startswith("right: ")} == wanted


def test_nothing_else_moves_where_another_engine_or_graph_is_chosen(lab):
    for name in ("graph", "code"):
        assert len({(p.width, p.height) for p in lab.scene.panels if p.name.startswith(name)}) == 1
    controls = [dial.kind for dial in lab.scene.dials if dial.name in ("engine", "graph")]
    assert controls == ["inside", "inside"]  # the table of all of them is where they are chosen
    cells = [link for name, link in lab.scene.links.items() if name.startswith("cell ")]
    assert len(cells) == 24 and all(link.plays for link in cells)
