"""The call builder shows what the dialects really return, for every call that it can write."""

import json
import re

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets.kit.scene import holds, looks, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.words import in_full
from labkit.widgets.labs.calls.nested import Failure, leaves_of
from labkit.widgets.labs.calls.options import LEFT
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
    """The code that is seen, without the values that are not taken."""
    seen = [
        (at["y"], at["x"], said)
        for mark, at, said, look in visible_marks(panel, state)
        if mark.role == "code" and look != "dim"
    ]
    lines = []
    for _, x, said in sorted(seen):
        if x == LEFT:
            lines.append(said)
        else:
            lines[-1] += said
    return "\n".join(lines)


def boxes(panel, state):
    """`{path: words on the same line and the next}` of the boxes in a panel."""
    paths = [(at["y"], said) for at, said in texts(panel, state, "tick") if said.startswith("result")]
    every = texts(panel, state, "plain", "name", "value", "note")
    return {path: [said for at, said in every if y <= at["y"] <= y + 20] for y, path in paths}


def halves(panel, state):
    """`(name, value)` of the boxes of a call, and of those of its equal beside it."""
    named = [(at, said) for at, said in texts(panel, state, "name") if said != "PyTorch"]
    pairs = sorted(
        (at["x"] > 230, at["y"], said, value)
        for (at, said), (_, value) in zip(named, texts(panel, state, "value"), strict=True)
    )
    return [[(name, value) for right, _, name, value in pairs if right == half] for half in (False, True)]


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
            assert in_full(value.asnumpy()) in words
    assert tensors == len(re.findall(r"Tensor\(", repr(result)))


@pytest.mark.parametrize("style", [0, 1])
@pytest.mark.parametrize("call", CALLS[::7] + CALLS[3:60:5], ids=str)
def test_the_equal_call_in_pytorch_gives_what_is_shown_and_the_same_gradients(picture, call, style):
    state = state_of(picture, call, torch=style)
    (written,), (panel,) = panels(picture, state, "both"), panels(picture, state, "result")
    lines = code_of(written, state).split("\n)(x, y)\n")[1:]
    if isinstance(picture.outcomes[call].result, Failure):
        assert not lines and "PyTorch" not in [said for _, said in texts(panel, state, "name")]
        return
    net, x, y = documented()[3], torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor(19.0)
    names = made(*lines, torch=torch, net=net, x=x, y=y)
    ours, theirs = [dict(found) for found in halves(panel, state)]
    if style == 0:
        assert list(theirs.values()) == [in_full(value.numpy()) for value in names["result"]]
        assert theirs == {name: value for name, value in ours.items() if name in theirs}
        heads = [(at["x"], said) for at, said in texts(panel, state, "plain") if said.startswith("tuple")]
        assert max(heads)[1] == f"tuple of {len(names['result'])}"
        return
    for name, value in theirs.items():
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
    (panel,) = panels(picture, hidden, "result")
    assert [said for _, _, said, _ in visible_marks(panel, hidden) if said] == ["?"]


def test_pytorch_beside_it_stays_and_shows_its_values_when_they_are_told(picture):
    torch_dial = next(dial for dial in picture.scene.dials if dial.name == "torch")
    assert not torch_dial.when
    states = [picture.scene.state(show=show, torch=0) for show in range(2)]
    assert all(panels(picture, state, "both") for state in states)
    values = [texts(*panels(picture, state, "result"), state, "name", "value") for state in states]
    assert not values[0] and values[1]


def test_pytorch_beside_it_takes_no_room_from_the_call_and_what_is_nested_there_alone_is_tinted(picture):
    call = Call(1, 3, 2, 0)
    states = [state_of(picture, call, torch=style) for style in range(3)]
    assert len({p.width for state in states for p in picture.scene.panels if holds(p.when, state)}) == 2
    (panel,) = panels(picture, states[0], "result")
    lit = [at for _, at, _, look in visible_marks(panel, states[0]) if look == "lit"]
    assert len(lit) == 4
    threads = [[mark for mark, *_ in visible_marks(panel, state) if mark.tag == "path"] for state in states]
    assert [len(found) for found in threads] == [3, 3, 0]
    assert {mark.link for mark in threads[0]} == {f"leaf gradient for {name}" for name in ("x", "y", "fc.weight")}


