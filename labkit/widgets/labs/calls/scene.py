"""A call of MindSpore's `grad`, put together by clicks, and the structure that comes back, which follows."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, only, rect, text
from .equal import STYLES, Equals
from .nested import Failure, places, skeleton
from .options import NAMES, Options
from .pair import TOP, Pair
from .run import FUNCTIONS, Call, CallResult, Setting
from .words import in_short, question

PACE = 1900.0  # ms of an example
CALL = ("function", "position", "weights", "has_aux")
EQUAL = (*CALL, "torch")
SHOW = "show"
HIDDEN, SHOWN = {SHOW: [0]}, {SHOW: [1]}


class CallBuilder(Picture):
    """`ms.grad` and `ms.value_and_grad` with every `grad_position`, `weights` and `has_aux`, each call really made.

    The arguments are chosen in the picture. Without arguments on the network of MindSpore's guide: weights 2 3 4, input 1 2 3,
    label 19, outputs loss and logits. Else `net` is a Cell or function of the MindSpore dialect and `args` its inputs;
    `outputs` names its outputs; `torch_net` is the same network in PyTorch, for the equal call. Dials: "example" (calls of
    which each changes one argument of the one before), "show" (0: what comes back is to be predicted), "function",
    "position", "weights", "has_aux", "torch". Raises TypeError for what is not a function and its inputs.

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
        codes = [(equal.code, when) for equal, when in places(EQUAL, self.equals) if equal]
        written = list(options.panels(self._goal(dials), codes))
        return Scene(
            "Build a call of grad: what comes back?",
            f"A call of ms.grad or ms.value_and_grad on {asked}, as code, and the structure that it returns: boxes in boxes.",
            dials,
            [*written, self._result(dials)],
            self._captions(),
            options.links(),
            grips=list(options.grips([panel.name for panel in written])),
        )

    def _result(self, dials):
        sizes = {dial.name: len(dial.values) for dial in dials if dial.name in EQUAL}
        marks, width, height = Pair(self.outcomes, self.equals, sizes).marks()
        hidden = [rect(2, TOP, width - 4, 140, "area", 9), text(width / 2, TOP + 76, "?", "heading", "middle")]
        return Panel("result", "What comes back", width, height, [*only(SHOWN, marks), *only(HIDDEN, hidden)])

    def _dials(self):
        s, back, examples = self.setting, {SHOW: 0}, self._examples()
        steps, told = list(range(len(examples))), [self._changed(*pair) for pair in zip([None, *examples], examples)]
        puts = [*(call._asdict() for call in examples), {}]
        names = {
            "function": [f"ms.{name}" for name in FUNCTIONS],
            "position": [code for code, _ in s.positions],
            "weights": [label for label, _, _ in s.weights],
            "has_aux": ["False", "True"],
        }
        dials = [
            Dial("example", "Example", [*told, "yours"], plays=steps, stops=steps, pace=PACE, puts=puts, resets=back,
                 rests=steps[-1]),
            Dial(SHOW, "What comes back", ["to be predicted", "told"], "told", start=1, asks={1: self._asks()}),
            *(Dial(name, NAMES.get(name, name), values, "inside", puts[0][name], resets=back) for name, values in names.items()),
        ]  # fmt: skip
        torch = Dial(
            "torch",
            "Beside it",
            (*(f"in PyTorch: {style}" for style in STYLES), "nothing"),
            "choice",
            len(STYLES),
        )
        return [*dials, torch] if self.equals else dials

    def _examples(self) -> list[Call]:
        """Calls of which each changes one argument of the one before, and the structure, too."""
        s = self.setting
        every = next(
            (i for i, (_, position) in enumerate(s.positions) if isinstance(position, tuple) and len(position) > 1), 0
        )
        last = min(len(s.weights) - 1, 2)
        found = [Call(0, 0, 0, int(len(s.outputs) > 1))]
        for name, i in (
            ("position", every),
            ("weights", last),
            ("weights", min(last, 1)),
            ("has_aux", 0),
            ("function", 1),
        ):
            call = found[-1]._replace(**{name: i})
            if self._kind(call) not in (None, self._kind(found[-1])):
                found.append(call)
        return found

    def _changed(self, before: Call | None, call: Call) -> str:
        """What a call changes of the one before, as code."""
        name = next((name for name in CALL if before and getattr(before, name) != getattr(call, name)), "position")
        code = self.setting.codes(name)[getattr(call, name)]
        return code if name == "function" else f"{NAMES.get(name, name)}={code}"

    def _kind(self, call: Call) -> str | None:
        """The structure that a call returns; None where it fails."""
        result = self.outcomes[call].result
        return None if isinstance(result, Failure) else skeleton(result)

    def _goal(self, dials) -> Mark:
        """A structure to look for: one that few calls return, and no example."""
        shown = {self._kind(call) for call in self._examples()}
        kinds = Counter(kind for call in self.outcomes if (kind := self._kind(call)))
        among = [kind for kind in kinds if kind not in shown] or list(kinds)
        goal = min(among, key=lambda kind: (kinds[kind], abs(len(kind) - 8)))
        sizes = {dial.name: len(dial.values) for dial in dials if dial.name in (SHOW, *CALL)}
        here = [bool(show) and self._kind(Call(*call)) == goal for show, *call in product(*map(range, sizes.values()))]
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
            *only(SHOWN, [Caption(SHOW, [(0, words)], when) for words, when in said]),
        ]


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
