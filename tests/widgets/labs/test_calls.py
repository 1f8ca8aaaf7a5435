"""The call builder shows what the dialects really return, for every call that it can write."""

import json
import re

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets.kit.motion import point_on
from labkit.widgets.kit.scene import holds, looks, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.words import in_full
from labkit.widgets.labs.calls.nested import Failure
from labkit.widgets.labs.calls.run import Call
from labkit.widgets.labs.calls.scene import CALL, CallBuilder, documented


@pytest.fixture(scope="module")
def picture():
    return CallBuilder()


CALLS = [Call(f, p, w, a) for f in range(2) for p in range(6) for w in range(5) for a in range(2)]


def state_of(picture, call, **more):
    return picture.scene.state(**dict(zip(CALL, call, strict=True)), **more)


def panels(picture, state, kind):
    return [p for p in picture.scene.panels if p.name.startswith(kind) and holds(p.when, state)]


def texts(panel, state, *roles):
    return [
        (at, said)
        for mark, at, said, _ in visible_marks(panel, state)
        if mark.tag == "text" and said and mark.role in roles
    ]


def code_of(panel, state):
    return "\n".join(said for _, said in texts(panel, state, "code"))


def boxes(panel, state):
    """`{path: words on the same line and the next}` of the boxes in a panel."""
    paths = [(at["y"], said) for at, said in texts(panel, state, "tick")]
    every = texts(panel, state, "plain", "name", "value", "note")
    return {path: [said for at, said in every if y <= at["y"] <= y + 20] for y, path in paths}


def made(code, **names):
    """What the shown code gives when it is run."""
    exec(code, names)
    return names


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_what_is_shown_is_what_the_shown_code_returns(picture, call):
    state = state_of(picture, call)
    net, x, y = network(ms)
    code = code_of(*panels(picture, state, "call"), state)
    (panel,) = panels(picture, state, "result")
    try:
        result = made(code, ms=ms, net=net, x=x, y=y)["result"]
    except Exception as error:
        said = " ".join(said for _, said in texts(panel, state, "name", "plain"))
        assert said == f"{type(error).__name__} {' '.join(str(error).split())}"
        return
    tensors = 0
    for path, words in boxes(panel, state).items():
        value = eval(path, {"result": result})
        if isinstance(value, tuple):
            assert words[0] == f"tuple of {len(value)}"
        else:
            tensors += 1
            shape = ", ".join(map(str, value.shape))
            assert in_full(value.asnumpy()) in words and f"shape [{shape}], {value.dtype}" in words
    assert tensors == len(re.findall(r"Tensor\(", repr(result)))


@pytest.mark.parametrize("style", [0, 1])
@pytest.mark.parametrize("call", CALLS[::7] + CALLS[3:60:5], ids=str)
def test_the_equal_call_in_pytorch_gives_what_is_shown_and_the_same_gradients(picture, call, style):
    state = state_of(picture, call, torch=style)
    (panel,) = panels(picture, state, "torch")
    if isinstance(picture.outcomes[call].result, Failure):
        assert [said for _, said in texts(panel, state, "note")] == ["Nothing to compare: the call fails."]
        return
    net, x, y = documented()[3], torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor(19.0)
    names = made(code_of(panel, state), torch=torch, net=net, x=x, y=y)
    gradients = {
        words[1]: words[2] for words in boxes(*panels(picture, state, "result"), state).values() if len(words) > 2
    }
    if style == 0:
        for path, words in boxes(panel, state).items():
            value = eval(path, names)
            if isinstance(value, tuple):
                assert words[0] == f"tuple of {len(value)}"
            else:
                assert words[2] == in_full(value.numpy()) == gradients[words[1]]
        return
    named = [said for _, said in texts(panel, state, "name")]
    values = [said for _, said in texts(panel, state, "value")]
    for name, value in zip(named, values, strict=True):
        grad = eval(name, names)
        assert value == ("None" if grad is None else in_full(grad.numpy()))


def test_structures_are_those_of_the_documents(picture):
    rows = {
        ("0", 0): "dx", ("1", 0): "dy", ("(0, 1)", 0): "(dx, dy)", ("None", 2): "(dweight,)",
        ("0", 2): "(dx, (dweight,))", ("(0, 1)", 2): "((dx, dy), (dweight,))", ("(0,)", 0): "dx", ("0", 1): "(dx, dweight)",
    }  # fmt: skip
    for (position, weights), gradients in rows.items():
        dials = {"position": position, "weights": weights}
        assert picture.structure(**dials, has_aux=0) == gradients
        assert picture.structure(**dials, has_aux=1) == f"({gradients}, (logits,))"
        assert picture.structure(**dials, function="ms.value_and_grad") == f"((loss, logits), {gradients})"
    assert picture.structure(position="None", weights="None") == "ValueError"
    assert picture.structure(position="2") == "RuntimeError"


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_call_has_one_question_with_the_right_answer_among_its_choices(picture, call):
    state = state_of(picture, call)
    show = next(dial for dial in picture.scene.dials if dial.name == "show")
    (ask,) = [ask for ask in show.asks[1] if holds(ask.when, state)]
    structure = picture.structure(**dict(zip(CALL, call, strict=True)))
    assert ask.answer == ("an error" if structure.endswith("Error") else structure)
    assert ask.answer in ask.choices and len(set(ask.choices)) == len(ask.choices) > 2
    assert ask.answer not in dict(ask.slips)
    assert set(ask.choices) - {ask.answer} <= set(dict(ask.slips)) | {"an error"}


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_call_has_a_sentence_and_hides_the_result_until_it_is_shown(picture, call):
    structure = picture.structure(**dict(zip(CALL, call, strict=True)))
    assert structure in picture.scene.caption(state_of(picture, call))
    hidden = state_of(picture, call, show=0)
    assert picture.scene.caption(hidden).endswith("What structure comes back?")
    assert not panels(picture, hidden, "result")


