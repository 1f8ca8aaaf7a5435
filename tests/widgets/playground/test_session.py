"""The playground without a browser: what is typed becomes a function, a graph, words, or an error that says what to do."""

import json
import threading

import pytest

from labkit.cli import main
from labkit.widgets.playground import Session, build
from labkit.widgets.playground.files import presets
from labkit.widgets.playground.reading import NotRead, read

PRESETS = {(preset["name"], preset["dialect"]): preset for preset in presets()}


def ask(source, dialect="numpy", seconds=10.0, **inputs):
    message = {"run": {"source": source, "dialect": dialect, "inputs": inputs}, "seconds": seconds}
    return Session().answer(json.loads(json.dumps(message)))


def titles(answer):
    picture = answer["picture"]
    return {card["title"] for card in picture["data"]["ways"][picture["state"]["opened"]]["cards"]}


# ---- what is typed ----


def test_names_that_are_not_defined_are_inputs_in_their_order():
    assert list(read("tanh(x*w + b)**2", "numpy", {}).inputs) == ["x", "w", "b"]
    assert list(read("h = exp(z)\nimport math\nh * math.pi * scale", "numpy", {}).inputs) == ["z", "scale"]
    assert list(read("def loss(w, x=3.0):\n    return w * x + sum([k for k in range(3)])", "numpy", {}).inputs) == [
        "w",
        "x",
    ]


@pytest.mark.parametrize("source", ["h = (x +\n     w)\n(h * 2\n ) ** 2  # squared", "lambda x, w: (2 * (x + w)) ** 2"])
def test_lines_that_end_in_an_expression_are_a_function(source):
    sketch = read(source, "numpy", {"x": "1", "w": "2"})
    assert sketch.function(*sketch.inputs.values()) == 36.0


@pytest.mark.parametrize("dialect", ["numpy", "mindspore", "torch"])
def test_every_dialect_shows_the_graph_of_the_same_formula(dialect):
    answer = ask("tanh(x*w + b)**2", dialect, x="1.5", w="0.6", b="0.4")
    found = {name: round(float(value), 4) for name, value in answer["gradients"].items()}
    assert found == {"x": 0.2662, "w": 0.6655, "b": 0.4437}
    assert answer["inputs"] == {"x": "1.5", "w": "0.6", "b": "0.4"}
    assert {"tanh", "x", "w", "b"} <= titles(answer)
    assert "gradient agrees" in answer["check"] and "f: backward" in answer["record"]
    assert "def program(" in answer["picture"]["data"]["source"]


def test_an_input_may_be_a_list():
    answer = ask("(w*x - 3)**2", x="[1, 2]", w="0.5")
    assert answer["inputs"]["x"] == "[1.0, 2.0]" and answer["gradients"]["w"] == "-13.0"


def test_a_function_with_defaults_keeps_them():
    assert ask("def f(w, x=np.array([1.0, 2.0])):\n    return (w * x).sum()", w="3")["gradients"]["w"] == "3.0"


@pytest.mark.parametrize(
    ("source", "read", "value"),
    [
        ("2x", "2*x", "3.0"),
        ("h = |x|\nfor i in range(2):\n    h = 2h\nh^2", "h = abs(x)\nfor i in range(2):\n    h = 2*h\nh**2", "36.0"),
        ("f(x) = x² + 1", "def f(x): return x**2 + 1", "3.25"),
        ("(x+1)(x-1)", "(x + 1)*(x - 1)", "1.25"),
        ("ln(x)", "log(x)", "0.4054651081081644"),
        ("what is the derivative of x squared?", "x**2", "2.25"),
    ],
)
def test_a_formula_as_on_paper_is_understood_and_shown_as_python(source, read, value):
    answer = ask(source)
    assert answer["read"] == read and answer["value"] == value and "picture" in answer


def test_python_that_runs_is_never_read_otherwise():
    for source in ("x**2", "sum([x * i for i in range(3)])", "a = 5 ^ 3\nx * a"):
        assert "read" not in ask(source)


# ---- programs: what they differentiate is shown ----


def test_the_graph_of_what_a_program_differentiates_first():
    source = "def net(x, y):\n    return x**2 + y\n\nprint(ms.grad(net)(ms.Tensor(1.0), ms.Tensor(2.0)))"
    answer = ask(source, "mindspore")
    assert answer["printed"] == "2.0\n" and answer["picture"]["data"]["title"] == "The gradient of net, step by step"
    assert answer["gradients"] == {"x": "2.0", "y": "1.0"}


def test_the_tape_that_a_program_walks_back():
    source = "x = torch.tensor(3.0, requires_grad=True)\nz = x**2\nz.backward()\nprint(x.grad)"
    answer = ask(source, "torch")
    assert answer["printed"] == "tensor(6.)\n" and {"x", "pow 2"} <= titles(answer)


def test_numpy_code_that_asks_for_a_gradient():
    assert ask("def f(x):\n    return x**3\n\nprint(labkit.grad(f)(2.0))")["gradients"] == {"x": "12.0"}