def test_a_value_lights_up_what_it_asks_for(picture):
    links = picture.scene.links
    assert links["position 3"].lights == ["leaf gradient for x", "leaf gradient for y"]
    assert links["weights 2"].lights == ["leaf gradient for fc.weight"] and not links["weights 0"].lights
    assert (
        "position 3" in links["leaf gradient for x"].lights and "position 1" not in links["leaf gradient for x"].lights
    )


def test_what_comes_back_is_there_at_once_and_goes_through_calls_that_change_one_argument(picture):
    example, show = picture.scene.dials[:2]
    assert picture.plays_at_once and not picture.scene.predict and show.kind == "told" and show.start == 1
    calls = [Call(*(put[name] for name in CALL)) for put in example.puts[:-1]]
    assert state_of(picture, calls[0]) == picture.scene.start()
    for k in example.plays[1:]:
        assert sum(a != b for a, b in zip(calls[k - 1], calls[k], strict=True)) == 1
        assert picture.structure(example=k) != picture.structure(example=k - 1)
    assert state_of(picture, calls[2])["example"] == 2
    yours = picture.scene.state(position="2")
    assert (
        yours["example"] == len(example.values) - 1 and picture.scene.turning(yours, {"position": "0"})["example"] == 0
    )


@pytest.mark.parametrize("call", CALLS[::3], ids=str)
def test_a_gradient_says_from_which_outputs_it_comes(picture, call):
    net, x, y = network(ms)
    gradients, shares = picture.outcomes[call].gradients, {}
    for i in range(2):
        of = ms.grad(lambda *args, i=i: net(*args)[i], (0, 1), net.trainable_params())(x, y)
        for name, share in zip(("dx", "dy", "dweight"), (*of[0], *of[1]), strict=True):
            shares.setdefault(name, []).append(in_full(share.asnumpy()))
    for leaf in leaves_of(gradients) if gradients else ():
        loss, logits = shares[leaf.name]
        assert leaf.source == ("of loss alone" if call.has_aux else f"= {loss} of loss + {logits} of logits")


def test_a_value_that_is_there_before_and_after_goes_to_its_new_place(picture):
    (panel,) = panels(picture, picture.scene.start(), "result")
    before, after = state_of(picture, Call(0, 0, 0, 0)), state_of(picture, Call(1, 3, 2, 0))
    for role, count in (("back", 1), ("op", 0)):
        frames = [mark for mark in panel.marks if mark.role == role and mark.tag == "rect"]
        there = [mark for mark in frames if "hidden" not in (looks(mark, before)[2], looks(mark, after)[2])]
        assert len(there) == count and all(looks(m, before)[0]["y"] != looks(m, after)[0]["y"] for m in there)


def test_turning_the_call_while_predicting_hides_the_result(picture):
    for dial in picture.scene.dials:
        if dial.name in CALL:
            assert dial.resets == {"show": 0} and dial.kind == "inside"


def test_a_click_or_a_drag_takes_each_value_of_each_argument(picture):
    for dial in (d for d in picture.scene.dials if d.name in CALL):
        grip, other = [g for g in picture.scene.grips if g.dial == dial.name]
        assert grip.spots == other.spots
        (frame,) = [m for m in picture.scene.panels[0].marks if m.role == "taken" and dial.name in m.vary]
        for position, spot in enumerate(grip.spots):
            assert picture.scene.links[f"{dial.name} {position}"].go == {dial.name: position}
            at = looks(frame, picture.scene.state(**{dial.name: position}))[0]
            assert at["x"] < spot[0] < at["x"] + at["width"] and at["y"] < spot[1] < at["y"] + at["height"]


def test_the_structure_that_is_looked_for_is_found_by_the_calls_that_return_it(picture):
    goal = picture.scene.panels[0].marks[-1]
    for call in CALLS:
        for show in range(2):
            words = looks(goal, state_of(picture, call, show=show))[1]
            structure = words.split("returns ")[1][:-1]
            found = show > 0 and picture.structure(**dict(zip(CALL, call, strict=True))) == structure
            assert words.startswith("Found" if found else "Can you find")


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