def test_pytorch_beside_it_stays_and_shows_its_values_last(picture):
    torch_dial = next(dial for dial in picture.scene.dials if dial.name == "torch")
    assert not torch_dial.when
    seen = [panels(picture, picture.scene.state(show=show, torch=0), "torch") for show in range(3)]
    assert seen[0] == seen[1] == seen[2]
    values = [
        texts(*found, picture.scene.state(show=show, torch=0), "name", "value") for show, found in enumerate(seen)
    ]
    assert not values[0] and not values[1] and values[2]


def test_it_plays_the_call_then_the_structure_then_the_values(picture):
    assert picture.plays_at_once and not picture.scene.predict


def test_turning_the_call_while_predicting_hides_the_result(picture):
    for dial in picture.scene.dials:
        if dial.name in CALL:
            assert dial.resets == {"show": 0} and dial.kind == "inside"


def test_a_click_or_a_drag_takes_each_value_of_each_argument(picture):
    for dial in (d for d in picture.scene.dials if d.name in CALL):
        (grip,) = [g for g in picture.scene.grips if g.dial == dial.name]
        (frame,) = [m for m in picture.scene.panels[0].marks if m.role == "before" and dial.name in m.vary]
        for position, spot in enumerate(grip.spots):
            assert picture.scene.links[f"{dial.name} {position}"].go == {dial.name: position}
            at = looks(frame, picture.scene.state(**{dial.name: position}))[0]
            assert at["x"] < spot[0] < at["x"] + at["width"] and at["y"] < spot[1] < at["y"] + at["height"]


def test_the_structure_that_is_looked_for_is_found_by_the_calls_that_return_it(picture):
    goal = picture.scene.panels[0].marks[-1]
    for call in CALLS:
        for show in range(3):
            words = looks(goal, state_of(picture, call, show=show))[1]
            structure = words.split("returns ")[1][:-1]
            found = show > 0 and picture.structure(**dict(zip(CALL, call, strict=True))) == structure
            assert words.startswith("Found" if found else "Can you find")


def test_each_piece_travels_into_the_box_that_it_names(picture):
    for panel in picture.scene.panels:
        words = [mark for mark in panel.tokens if mark.tag == "text"]
        names = [m for m in panel.marks if m.role == "name" and panel.name.startswith("result") and panel.tokens]
        assert [mark.text for mark in words] == [m.text for m in names]
        for token, name in zip(words, names, strict=True):
            (move,) = token.moves
            assert point_on(move.path, move.end)[1] == pytest.approx(name.at["y"] - 3, abs=1)
            state = {"show": 1, **dict.fromkeys(name.when, 0)}
            assert looks(name, state)[2] == "hidden" and looks(name, {**state, "show": 2})[2] == ""


def test_a_tuple_of_one_position_is_a_known_slip(picture):
    show = next(dial for dial in picture.scene.dials if dial.name == "show")
    (ask,) = [ask for ask in show.asks[1] if holds(ask.when, picture.scene.state(position="(0,)", has_aux=0))]
    assert "treated like an int" in dict(ask.slips)["(dx,)"]


def test_a_network_of_ones_own():
    net = ms.nn.Dense(2, 3)
    picture = CallBuilder(net, ms.Tensor(np.ones((4, 2)), ms.float32))
    assert picture.structure(weights="a list") == "(dx, (dweight, dbias))"
    assert picture.structure(has_aux=1) == "ValueError"
    assert "needs a second output" in picture.describe(has_aux=1)
    assert "torch" not in [dial.name for dial in picture.scene.dials]


def test_a_function_without_parameters_has_no_weights_to_choose():
    def product(a, b):
        return a * b

    picture = CallBuilder(product, ms.Tensor(2.0), ms.Tensor(3.0), outputs=["c"])
    assert picture.structure(function=1, position="(0, 1)") == "(c, (da, db))"
    assert next(d for d in picture.scene.dials if d.name == "weights").values == ["None"]


def test_a_torch_network_keeps_its_grad():
    net, args, outputs, torch_net = documented()
    torch_net.fc.weight.grad = torch.tensor([[7.0, 7.0, 7.0]])
    CallBuilder(net, *args, outputs=outputs, torch_net=torch_net)
    assert torch_net.fc.weight.grad.tolist() == [[7.0, 7.0, 7.0]]


def test_the_scene_is_plain_data(picture):
    assert len(json.dumps(to_json(picture.scene), allow_nan=False)) < 580_000


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: CallBuilder(3, ms.Tensor(1.0)), TypeError, "expected a Cell or function and its inputs"),
        (lambda: CallBuilder(lambda x: x), TypeError, "no inputs"),
        (lambda: CallBuilder(lambda x: (x, x), ms.Tensor(1.0), outputs=["a"]), ValueError, "expected 2 names"),
        (lambda: CallBuilder(lambda x: 1 / 0, ms.Tensor(1.0)), ZeroDivisionError, "division"),
    ],
)
def test_bad_input_is_answered_clearly(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
