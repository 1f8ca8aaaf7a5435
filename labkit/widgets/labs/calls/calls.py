"""A call of MindSpore's `grad`, put together by clicks, the structure that it returns, and the PyTorch call that equals it.

Both calls are made for real; the sentences about the structure are read from the result.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ....messages.wrapping import Prose
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from .call import (
    FUNCTIONS,
    Branch,
    Call,
    CallResult,
    Failure,
    Leaf,
    Setting,
    Tree,
    flat,
    leaf,
    leaves_of,
    plain,
    short_names,
    skeleton,
)

STYLES = ("torch.autograd.grad", "backward() and .grad")


@dataclass(frozen=True)
class Equal:
    """A call as lines of code, what it gives, and what is different there, in a sentence."""

    code: tuple[str, ...]
    result: Tree | Failure
    sentence: str


class Equals:
    """The same network, `torch_net`, on the same inputs as a MindSpore `setting`: the first style returns the gradients
    asked for, the second adds to the `.grad` of every leaf."""

    def __init__(self, setting: Setting, torch_net: Callable):
        self.setting, self.net = setting, torch_net
        self.parameters = list(torch_net.named_parameters()) if hasattr(torch_net, "named_parameters") else []

    def of_all(self, outcomes: Mapping[Call, CallResult]) -> dict[tuple[int, ...], Equal | None]:
        """`{(*call, style): the equal call}`; None where MindSpore's call fails."""
        found: dict[tuple[int, ...], Equal | None] = {}
        for call, outcome in outcomes.items():
            for k in range(len(STYLES)):
                found[(*call, k)] = None if isinstance(outcome.result, Failure) else self._equal(call, k)
        return found

    def _equal(self, call, style):
        result = self.run(call, style)
        return Equal(tuple(self.code(call, style)), result, self.sentence(call, style, result))

    def code(self, call: Call, style: int) -> list[str]:
        """The call as code."""
        s = self.setting
        asked = [s.inputs[i] for i in s.asked(call)]
        one = call.has_aux or len(s.outputs) == 1
        what = s.outputs[0] if one else f"({', '.join(s.outputs)})"
        lines = ["; ".join(f"{name}.requires_grad_()" for name in asked)] if asked else []
        lines.append(f"{', '.join(s.outputs)} = {s.name}({', '.join(s.inputs)})")
        if style == 1:
            return [*lines, f"{what}.backward()" if one else f"torch.autograd.backward({what})"]
        return [*lines, "result = torch.autograd.grad(", f"    {what}, {self._wanted(call, asked)})"]

    def _wanted(self, call, asked):
        every = [f"*{self.setting.name}.parameters()"] if call.weights > 1 else []
        one = [f"{self.setting.name}.{self.parameters[0][0]}"] if call.weights == 1 else []
        wanted = [*asked, *one, *every]
        return wanted[0] if len(wanted) == 1 and not every else f"[{', '.join(wanted)}]"

    def run(self, call: Call, style: int) -> Tree | Failure:
        """Make the call on new tensors; what it raises is its outcome. The `.grad` of parameters stays as it was."""
        from .... import torch

        asked = self.setting.asked(call)
        chosen = self.parameters[:1] if call.weights == 1 else self.parameters if call.weights else []
        with _grads_kept([p for _, p in self.parameters]):
            try:
                inputs = [torch.tensor(a.asnumpy() if hasattr(a, "asnumpy") else a) for a in self.setting.args]
                for i in asked:
                    inputs[i].requires_grad_()
                outputs = flat(self.net(*inputs))
                outputs = outputs[:1] if call.has_aux else outputs
                if style == 1:
                    torch.autograd.backward(outputs)
                    return self._grads(inputs)
                found = torch.autograd.grad(outputs, [inputs[i] for i in asked] + [p for _, p in chosen])
            except Exception as error:
                return Failure(type(error).__name__, " ".join(str(error).split()), "Raised when it is called.")
        names = [self.setting.inputs[i] for i in asked] + [name for name, _ in chosen]
        short = short_names([name for name, _ in self.parameters])
        parts = [leaf(f"d{short.get(n, n)}", f"gradient for {n}", g, "back") for n, g in zip(names, found, strict=True)]
        return Branch(type(found).__name__, tuple(parts))

    def sentence(self, call: Call, style: int, result: Tree | Failure) -> str:
        """What PyTorch does differently."""
        if isinstance(result, Failure):
            return ""
        if style == 0:
            return WORDS["flat tuple"]
        filled = [leaf.name for leaf in leaves_of(result)[len(self.setting.inputs) :] if leaf.role == "back"]
        return WORDS["adds more" if filled and not call.weights else "adds"].format(extra=", ".join(filled))

    def _grads(self, inputs):
        named = [(name, name, t) for name, t in zip(self.setting.inputs, inputs, strict=True)]
        named += [(f"{self.setting.name}.{name}", name, p) for name, p in self.parameters]
        parts = tuple(
            leaf(f"{path}.grad", f"gradient for {name}", t.grad, "back" if t.grad is not None else "area")
            for path, name, t in named
        )
        return Branch(WORDS["returns none"], parts)


