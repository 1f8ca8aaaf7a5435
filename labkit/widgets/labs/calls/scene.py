"""A call of MindSpore's `grad`, put together by dials: predict the structure that comes back, then see it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, only, rect, text, width_of
from .equal import STYLES, Equals
from .nested import Branch, Failure, Tree, drawn, failed, fitted, places, skeleton
from .run import FUNCTIONS, Call, CallResult, Setting, leaf
from .words import question, sentence

WIDTH, LINE = 390.0, 18.0
CALL = ("function", "position", "weights", "has_aux")
EQUAL = (*CALL, "torch")
HIDDEN, SHOWN = {"show": [0]}, {"show": [1]}


class CallBuilder(Picture):
    """`ms.grad` and `ms.value_and_grad` with every `grad_position`, `weights` and `has_aux`, each call really made.

    Without arguments on the network of MindSpore's guide: weights 2 3 4, input 1 2 3, label 19, outputs loss and logits.
    Else `net` is a Cell or function of the MindSpore dialect and `args` its inputs; `outputs` names its outputs;
    `torch_net` is the same network in PyTorch, for the equal call. Dials: "function", "position", "weights", "has_aux",
    "show", "torch". Raises TypeError for what is not a function and its inputs.

    >>> picture = CallBuilder()
    >>> picture.structure(position="(0, 1)", weights="a list", has_aux=1)
    '(((dx, dy), (dweight,)), (logits,))'
    """

    def __init__(
        self, net: Callable | None = None, *args: Any, outputs: Sequence[str] = (), torch_net: Callable | None = None
    ):
        if net is None:
            net, args, outputs, torch_net = documented()
        self.setting = Setting(net, args, outputs)
        self.outcomes = {call: self.setting.run(call) for call in self.setting.calls()}
        self.equals = {} if torch_net is None else Equals(self.setting, torch_net).of_all(self.outcomes)
        super().__init__(self._scene_of_calls())

    def structure(self, **dials: int | str) -> str:
        """What the call at these dials returns, in Python's notation; or the type of the error that it raises."""
        result = self._outcome(dials).result
        return result.kind if isinstance(result, Failure) else skeleton(result)

    def _outcome(self, dials) -> CallResult:
        state = self.scene.state(**dials)
        return self.outcomes[Call(*(state[name] for name in CALL))]

    # ---- the scene ----

    def _scene_of_calls(self):
        asked = f"{self.setting.name}({', '.join(self.setting.inputs)})"
        return Scene(
            "Build a call of grad: what comes back?",
            f"A call of ms.grad or ms.value_and_grad on {asked}, as code, and the structure that it returns: boxes in boxes.",
            self._dials(),
            [self._call_panel(), self._question_panel(), *only(SHOWN, [*self._results(), *self._equals()])],
            self._captions(),
            predict=True,
        )

    def _dials(self):
        s, back = self.setting, {"show": 0}
        dials = [
            Dial("function", "Function", [f"ms.{name}" for name in FUNCTIONS], "choice", resets=back),
            Dial("position", "grad_position", [code for code, _ in s.positions], "choice", resets=back),
            Dial("weights", "weights", [label for label, _, _ in s.weights], "choice", resets=back),
            Dial("has_aux", "has_aux", ["False", "True"], "choice", int(len(s.outputs) > 1), resets=back),
            Dial("show", "Show what comes back", ["the call", "the result"], "toggle", start=1, asks={1: self._asks()}),
        ]
        return [*dials, Dial("torch", "In PyTorch", STYLES, "choice", when=SHOWN)] if self.equals else dials

    def _asks(self):
        cells = {call: question(self.setting, self.outcomes, call) for call in self.outcomes}
        return [
            Ask("What comes back?", answer, because, slips, choices, when=when)
            for (answer, because, slips, choices), when in places(CALL, cells)
        ]

    def _captions(self):
        hidden = "The call is written. What structure comes back? Predict it, then show it."
        said = places(CALL, {call: sentence(self.setting, call, outcome) for call, outcome in self.outcomes.items()})
        said += places(EQUAL, {call: equal.sentence if equal else "" for call, equal in self.equals.items()})
        return [
            Caption("show", [(0, hidden)], HIDDEN),
            *only(SHOWN, [Caption("show", [(1, words)], when) for words, when in said]),
        ]

    # ---- panels ----

    def _call_panel(self):
        """The call, a line per argument, and what it works on."""
        s = self.setting
        by_dial = [("function", FUNCTIONS), ("position", s.positions), ("weights", s.weights), ("has_aux", (0, 1))]
        start = next(iter(self.outcomes))
        lines = [text(10, 22 + LINE * i, line, "code") for i, line in enumerate(s.code(start))]
        for (dial, values), row in zip(by_dial, (0, 2, 3, 4), strict=True):
            said = [s.code(start._replace(**{dial: i}))[row] for i in range(len(values))]
            lines[row] = text(10, 22 + LINE * row, "", "code").following(dial, text=said)
        height, given = 22 + LINE * 6, self._setting_words()
        notes = [
            text(10, height + 14 + LINE * i, fitted(said, WIDTH - 20, 11.5), "note") for i, said in enumerate(given)
        ]
        longest = max((line for call in self.outcomes for line in s.code(call)), key=len)
        width = max(WIDTH, 24 + width_of(longest, 12, True))
        box = rect(1, 1, width - 2, height - 6, "area")
        return Panel("call", "The call", width, height + LINE * len(notes) + 8, [box, *lines, *notes])

    def _setting_words(self):
        """What goes in and what the network itself gives, in words."""
        s = self.setting
        given = [*zip(s.inputs, s.args, strict=True), *((p.name, p) for p in s.parameters[:4])]
        values = [f"{name} = {leaf(name, '', value, '').value}" for name, value in given]
        more = [f"and {len(s.parameters) - 4} more parameters"] if len(s.parameters) > 4 else []
        outputs = s.output if isinstance(s.output, tuple) else (s.output,)
        shown = ", ".join(leaf("", "", value, "").value for value in outputs)
        names = ", ".join(s.outputs)
        return [*values, *more, f"{s.name}({', '.join(s.inputs)}) returns {names} = {shown}"]

    def _question_panel(self):
        marks = [rect(1, 1, WIDTH - 2, 58, "chip"), text(WIDTH / 2, 35, "?", "heading", "middle")]
        return Panel("hidden", "What comes back", WIDTH, 60, marks, HIDDEN)

    def _results(self) -> Iterator[Panel]:
        results = places(CALL, {call: outcome.result for call, outcome in self.outcomes.items()})
        for i, (result, when) in enumerate(results):
            marks, height = _result_marks(result, "result")
            said = "an error" if isinstance(result, Failure) else skeleton(result)
            title = f"What comes back: {said}"
            title = title if width_of(title, 13) <= WIDTH else "What comes back"
            yield Panel(f"result{i}", title, WIDTH, height, marks, when)

    def _equals(self) -> Iterator[Panel]:
        """The equal calls in PyTorch, with what they give."""
        for i, (equal, when) in enumerate(places(EQUAL, self.equals)):
            marks, height = [text(10, 20, "Nothing to compare: the call fails.", "note")], 30.0
            if equal:
                top = 14 + LINE * len(equal.code)
                flat = isinstance(equal.result, Branch) and equal.result.kind in ("tuple", "list")
                found, height = _result_marks(equal.result, "result" if flat else "", top + 6)
                code = [text(10, 20 + LINE * k, line, "code") for k, line in enumerate(equal.code)]
                marks = [rect(1, 1, WIDTH - 2, top - 2, "area"), *code, *found]
            yield Panel(f"torch{i}", "The equal call in PyTorch", WIDTH, height, marks, when)


def _result_marks(result: Tree | Failure, path: str, y: float = 2.0) -> tuple[list[Mark], float]:
    """The marks of a result, and where they end."""
    if isinstance(result, Failure):
        return failed(result, WIDTH, y)
    marks, height = drawn(result, WIDTH - 4, path, 2, y)
    return marks, y + height + 2


def documented() -> tuple[Any, tuple[Any, ...], tuple[str, ...], Any]:
    """The network of MindSpore's guide, its inputs, the names of its outputs, and the same network in PyTorch."""
    from .... import mindspore as ms
    from .... import torch
    from ....data import network

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(3, 1, bias=False)
            self.fc.weight.data = torch.tensor([[2.0, 3.0, 4.0]])

        def forward(self, x, y):
            logits = self.fc(x).squeeze()
            return torch.nn.functional.mse_loss(logits, y), logits

    net, x, y = network(ms)
    return net, (x, y), ("loss", "logits"), Net()
