"""The wrong-engine lab: every verdict is compared with gradients found another way, and the code shown with the code run."""

import inspect
import textwrap

import autograd.numpy as anp
import numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from javascript import in_page

import labkit
import labkit.mindspore as ms
from labkit.mindspore import nn
from labkit.widgets.labs.wrong_engines import WrongEngineLab, broken, first_wrong
from labkit.widgets.labs.wrong_engines.bench import Visit, Write, backward_passes
from labkit.widgets.labs.wrong_engines.broken import ENGINES, unbroadcast
from labkit.widgets.labs.wrong_engines.plays import lessons, shown
from labkit.widgets.labs.wrong_engines.report import FIXES
from labkit.widgets.labs.wrong_engines.wrong_engines import source

BROKEN = [name for name in ENGINES if name != "right"]


@pytest.fixture(scope="module")
def lab():
    return WrongEngineLab()


def two_paths(x):
    h = x**2
    a = h + 5
    return a * h


# ---- engines and their verdicts ----


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_the_right_engine_finds_the_gradients_of_autograd(lab, lesson):
    run = lab.plays["right", lesson.name].passes[0]
    places = tuple(range(len(lesson.args)))
    args = [np.asarray(a, float) for a in lesson.args]
    for i, expected in enumerate(labkit.grad(lesson.fun, places)(*args)):
        np.testing.assert_allclose(run.result[i], expected)


