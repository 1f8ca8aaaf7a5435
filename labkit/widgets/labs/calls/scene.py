"""A call of MindSpore's `grad`, put together by dials: predict the structure that comes back, then see it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, only, rect, text, width_of
from .equal import STYLES, Equals
from .nested import Branch, Failure, Tree, drawn, failed, places, skeleton
from .options import Options
from .pieces import SHOW, VALUES, with_pieces
from .run import FUNCTIONS, Call, CallResult, Setting
from .words import in_short, question

WIDTH, USUAL, LINE = 384.0, 208.0, 18.0  # px: of a result, how high it usually is, and of a line of code
CALL = ("function", "position", "weights", "has_aux")
EQUAL = (*CALL, "torch")
STEPS = ("the call", "the structure", "the values")
HIDDEN, SHOWN, LAST = {SHOW: [0]}, {SHOW: [1, VALUES]}, {SHOW: [VALUES]}


class CallBuilder(Picture):
    """`ms.grad` and `ms.value_and_grad` with every `grad_position`, `weights` and `has_aux`, each call really made.

    The arguments are chosen in the picture. Without arguments on the network of MindSpore's guide: weights 2 3 4, input 1 2 3,
    label 19, outputs loss and logits. Else `net` is a Cell or function of the MindSpore dialect and `args` its inputs;
    `outputs` names its outputs; `torch_net` is the same network in PyTorch, for the equal call. Dials: "function", "position",
    "weights", "has_aux", "show" (the call, the structure that comes back, its values), "torch", "argument" (whose values
    are seen). Raises TypeError for what is not a function and its inputs.

    >>> picture = CallBuilder()
    >>> picture.structure(position="(0, 1)", weights="a list", has_aux=1)
    '(((dx, dy), (dweight,)), (logits,))'
    """

    plays_at_once = True

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
        asked, dials = f"{self.setting.name}({', '.join(self.setting.inputs)})", self._dials()
        options = Options(self.setting, {dial.name: dial.values for dial in dials if dial.name in CALL})
        goal = self._goal(dials)
        dials.append(options.dial())
        results = [*only(SHOWN, self._results()), *self._equals()]
        return Scene(
            "Build a call of grad: what comes back?",
            f"A call of ms.grad or ms.value_and_grad on {asked}, as code, and the structure that it returns: boxes in boxes.",
            dials,
            [options.panel(goal), self._question_panel(), *results],
            self._captions(),
            options.links(),
            grips=list(options.grips()),
        )

    def _dials(self):
        s, back = self.setting, {SHOW: 0}
        dials = [
            Dial(SHOW, "Show", STEPS, start=VALUES, asks={1: self._asks()}),
            Dial("function", "Function", [f"ms.{name}" for name in FUNCTIONS], "inside", resets=back),
            Dial("position", "grad_position", [code for code, _ in s.positions], "inside", resets=back),
            Dial("weights", "weights", [label for label, _, _ in s.weights], "inside", resets=back),
            Dial("has_aux", "has_aux", ["False", "True"], "inside", int(len(s.outputs) > 1), resets=back),
        ]
        torch = Dial(
            "torch",
            "Beside it",
            (*(f"in PyTorch: {style}" for style in STYLES), "nothing"),
            "choice",
            len(STYLES),
        )
        return [*dials, torch] if self.equals else dials

    def _goal(self, dials) -> Mark:
        """A structure to look for: one that few calls return, and not the first."""
        found = {
            call: outcome.result for call, outcome in self.outcomes.items() if not isinstance(outcome.result, Failure)
        }
        kinds = Counter(map(skeleton, found.values()))
        goal = min(kinds, key=lambda kind: (kinds[kind], abs(len(kind) - 8)))
        sizes = {dial.name: len(dial.values) for dial in dials if dial.name != "torch"}
        here = [
            bool(show) and Call(*call) in found and skeleton(found[Call(*call)]) == goal
            for show, *call in product(*map(range, sizes.values()))
        ]
        said = [
            f"{'Found' if yes else 'Can you find'} the call that returns {goal}{'.' if yes else '?'}" for yes in here
        ]
        return text(10, 0, "", "name").following(sizes, text=said)

    def _asks(self):
        cells = {call: question(self.setting, self.outcomes, call) for call in self.outcomes}
        return [
            Ask("What comes back?", answer, because, slips, choices, when=when)
            for (answer, because, slips, choices), when in places(CALL, cells)
        ]

    def _captions(self):
        hidden = "The call is written. What structure comes back?"
        said = places(CALL, {call: in_short(self.setting, call, outcome) for call, outcome in self.outcomes.items()})
        return [
            Caption(SHOW, [(0, hidden)], HIDDEN),
            *only(SHOWN, [Caption(SHOW, [(1, words)], when) for words, when in said]),
        ]

    # ---- panels ----

    def _question_panel(self):
        """As high as most results, so that nothing is moved when one takes its place."""
        marks = [rect(1, 1, WIDTH - 2, USUAL - 2, "chip"), text(WIDTH / 2, USUAL / 2 + 5, "?", "heading", "middle")]
        return Panel("hidden", "What comes back", WIDTH, USUAL, marks, HIDDEN)

    def _results(self) -> Iterator[Panel]:
        results = places(CALL, {call: outcome.result for call, outcome in self.outcomes.items()})
        for i, (result, when) in enumerate(results):
            panel = Panel(f"result{i}", "", WIDTH, *_result_marks(result, "result")[::-1], when)
            said = "an error" if isinstance(result, Failure) else skeleton(result)
            title = f"What comes back: {said}"
            title = title if width_of(title, 13) <= WIDTH else "What comes back"
            yield with_pieces(replace(panel, title=title), result)

    def _equals(self) -> Iterator[Panel]:
        """The equal calls in PyTorch, and below each, once values are shown, what it gives."""
        for i, (equal, when) in enumerate(places(EQUAL, self.equals)):
            marks, height = [text(10, 20, "Nothing to compare: the call fails.", "note")], 30.0
            if equal:
                top = 14 + LINE * len(equal.code)
                flat = isinstance(equal.result, Branch) and equal.result.kind in ("tuple", "list")
                found, height = _result_marks(equal.result, "result" if flat else "", top + 6)
                code = [text(10, 20 + LINE * k, line, "code") for k, line in enumerate(equal.code)]
                marks = [rect(1, 1, WIDTH - 2, top - 2, "area"), *code, *only(LAST, found)]
            title = equal.sentence.replace("PyTorch:", "In PyTorch:") if equal else "The equal call in PyTorch"
            yield Panel(f"torch{i}", title, WIDTH, height, marks, when)


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
