"""Sentences and questions about a call of `grad`. The structure that it returns is read from the result."""

from .run import FUNCTIONS, Call, CallResult, Setting
from .tree import Branch, Failure, Leaf, Tree, leaves_of, skeleton

ERROR = "an error"


def sentence(setting: Setting, call: Call, outcome: CallResult) -> str:
    """What came back, and the one or two reasons that explain most."""
    if isinstance(outcome.result, Failure):
        return f"{outcome.result.kind}. {_why(setting, call)}".strip()
    why = [*_gradients(setting, call, outcome.gradients)]
    telling = [words for words in why if "treated like" in words or "even for one" in words or "Both" in words]
    if FUNCTIONS[call.function] == "value_and_grad":
        telling.append("The outputs come first, then the gradients.")
    elif len(setting.outputs) > 1:
        telling.append(_outputs(setting, call))
    said = [f"It returns {skeleton(outcome.result)}.", *dict.fromkeys([(telling or why)[0], (telling or why[:1])[-1]])]
    return " ".join(said)


def _gradients(setting, call, gradients):
    """How the gradients are arranged."""
    position, asked = setting.positions[call.position], setting.asked(call)
    both = bool(asked) and call.weights > 0
    inputs, weights = gradients.parts if both else (gradients, gradients)
    if asked and isinstance(inputs, Leaf):
        yield f"grad_position={position[0]}: the {inputs.what}, bare."
        if isinstance(position[1], tuple) and len(asked) == 1:
            yield "A tuple of one position is treated like an int."
    elif asked:
        yield f"grad_position={position[0]}: a {inputs.kind} of gradients, in that order."
    if call.weights:
        if isinstance(weights, Leaf):
            yield "weights is one parameter: its gradient is not in a tuple."
        else:
            yield f"weights is a container of parameters: their gradients come as a {weights.kind}, even for one."
    if both:
        yield "Both are asked for: a pair, inputs first, then weights."


def _outputs(setting, call):
    first, *rest = setting.outputs
    if not call.has_aux:
        return f"has_aux=False: all outputs count, so {' + '.join(setting.outputs)} is differentiated."
    words = f"has_aux=True: only {first} is differentiated"
    if FUNCTIONS[call.function] == "grad":
        return f"{words}; ({', '.join(rest)}{',' if len(rest) == 1 else ''}) comes along as a tuple."
    return f"{words}; {', '.join(rest)} only comes along."


def _why(setting, call):
    """Why a call fails, where the call itself shows it."""
    position = setting.positions[call.position][1]
    if position is None and not call.weights:
        return "It selects nothing: neither an input nor a parameter."
    if any(p >= len(setting.inputs) for p in setting.asked(call)):
        last = len(setting.inputs) - 1
        return f"Positions count from 0: the last input, {setting.inputs[last]}, is {last}."
    if call.has_aux and len(setting.outputs) == 1:
        return "has_aux=True needs a second output, but there is only one."
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
        yield skeleton(wrapped), "A tuple of one position is treated like an int: its gradient is not in a tuple."
    yield ERROR, "It runs: nothing is missing and nothing is out of range."
    flat = Branch("tuple", leaves_of(result))
    if isinstance(result, Branch) and len(flat.parts) > 1:
        yield (
            skeleton(flat),
            "PyTorch returns such a flat tuple. In MindSpore, inputs, weights and outputs keep their own tuples.",
        )


def _with_part(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree is old:
        return new
    if isinstance(tree, Leaf):
        return tree
    return Branch(tree.kind, tuple(_with_part(part, old, new) for part in tree.parts))