@contextmanager
def _grads_kept(parameters):
    before = [p.grad for p in parameters]
    try:
        for p in parameters:
            p.grad = None
        yield
    finally:
        for p, grad in zip(parameters, before, strict=True):
            p.grad = grad


WORDS = {
    "compare": "Compare with",
    "nothing": "nothing",
    "click": "Click a value: the result follows",
    "results": "What the call returns",
    "find": "Can you find the call that returns {goal}?",
    "found": "Found the call that returns {goal}.",
    "ask": "What does it return?",
    "hidden": "The call is written. Which structure does it return?",
    "error": "an error",
    "look": "Not that. Look at what it asks for: is anything named, and is it there?",
    "other": "That is what it returns with {code}.",
    "returns": "It returns {structure}.",
    "values first": "The outputs come first, then the gradients.",
    "bare": "grad_position={position}: the {gradient}, not in a tuple.",
    "tuple of one": "MindSpore treats a tuple of one position like an int: its gradient is not in a tuple.",
    "positions": "grad_position={position}: a {kind} of gradients, in that order.",
    "one weight": "weights is one parameter: its gradient is not in a tuple.",
    "weights": "weights is a container of parameters: their gradients come as a {kind}, even for one.",
    "both": "Both are asked for: a pair, inputs first, then weights.",
    "all outputs": "has_aux=False: MindSpore differentiates the sum of all outputs, {outputs}.",
    "aux tuple": "has_aux=True: MindSpore differentiates only {first}; the tuple ({rest}) is returned as it is.",
    "aux": "has_aux=True: MindSpore differentiates only {first}; {rest} is returned as it is.",
    "selects nothing": "It selects nothing: neither an input nor a parameter.",
    "counts": "Positions count from 0: the last input, {name}, is {last}.",
    "one output": "has_aux=True needs a second output, but there is only one.",
    "runs": "It runs: nothing is missing and nothing is out of range.",
    "flat": "PyTorch returns such a flat tuple. In MindSpore, inputs, weights and outputs keep their own tuples.",
    "flat tuple": "One flat tuple, whatever was asked for. Outputs are not in it.",
    "adds": "backward() adds to the .grad of every leaf that requires a gradient.",
    "adds more": "backward() adds to the .grad of every leaf that requires a gradient: {extra} too, though not asked for.",
    "returns none": "It returns None. But now:",
    "which": "{name}: expected one of {values}, or its place, but got {got!r}",
}


def sentence(setting: Setting, call: Call, outcome: CallResult) -> str:
    """What came back, and the one or two reasons that explain most."""
    if isinstance(outcome.result, Failure):
        return f"{outcome.result.kind}. {_why(setting, call)}".strip()
    arranged = [*_gradients(setting, call, outcome.gradients)]
    why, telling = [words for words, _ in arranged], [words for words, tells in arranged if tells]
    if FUNCTIONS[call.function] == "value_and_grad":
        telling.append(WORDS["values first"])
    elif len(setting.outputs) > 1:
        telling.append(_outputs(setting, call))
    said = [WORDS["returns"].format(structure=skeleton(outcome.result)), (telling or why)[0], (telling or why[:1])[-1]]
    return " ".join(dict.fromkeys(said))


def _gradients(setting, call, gradients):
    """How the gradients are arranged: sentences, and whether each tells more than others."""
    position, asked = setting.positions[call.position], setting.asked(call)
    both = bool(asked) and call.weights > 0
    inputs, weights = gradients.parts if both else (gradients, gradients)
    if asked and isinstance(inputs, Leaf):
        yield WORDS["bare"].format(position=position[0], gradient=inputs.what), False
        if isinstance(position[1], tuple) and len(asked) == 1:
            yield WORDS["tuple of one"], True
    elif asked:
        yield WORDS["positions"].format(position=position[0], kind=inputs.kind), False
    if call.weights:
        bare = isinstance(weights, Leaf)
        yield WORDS["one weight"] if bare else WORDS["weights"].format(kind=weights.kind), not bare
    if both:
        yield WORDS["both"], True