@pytest.mark.parametrize("name", ["grad-first-input", "two-outputs", "backward-method", "grad-weights", "create-graph"])
def test_a_documented_case_is_whole_and_has_a_graph(name):
    for dialect in ("mindspore", "torch"):
        if preset := PRESETS.get((name, dialect)):
            answer = ask(preset["source"], dialect)
            assert answer["picture"] and answer["printed"].startswith("{") and "error" not in answer


def test_each_documented_case_shows_a_graph_or_says_why_there_is_none():
    without = set()
    for (name, dialect), preset in PRESETS.items():
        answer = ask(preset["source"], dialect)
        assert "error" not in answer and "labkit_" not in str(answer.get("picture", "")), (name, dialect, answer)
        if "picture" not in answer:
            without.add((name, dialect))
            assert answer["note"].startswith("This code differentiates nothing, so there is no graph. "), (
                name,
                dialect,
            )
    assert without == {
        ("net-forward", "mindspore"), ("grad-neither", "mindspore"), ("clip-by-global-norm", "mindspore"),
        ("clip-by-global-norm", "torch"), ("position-out-of-range", "mindspore"), ("forward-records-nothing", "mindspore"),
        ("clip-and-mean", "mindspore"),
    }  # fmt: skip


def test_a_tape_that_nobody_walks_back_is_shown_also_where_it_has_no_name():
    for source in (
        "x = torch.tensor(2.0, requires_grad=True)\ny = x**2\nprint(y)",
        "def f():\n    x = torch.tensor(2.0, requires_grad=True)\n    return (x**2).item()\n\nprint(f())",
    ):
        answer = ask(source, "torch")
        assert "pow 2" in titles(answer) and answer["printed"].count("\n") == 1


def test_a_way_back_that_is_refused_shows_the_tape_beside_the_error():
    answer = ask("x = torch.ones(2, requires_grad=True)\n(x * 2).backward()", "torch")
    assert (
        "only for scalar outputs" in answer["error"]
        and answer["line"] == 2
        and "of a tensor" in answer["picture"]["data"]["title"]
    )


@pytest.mark.parametrize(
    ("source", "inputs", "gradients"),
    [
        ("y = x**2", {"x": "1.5"}, {"x": "3.0"}),
        ("for i in range(3):\n    x = x * w\nprint(x)", {"x": "1.5", "w": "0.6"}, {"x": "0.216", "w": "1.62"}),
        ("s = 0\nfor x in [1, 2]:\n    s += x * w", {"w": "1.5"}, {"w": "3.0"}),
        ("[x * k for k in range(3)][2]", {"x": "1.5"}, {"x": "2.0"}),
        ("def f(x):\n    return x**2\n\nf(3)", {"x": "3.0"}, {"x": "6.0"}),
        ("x = 2\ny = x**2", {"x": "2.0"}, {"x": "4.0"}),
        ("w = -2; x = [1, 2]\nsum(w * x^2)", {"w": "-2.0", "x": "[1.0, 2.0]"}, {"w": "5.0"}),
        ("f = lambda x: x**2", {"x": "1.5"}, {"x": "3.0"}),
        ("pi * r**2", {"pi": "3.141592653589793", "r": "0.6"}, {"pi": "0.36", "r": "3.76991"}),
    ],
)
def test_what_a_newcomer_types_is_taken_as_it_is_meant(source, inputs, gradients):
    answer = ask(source)
    assert answer["inputs"] == inputs
    found = {name: round(float(value), 5) for name, value in answer["gradients"].items() if value[0] != "["}
    assert found == {name: float(value) for name, value in gradients.items()}


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()",
        "import torch.nn.functional as F, torch.nn\nx = torch.ones(2, requires_grad=True)\nF.relu(x).sum()",
        "from mindspore import grad, Tensor\ngrad(lambda x: x**2)(Tensor(3.0))",
        "import mindspore as ms\nfrom mindspore import ops\nms.grad(ops.sin)(ms.Tensor(3.0))",
    ],
)
def test_the_frameworks_are_imported_by_their_own_names(source):
    assert ask(source)["picture"]


def test_a_long_print_is_cut_and_says_so():
    answer = ask("for i in range(10000): print(i)")
    assert len(answer["printed"]) < 21_000 and answer["printed"].endswith("the page does not show the rest.")


def test_code_that_differentiates_nothing_says_what_would_have_a_graph():
    answer = ask("print(1 + 1)")
    assert answer["printed"] == "2\n" and "differentiates nothing" in answer["note"] and "picture" not in answer