def test_each_fault_shows_on_the_graph_made_for_it_and_not_on_all(lab):
    table = {key: play.fault.cause for key, play in lab.plays.items() if play.fault}
    assert table == {
        ("recursion", "diamond"): "too early",
        ("visited once", "diamond"): "too early",
        ("overwrite", "diamond"): "overwritten",
        ("overwrite", "used twice"): "overwritten",
        ("no unbroadcast", "bias"): "not unbroadcast",
        **{("not reset", graph): "not reset" for graph in lab.lessons},
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

    first_wrong(kept, two_paths, 2.0)
    assert (nodes["h"], nodes["x"]) == (h, x)


@pytest.mark.parametrize("engine", ["recursion", "visited once"])
def test_plain_recursion_is_wrong_first_where_a_value_is_passed_on_before_all_has_arrived(engine):
    report = first_wrong(ENGINES[engine], two_paths, 2.0)
    assert (report.node, float(report.got), float(report.expected)) == ("h", 4.0, 13.0)
    assert report.code == "parts = node.vjp(node.grad)"
    assert "before all its upstream gradients were accumulated: the contribution from" in report.text.replace("\n", " ")


def test_a_gradient_left_over_is_added(lab):
    once, twice = (passed.result[0] for passed in lab.plays["not reset", "chain"].passes)
    assert (float(once), float(twice)) == (-16.0, -32.0)


def test_the_gradient_of_a_bias_is_the_sum_over_the_batch(lab):
    fault = lab.plays["no unbroadcast", "bias"].fault
    np.testing.assert_allclose(np.sum(fault.wrong.got), fault.wrong.expected)
    assert np.shape(fault.wrong.got) == (3,) and np.shape(fault.wrong.expected) == ()


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
    report, (passed,) = first_wrong(broken.overwrite, fun, *numbers), backward_passes(broken.right, fun, numbers)
    harmless = all(
        np.isclose(sum(float(part) for _, part in got[:-1]), 0, atol=1e-12) for got in passed.bench.parts.values()
    )
    assert bool(report) == harmless


def test_the_first_wrong_node_is_found_by_comparison_not_by_name():
    """A right engine under a broken one's name is right."""
    report = first_wrong(broken.right, two_paths, 2.0)
    assert report and report.cause == "" and "all 5 nodes" not in report.text and "4 nodes" in report.text


# ---- the code shown is the code run ----


@pytest.mark.parametrize("name", list(ENGINES))
def test_the_lines_shown_are_those_of_the_function_that_runs(lab, name):
    code = textwrap.dedent(inspect.getsource(ENGINES[name])).replace(inspect.getdoc(ENGINES[name]), "")
    assert set(lab.data["engines"][name]) <= set(code.splitlines())
    assert f"def {ENGINES[name].__name__}(nodes: Nodes, output: Node) -> None:" in lab.data["engines"][name]


def test_every_line_that_is_lit_ran(lab):
    for play in lab.plays.values():
        numbers = {number for number, _ in source(play.engine)[0]}
        for m in range(len(play.moments)):
            assert {place.number for place in play.places(m)} <= numbers


def test_the_line_at_fault_is_the_one_that_stored_or_passed_on_the_wrong_gradient():
    codes = {name: first_wrong(ENGINES[name], two_paths, 2.0).code for name in ("recursion", "overwrite", "not reset")}
    assert codes == {
        "recursion": "parts = node.vjp(node.grad)",
        "overwrite": "parent.grad = g",
        "not reset": "parent.grad = parent.grad + g",
    }


# ---- what the page shows ----


def run_of(lab, engine, graph):
    return lab.data["runs"][f"{engine} on {graph}"]


def test_the_cards_show_the_gradients_that_the_engine_left(lab):
    for (engine, graph), play in lab.plays.items():
        run = run_of(lab, engine, graph)
        cards = [run["texts"][name] for name in run["moments"][-1]["cards"]]
        assert cards == [shown(value) for value in play.passes[-1].result], (engine, graph)


def test_as_many_cards_are_marked_as_are_wrong_and_none_before_the_first_shows(lab):
    for (engine, graph), play in lab.plays.items():
        run, last = run_of(lab, engine, graph), play.passes[-1]
        close = [np.allclose(got, right) if np.shape(got) == right.shape else False
                 for got, right in zip(last.result, last.bench.gradients, strict=True)]  # fmt: skip
        too_early = play.fault is not None and play.fault.cause == "too early"  # right in the end, and passed on before
        mine = [since for step, _, since, _ in run["wrong"] if step == len(play.passes) - 1]
        assert len(mine) == close.count(False) + too_early, (engine, graph)
        assert run["first"] == play.first == min((since for _, _, since, _ in run["wrong"]), default=None)
        assert bool(run["finding"]) == (play.first is not None)
        if play.fault:
            assert "The first wrong node is" in run["finding"] and FIXES[play.fault.cause] in run["finding"]
            assert "The first wrong node is" not in lab.describe(engine=engine, graph=graph, step=play.first - 1)


@pytest.mark.needs("node")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_page_repeats_with_other_inputs_what_the_engine_does_with_them(lab, engine):
    for graph in ("diamond", "used twice", "chain"):
        for x, w in np.random.default_rng(0).normal(size=(3, 2)):
            state = {"engine": engine, "graph": graph, "inputs": {"x": x, "w": w}}
            found = in_page(lab, "(data, { graph, inputs }, events) => numbersOf(data.graphs[graph], events, inputs)",
                            state, run_of(lab, engine, graph)["events"])  # fmt: skip
            play = lab._at(state)[0]
            assert all(
                found[name] == pytest.approx(float(value)) for name, value in play.numbers.items() if value is not None
            )
            for step in range(len(play.moments)):
                shows = in_page(
                    lab,
                    "(data, state) => [shownOf(data, state).finding, sentenceOf(data, state)]",
                    state | {"step": step},
                )
                said = lab.describe(**state, step=step)[:].split("engine has for it.")[1].replace("\n", " ").strip()
                assert said == " ".join(shows).replace("\n", " ").strip()


@pytest.mark.needs("node")
def test_a_wrong_gradient_that_happens_to_be_right_is_not_marked(lab):
    own = WrongEngineLab(lambda x, w: (x * w) * x, 3.0, 2.0)
    for w, said in ((-1.0, "should be −6."), (0.0, "the gradient of x happens to be right.")):
        found = in_page(own, "shownOf", own.state | {"inputs": {"w": w}})
        assert said in found["finding"] and ("0" in found["wrong"]) == bool(w)


@pytest.mark.needs("node")
def test_the_question_has_the_first_wrong_node_as_its_answer_and_says_which_are_wrong_later(lab):
    for (engine, graph), play in lab.plays.items():
        run = run_of(lab, engine, graph)
        assert run["asked"] == (engine != "right")
        ask = in_page(lab, "questionOf", run, {"engine": engine, "graph": graph})
        wrong = (
            [play.called(one.node) for one in play.wrongs[play.fault.step]] if play.fault else ["none: all are right"]
        )
        assert [ask["answer"], *(name for name, _ in ask["slips"])] == wrong and set(wrong) <= set(ask["choices"])
        assert ask["right"]


def test_at_first_a_wrong_gradient_is_seen_and_each_broken_engine_on_the_graph_that_shows_its_fault(lab):
    assert lab.state == {"engine": "overwrite", "graph": "used twice", "step": 3, "inputs": {}}
    assert "The first wrong node is x: its gradient is 2 and should be 3." in lab.describe()
    for engine in BROKEN:
        assert lab.plays[engine, lab.data["fits"][engine]].fault
    with pytest.raises(ValueError, match="but got 'left' on 'used twice'"):
        lab.describe(engine="left")


def test_where_a_broken_engine_is_right_it_says_why(lab):
    for (name, graph), play in lab.plays.items():
        said = run_of(lab, name, graph)["moments"][-1]["said"]
        assert (said == "Done. Every gradient is right.") == (play.right and name in ("right", "not reset"))


# ---- one's own function, one's own engine ----


def test_your_own_function_is_run_by_all_engines():
    own = WrongEngineLab(lambda x, w: anp.tanh(x * w) + x, 0.5, 2.0)
    verdicts = {name: play.fault.cause if play.fault else "" for (name, _), play in own.plays.items()}
    assert verdicts == dict.fromkeys(ENGINES, "") | {"overwrite": "overwritten", "not reset": "not reset"}
    right = own.plays["right", "<lambda>"].passes[0].result
    np.testing.assert_allclose(right[0], labkit.grad(lambda x, w: anp.tanh(x * w) + x)(0.5, 2.0))


def test_the_parameters_of_a_network_keep_their_gradients():
    layer = nn.Dense(3, 2)
    play = WrongEngineLab(layer, ms.Tensor(np.ones((4, 3)), ms.float32)).plays["not reset", "Dense"]
    assert len(play.passes) == 2 and play.fault.cause == "not reset" and len(play.passes[1].before) == 3


def test_your_own_engine_joins_the_broken_ones():
    own = WrongEngineLab(engine=lambda nodes, output: broken.overwrite(nodes, output))
    assert own.state == {
        "engine": "yours",
        "graph": "diamond",
        "step": own.plays["yours", "diamond"].first,
        "inputs": {},
    }
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

    assert first_wrong(mine, lambda w: (2 * w - 6) ** 2, 1.0).cause in ("not reset", "wrong value")


def walk(nodes, output, *, seed=1.0, order=reversed, store=lambda old, g, value: old + unbroadcast(g, value)):
    """An engine to vary."""
    output.grad = seed
    for node in order(nodes):
        for parent, g in zip(node.parents, node.vjp(node.grad), strict=True):
            parent.grad = store(parent.grad, g, parent.value)


CAUSES = {
    "wrong order": ("too early", {"order": list}, two_paths, "h"),
    "no seed": ("no seed", {"seed": 0.0}, two_paths, "v1"),
    "sign": ("wrong value", {"store": lambda old, g, value: old - g}, two_paths, "a"),
    "no array": ("wrong shape", {"store": lambda old, g, value: "g"}, two_paths, "a"),
    "not stored": ("lost", {"store": lambda old, g, value: old}, two_paths, "a"),
    "only the first": ("lost", {"store": lambda old, g, value: old if np.any(old) else g}, two_paths, "h"),
    "visited again": (
        "wrong value",
        {"order": lambda nodes: [n for n in reversed(nodes) for _ in range(2)]},
        two_paths,
        "a",
    ),
    "never visited": ("lost", {"order": lambda nodes: reversed(nodes[2:])}, two_paths, "x"),
}


@pytest.mark.parametrize("mistake", CAUSES)
def test_causes_are_recognised_by_what_an_engine_does(mistake):
    cause, change, fun, node = CAUSES[mistake]
    report = first_wrong(lambda nodes, output: walk(nodes, output, **change), fun, 2.0)
    assert (report.cause, report.node) == (cause, node), report.text
    assert FIXES[cause] in report.text.replace("\n", " ")


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
    assert report and "called vjp 4 times, where 3 calls are enough" in report.text


def test_further_wrong_nodes_are_named():
    assert "Wrong after it: x." in first_wrong(broken.recursion, two_paths, 2.0).text


# ---- nothing is lost ----


def test_what_an_engine_raises_is_told_with_its_line():
    def mine(nodes, output):
        raise KeyError("loss")

    report = first_wrong(mine, two_paths, 2.0)
    assert not report and report.cause == "raised" and isinstance(report.error, KeyError)
    assert report.code == 'raise KeyError("loss")'


def test_endless_recursion_and_endless_loops_end():
    def deeper(nodes, output):
        return deeper(nodes, output)

    def forever(nodes, output):
        while True:
            output.grad = 1.0

    for engine in (deeper, forever):
        assert first_wrong(engine, two_paths, 2.0).cause == "raised"


def test_a_recursion_that_doubles_at_every_node_is_cut_and_still_found_wrong():
    def ladder(x):
        for _ in range(20):
            x = anp.sin(x) + x
        return x

    report = first_wrong(broken.recursion, ladder, 0.3)
    assert report.cause == "too early" and "stopped after 10,000" in report.text


@pytest.mark.parametrize("answer", [None, [1.0], {"x": 1.0}])
def test_an_answer_of_another_kind_is_told_what_is_expected(answer):
    report = first_wrong(lambda nodes, output: answer, two_paths, 2.0)
    assert report.cause == "raised" and "expected" in report.text


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
        (lambda: WrongEngineLab(engine=3), TypeError, "backward(nodes, output)"),
        (lambda: first_wrong(3, two_paths, 2.0), TypeError, "backward(nodes, output)"),
    ],
)
def test_bad_input_is_told_what_is_expected(call, error, said):
    with pytest.raises(error) as raised:
        call()
    assert said in str(raised.value)