def _outputs(setting, call):
    first, *rest = setting.outputs
    if not call.has_aux:
        return WORDS["all outputs"].format(outputs=" + ".join(setting.outputs))
    kind = "aux tuple" if FUNCTIONS[call.function] == "grad" else "aux"
    return WORDS[kind].format(first=first, rest=", ".join(rest) + "," * (kind == "aux tuple" and len(rest) == 1))


def _why(setting, call):
    """Why a call fails, where the call itself shows it."""
    position = setting.positions[call.position][1]
    if position is None and not call.weights:
        return WORDS["selects nothing"]
    if any(p >= len(setting.inputs) for p in setting.asked(call)):
        last = len(setting.inputs) - 1
        return WORDS["counts"].format(name=setting.inputs[last], last=last)
    if call.has_aux and len(setting.outputs) == 1:
        return WORDS["one output"]
    return ""


def confusions(setting: Setting, call: Call, outcome: CallResult) -> list[tuple[str, str]]:
    """Structures that a likely confusion gives, with what to say of each: a tuple of one position, a flat result."""
    if isinstance(outcome.result, Failure):
        return []
    return [pair for pair in _confusions(setting, call, outcome) if pair[0] != skeleton(outcome.result)]


def _confusions(setting, call, outcome):
    result, gradients = outcome.result, outcome.gradients
    asked, position = setting.asked(call), setting.positions[call.position][1]
    if isinstance(position, tuple) and len(asked) == 1:
        inputs = gradients.parts[0] if call.weights else gradients
        wrapped = _with_part(result, inputs, Branch("tuple", (inputs,)))
        yield skeleton(wrapped), WORDS["tuple of one"]
    yield WORDS["error"], WORDS["runs"]
    flat = Branch("tuple", leaves_of(result))
    if isinstance(result, Branch) and len(flat.parts) > 1:
        yield skeleton(flat), WORDS["flat"]


def _with_part(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree is old:
        return new
    if isinstance(tree, Leaf):
        return tree
    return Branch(tree.kind, tuple(_with_part(part, old, new) for part in tree.parts))


CALL = ("function", "position", "weights", "has_aux")
ABOUT = "A call of ms.grad or ms.value_and_grad on {call}, as code, and the structure that it returns: nested boxes."
WIDTH, LINE = 820, 20


class CallBuilder(Lab):
    """`ms.grad` and `ms.value_and_grad` with every `grad_position`, `weights` and `has_aux`, each call really made.

    The arguments are chosen in the picture. Without arguments on the network of MindSpore's guide: weights 2 3 4, input 1 2 3,
    label 19, outputs loss and logits. Else `net` is a Cell or function of the MindSpore dialect and `args` its inputs;
    `outputs` names its outputs; `torch_net` is the same network in PyTorch, for the equal call.

    Traits: `function`, `position`, `weights`, `has_aux`, the places of the chosen values among those that `choices` lists, and
    `compared` (0: nothing, 1 and 2: PyTorch's calls). Raises TypeError for what is not a function and its inputs.

    >>> lab = CallBuilder()
    >>> lab.structure(position="(0, 1)", weights="a list", has_aux=1)
    '(((dx, dy), (dweight,)), (logits,))'
    """

    path = Path(__file__).with_name("calls.js")
    state_names = (*CALL, "compared")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    function: Trait = traits.Int(default_value=0).tag(sync=True)
    position: Trait = traits.Int(default_value=0).tag(sync=True)
    weights: Trait = traits.Int(default_value=0).tag(sync=True)
    has_aux: Trait = traits.Int(default_value=0).tag(sync=True)
    compared: Trait = traits.Int(default_value=0).tag(sync=True)

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
        known = {**self.choices, "compared": ("nothing", *STYLES)[: 1 + len(STYLES) * bool(self.equals)]}
        labels = {"weights": [label for label, _, _ in self.setting.weights]}
        for name, values in known.items():
            for named in (values, labels.get(name, ())):
                at[name] = list(named).index(at[name]) if at[name] in named else at[name]
            if not isinstance(at[name], int) or not 0 <= at[name] < len(values):
                raise ValueError(WORDS["which"].format(name=name, values=", ".join(values), got=at[name]))
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