# ---- what goes wrong ----


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("", None, "Type an expression"),
        ("x**2 + (", 1, "SyntaxError: '(' was never closed"),
        ("sin(x) +* 3", 1, "Python cannot read the code from here on: * 3"),
        ("y = x\ny.nothing", 2, "has no .nothing"),
        ("f = 1\nf / 0", 2, "ZeroDivisionError: division by zero"),
        ("pip install torch", 1, "This page cannot install packages"),
        ("how does backpropagation work", 1, "This page reads formulas and Python, not sentences"),
        ("∫ x dx", 1, "but no integrals and no limits"),
        ("x!", 1, "This page has no factorial"),
        ("x +", 1, "The line ends where a number or a name should follow."),
        ("x^2 = 4", 1, "This page solves no equations: type one side"),
        ("return x**2", 1, "Write return inside a function"),
        ("def f(x):\n    x**2", None, "Write return before the result."),
        ("np.sinn(x)", 1, "Did you mean 'sin'"),
        ("import math\nmath.sin(x)", 2, "math computes with plain numbers"),
        ("cot(x)", None, "There is no function 'cot'. Write 1/tan(x)."),
        ("SIN(x)", None, "There is no function 'SIN'. Write sin(x)."),
        ("softmax(x)", None, "Choose MindSpore or PyTorch above, which has it."),
        ("torch.sin(x)", None, "torch belongs to PyTorch: choose it above."),
        ("math.sin(x)", None, "math computes with plain numbers"),
        ("raise EOFError('input')", 1, "A running program cannot read from the keyboard here."),
        ("import pandas_of_somebody", 1, "This page has Python's standard library, NumPy, labkit"),
        ("x @ w", 1, "Enter a list, such as [1, 2], to make it an array."),
        ("tahn(x)", None, "There is no function 'tahn'. Did you mean 'tan'"),
        ("raise SystemExit(3)", 1, "SystemExit: 3"),
        ("x * y", None, "y: expected a number or a list of numbers, such as -2.5 or [1, 2], but got 'much'"),
    ],
)
def test_an_error_says_what_was_expected_and_where(source, line, said):
    answer = ask(source, y="much")
    assert said in answer["error"] and answer.get("line") == line and "picture" not in answer


def test_an_unknown_dialect_is_refused():
    with pytest.raises(NotRead, match="expected numpy, mindspore, torch, but got 'jax'"):
        read("x", "jax", {})


def test_a_loop_without_end_is_left():
    for source in ("while True: pass\nx", "def f(x):\n    while True:\n        x = x + 1"):
        assert "more than 0.2 s" in ask(source, seconds=0.2)["error"]


def test_after_an_error_the_next_question_is_answered():
    session = Session()
    assert "error" in session.answer({"run": {"source": "1 +"}})
    assert session.answer({"run": {"source": "x**2", "inputs": {"x": "3"}}})["value"] == "9.0"


@pytest.mark.parametrize("source", ["log(x)", "x / 0 * 0", "exp(1000 * x)"])
def test_what_is_no_number_can_be_sent_all_the_same(source):
    json.dumps(ask(source, x="-1" if "log" in source else "1"), allow_nan=False)


def test_a_long_run_has_blocks_and_ways_to_unfold_them():
    data = ask("def f(x, w):\n    for _ in range(60):\n        x = np.tanh(x * w + 0.1)\n    return x")["picture"][
        "data"
    ]
    opens = {card.get("opens") for way in data["ways"].values() for card in way["cards"]}
    assert len(opens & set(data["ways"])) > 1


def test_it_answers_in_a_thread_as_well():
    answers = []
    thread = threading.Thread(target=lambda: answers.append(ask("x**2", x="3")))
    thread.start()
    thread.join()
    assert answers[0]["gradients"] == {"x": "6.0"}


# ---- the files ----


def test_the_page_is_whole(tmp_path):
    page = build(tmp_path / "playground", "../python").read_text(encoding="utf-8")
    assert 'data-runtime="../python"' in page and "{" not in page and "<nav>" not in page
    files = {path.name for path in (tmp_path / "playground").iterdir()}
    assert files == {
        "index.html",
        "playground.js",
        "playground.css",
        "worker.js",
        "player.js",
        "player.css",
        "framing.js",
        "presets.json",
        "first.json",
    }
    offered = json.loads((tmp_path / "playground/presets.json").read_text(encoding="utf-8"))
    assert {preset["dialect"] for preset in offered} == {"numpy", "mindspore", "torch"}
    for preset in offered:
        compile(preset["source"], preset["name"], "exec")


def test_the_command_lays_the_page_and_its_python(tmp_path, monkeypatch, capsys):
    laid = []
    monkeypatch.setattr("labkit.live.lay", lambda folder, sources, packages: laid.append((folder, sources, packages)))
    assert main(["playground", str(tmp_path / "site"), "--pyodide", str(tmp_path)]) == 0
    runtime = tmp_path / "site" / "runtime"
    assert laid == [(runtime, [tmp_path], ("numpy", "traitlets"))]
    assert (tmp_path / "site/playground/index.html").is_file() and "http.server" in capsys.readouterr().out


def test_the_command_says_which_file_is_missing(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["playground", str(tmp_path / "site"), "--pyodide", str(tmp_path / "empty")]) == 2
    assert "there is no pyodide.mjs" in capsys.readouterr().err
