"""A call of MindSpore's `grad`, put together by clicks, and the structure that it returns."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from ....messages.wrapping import Prose
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from .equal import STYLES, Equals
from .run import Call, CallResult, Setting
from .tree import Failure, plain, skeleton
from .words import confusions, sentence

CALL = ("function", "position", "weights", "has_aux")
ABOUT = "A call of ms.grad or ms.value_and_grad on {call}, as code, and the structure that it returns: nested boxes."
WIDTH, LINE = 820, 20


class CallBuilder(Lab):
    """`ms.grad` and `ms.value_and_grad` with every `grad_position`, `weights` and `has_aux`, each call really made.

    The arguments are chosen in the picture. Without arguments on the network of MindSpore's guide: weights 2 3 4, input 1 2 3,
    label 19, outputs loss and logits. Else `net` is a Cell or function of the MindSpore dialect and `args` its inputs;
    `outputs` names its outputs; `torch_net` is the same network in PyTorch, for the equal call.

    Traits: `function`, `position`, `weights`, `has_aux`, the places of the chosen values among those that `choices` lists, and
    `beside` (0: nothing, 1 and 2: PyTorch's calls). Raises TypeError for what is not a function and its inputs.

    >>> lab = CallBuilder()
    >>> lab.structure(position="(0, 1)", weights="a list", has_aux=1)
    '(((dx, dy), (dweight,)), (logits,))'
    """

    path = Path(__file__).with_name("calls.js")
    state_names = (*CALL, "beside")
    words: ClassVar = {}
    _esm = module(path)
    _css = style()
    function: Trait = traits.Int(default_value=0).tag(sync=True)
    position: Trait = traits.Int(default_value=0).tag(sync=True)
    weights: Trait = traits.Int(default_value=0).tag(sync=True)
    has_aux: Trait = traits.Int(default_value=0).tag(sync=True)
    beside: Trait = traits.Int(default_value=0).tag(sync=True)

    def __init__(
        self, net: Callable | None = None, *args: Any, outputs: Sequence[str] = (), torch_net: Callable | None = None
    ):
        if net is None:
            net, args, outputs, torch_net = documented()
        self.setting = setting = Setting(net, args, outputs)
        self.choices = {name: setting.codes(name) for name in CALL}
        self.outcomes = {call: setting.run(call) for call in setting.calls()}
        self.equals = {} if torch_net is None else Equals(setting, torch_net).of_all(self.outcomes)
        self.call = f"{setting.name}({', '.join(setting.inputs)})"
        super().__init__(
            "Build a call of grad: what does it return?", self._data(), has_aux=int(len(setting.outputs) > 1)
        )

    def _data(self):
        setting, calls = self.setting, {}
        for call, outcome in self.outcomes.items():
            calls[" ".join(map(str, call))] = {
                "result": plain(outcome.result), "structure": self._structure(call), "said": sentence(setting, call, outcome),
                "slips": confusions(setting, call, outcome),
            }  # fmt: skip
        equals = [
            {" ".join(map(str, call[1:])): self._equal(call, i) for call in self.outcomes if not call.function}
            for i in range(len(STYLES) if self.equals else 0)
        ]
        return {
            "about": ABOUT.format(call=self.call), "call": self.call, "name": setting.name,
            "parameters": bool(setting.parameters),
            "choices": self.choices, "calls": calls, "equals": equals, "styles": STYLES, "goal": self._goal(),
            "given": setting.given(),
        }  # fmt: skip

    def _equal(self, call, i):
        equal = self.equals[(*call, i)]
        return equal and {"code": equal.code, "result": plain(equal.result), "said": equal.sentence}

    def _structure(self, call):
        result = self.outcomes[call].result
        return result.kind if isinstance(result, Failure) else skeleton(result)

    def _goal(self) -> str:
        """A structure to look for: one that few calls return, and not the first."""
        shown = self._structure(Call(0, 0, 0, int(len(self.setting.outputs) > 1)))
        kinds = Counter(self._structure(call) for call, found in self.outcomes.items() if found.gradients)
        among = [kind for kind in kinds if kind != shown] or list(kinds)
        return min(among, key=lambda kind: (kinds[kind], abs(len(kind) - 8)))

    def structure(self, **state: int | str) -> str:
        """What the call returns, in Python's notation; or the type of the error that it raises. `state`: other arguments."""
        return self._structure(self._call(self.state_with(**state)))

    def outcome(self, **state: int | str) -> CallResult:
        """What the call gave. `state`: other arguments."""
        return self.outcomes[self._call(self.state_with(**state))]

    def _call(self, at):
        return Call(*(at[name] for name in CALL))

    def state_with(self, **state: Any) -> dict[str, Any]:
        """The state, with other places or values of some arguments. Raises KeyError or ValueError where there are none."""
        at = super().state_with(**state)
        known = {**self.choices, "beside": ("nothing", *STYLES)[: 1 + len(STYLES) * bool(self.equals)]}
        labels = {"weights": [label for label, _, _ in self.setting.weights]}
        for name, values in known.items():
            for named in (values, labels.get(name, ())):
                at[name] = list(named).index(at[name]) if at[name] in named else at[name]
            if not isinstance(at[name], int) or not 0 <= at[name] < len(values):
                raise ValueError(f"{name}: expected one of {', '.join(values)}, or its place, but got {at[name]!r}")
        return at

    def code(self, **state: int | str) -> str:
        """The call as code."""
        at, setting = self.state_with(**state), self.setting
        chosen = {name: values[at[name]] for name, values in self.choices.items()}
        first = f"params = {setting.name}.trainable_params()\n" if setting.parameters else ""
        return (
            f"{first}result = {chosen['function']}({setting.name},\n    grad_position={chosen['position']},\n"
            f"    weights={chosen['weights']},\n    has_aux={chosen['has_aux']},\n)({', '.join(setting.inputs)})"
        )

    def describe(self, **state: Any) -> str:
        """The picture in words: what it shows and what the call returns. `state`: other values of some traits."""
        call = self._call(self.state_with(**state))
        return Prose("\n".join((self.title, self.data["about"], sentence(self.setting, call, self.outcomes[call]))))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The call as code and what it returns, as plain SVG. `state`: other values of some traits."""
        lines, structure = self.code(**state).splitlines(), self.structure(**state)
        sketch = Sketch(theme, WIDTH, LINE * (len(lines) + 3), structure)
        for i, line in enumerate(lines):
            sketch.text(16 + 8 * (len(line) - len(line.lstrip())), LINE * (i + 2), line.lstrip(), "ink", "start")
        sketch.text(16, LINE * (len(lines) + 2), f"result is {structure}", "backward-ink", "start")
        return str(sketch)


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
