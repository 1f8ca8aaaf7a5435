"""The call builder shows what the dialects really return, for every call that it can write."""

import numpy as np
import pytest
from javascript import call as in_node

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets.kit.module import module
from labkit.widgets.kit.words import in_full
from labkit.widgets.labs.calls import CallBuilder
from labkit.widgets.labs.calls.call import Call, Failure, leaves_of
from labkit.widgets.labs.calls.calls import CALL, documented


@pytest.fixture(scope="module")
def lab():
    return CallBuilder()


CALLS = [Call(f, p, w, a) for f in range(2) for p in range(6) for w in range(5) for a in range(2)]


def data_of(lab, call):
    return lab.data["calls"][" ".join(map(str, call))]


def made(code, **names):
    """What the shown code gives when it is run."""
    exec(code, names)
    return names


def agrees(shown, value):
    """Whether a result is drawn as what it is: its tuples, and the numbers of its tensors."""
    if isinstance(shown, dict):
        assert shown["kind"] == type(value).__name__ and len(shown["parts"]) == len(value)
        return all(agrees(*pair) for pair in zip(shown["parts"], value, strict=True))
    return shown[1] == in_full(value.asnumpy() if hasattr(value, "asnumpy") else value.numpy())


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_what_is_shown_is_what_the_shown_code_returns(lab, call):
    net, x, y = network(ms)
    shown = data_of(lab, call)["result"]
    try:
        result = made(lab.code(**call._asdict()), ms=ms, net=net, x=x, y=y)["result"]
    except Exception as error:
        assert (shown["error"], shown["message"]) == (type(error).__name__, " ".join(str(error).split()))
        return
    assert agrees(shown, result)


@pytest.mark.parametrize("style", [0, 1])
@pytest.mark.parametrize("call", CALLS[::7] + CALLS[3:60:5], ids=str)
def test_the_equal_call_in_pytorch_gives_what_is_shown_and_the_same_gradients(lab, call, style):
    equal = lab.data["equals"][style][" ".join(map(str, call[1:]))]
    if isinstance(lab.outcomes[call].result, Failure):
        assert equal is None
        return
    net, x, y = documented()[3], torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor(19.0)
    names = made("\n".join(equal["code"]), torch=torch, net=net, x=x, y=y)
    if style == 0:
        assert agrees(equal["result"], names["result"])
        ours = {leaf.name: leaf.value for leaf in leaves_of(lab.outcomes[call].gradients)}
        assert {name: value for name, value, *_ in equal["result"]["parts"]} == ours
        return
    for name, value, *_ in equal["result"]["parts"]:
        grad = eval(name, names)
        assert value == ("None" if grad is None else in_full(grad.numpy()))


def test_structures_are_those_of_the_documents(lab):
    rows = {
        ("0", 0): "dx", ("1", 0): "dy", ("(0, 1)", 0): "(dx, dy)", ("None", 2): "(dweight,)",
        ("0", 2): "(dx, (dweight,))", ("(0, 1)", 2): "((dx, dy), (dweight,))", ("(0,)", 0): "dx", ("0", 1): "(dx, dweight)",
    }  # fmt: skip
    for (position, weights), gradients in rows.items():
        state = {"position": position, "weights": weights}
        assert lab.structure(**state, has_aux=0) == gradients
        assert lab.structure(**state, has_aux=1) == f"({gradients}, (logits,))"
        assert lab.structure(**state, function="ms.value_and_grad") == f"((loss, logits), {gradients})"
    assert lab.structure(position="None", weights="None") == "ValueError"
    assert lab.structure(position="2") == "RuntimeError"


def test_every_call_has_a_sentence_with_its_structure(lab):
    for call in CALLS:
        said = data_of(lab, call)["said"]
        assert lab.structure(**call._asdict()) in said
        assert " ".join(lab.describe(**call._asdict()).splitlines()).endswith(said)


@pytest.mark.needs("node")
def test_every_call_has_one_question_with_the_right_answer_among_its_choices(lab):
    script = module(CallBuilder.path).replace("export default", "const lab =")
    code = f"(data, calls) => {{ {script}\nreturn calls.map((call) => questionOf(data, call)); }}"
    asked = in_node(code, lab.data, [call._asdict() for call in CALLS])
    for call, ask in zip(CALLS, asked, strict=True):
        structure = lab.structure(**call._asdict())
        assert ask["answer"] == ("an error" if structure.endswith("Error") else structure)
        assert ask["answer"] in ask["choices"] and len(set(ask["choices"])) == len(ask["choices"]) > 2
        slips = dict(ask["slips"])
        assert ask["answer"] not in slips and set(ask["choices"]) - {ask["answer"]} <= set(slips) | {"an error"}
        if call == Call(0, 2, 0, 0):
            assert "like an int" in slips["(dx,)"]


@pytest.mark.parametrize("call", CALLS[::3], ids=str)
def test_a_gradient_says_from_which_outputs_it_comes(lab, call):
    net, x, y = network(ms)
    gradients, shares = lab.outcomes[call].gradients, {}
    for i in range(2):
        of = ms.grad(lambda *args, i=i: net(*args)[i], (0, 1), net.trainable_params())(x, y)
        for name, share in zip(("dx", "dy", "dweight"), (*of[0], *of[1]), strict=True):
            shares.setdefault(name, []).append(in_full(share.asnumpy()))
    for leaf in leaves_of(gradients) if gradients else ():
        loss, logits = shares[leaf.name]
        assert leaf.source == ("of loss alone" if call.has_aux else f"= {loss} of loss + {logits} of logits")


def test_the_structure_that_is_looked_for_is_returned_by_some_call_and_not_by_the_first(lab):
    returned = [lab.structure(**call._asdict()) for call in CALLS]
    assert lab.data["goal"] in returned and lab.data["goal"] != lab.structure()


def test_a_network_of_ones_own():
    net = ms.nn.Dense(2, 3)
    lab = CallBuilder(net, ms.Tensor(np.ones((4, 2)), ms.float32))
    assert lab.structure(weights="a list") == "(dx, (dweight, dbias))"
    assert lab.structure(has_aux=1) == "ValueError"
    assert "needs a second output" in lab.describe(has_aux=1)
    assert lab.data["equals"] == []


def test_a_function_without_parameters_has_no_weights_to_choose():
    def product(a, b):
        return a * b

    lab = CallBuilder(product, ms.Tensor(2.0), ms.Tensor(3.0), outputs=["c"])
    assert lab.structure(function=1, position="(0, 1)") == "(c, (da, db))"
    assert lab.choices["weights"] == ["None"]


def test_a_torch_network_keeps_its_grad():
    net, args, outputs, torch_net = documented()
    torch_net.fc.weight.grad = torch.tensor([[7.0, 7.0, 7.0]])
    CallBuilder(net, *args, outputs=outputs, torch_net=torch_net)
    assert torch_net.fc.weight.grad.tolist() == [[7.0, 7.0, 7.0]]


def test_a_state_that_there_is_not_is_named(lab):
    for wrong in ({"position": "7"}, {"weights": 9}, {"compared": 3}):
        with pytest.raises(ValueError, match="expected one of"):
            lab.state = wrong
    assert set(lab.state) == {*CALL, "compared"} and "<svg" in lab.svg("dark", position="(0, 1)")


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