def test_an_exception_of_the_function_is_passed_on_with_a_note():
    with pytest.raises(ZeroDivisionError) as raised:
        first_wrong(broken.right, lambda x: 1 / 0, 2.0)
    assert "in the forward pass" in raised.value.__notes__[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_numbers_that_are_not_finite_do_no_harm(value):
    own = WrongEngineLab(lambda x: anp.exp(x) * x, value)
    assert own.plays["right", "<lambda>"].right
    assert own.describe(engine="overwrite")


# ---- the nodes that engines get ----


def test_what_vjp_sends_has_the_shape_of_the_result_where_a_value_was_repeated():
    shapes = {}

    def look(nodes, output):
        for node in nodes:
            if node.op == "add":
                shapes.update(zip([p.label for p in node.parents], map(np.shape, node.vjp(np.ones(node.value.shape)))))

    first_wrong(look, lambda x, b: anp.sum(x + b), np.ones((4, 3)), np.ones(3))
    assert shapes == {"x": (4, 3), "b": (4, 3)}


def test_every_visit_and_every_change_of_a_gradient_is_noted(lab):
    events = lab.plays["right", "used twice"].passes[0].events
    assert [type(e) for e in events[-5:]] == [Write, Write, Visit, Write, Write]
    assert sum(isinstance(e, Visit) for e in events) == 2
    x, w = (float(e.value) for e in events[-2:])
    assert (x, w) == (3.0, 3.0)
