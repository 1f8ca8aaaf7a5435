"""What the documents say in words, and what is so: slips that are no figure of a case."""

from dataclasses import dataclass

ALL = ("r2.1", "master", "r2.3.q1")
COMPARISON = ("master", "r2.3.q1")


@dataclass(frozen=True)
class Sentence:
    """One sentence or line of code in some documents, what is so, and the case that shows it, if one does.

    `says` is translated where the document is Chinese; `notebook` is the number of the one that explains it.
    """

    documents: tuple[str, ...]
    says: str
    so: str
    notebook: str
    case: str | None = None


SENTENCES = (
    Sentence(
        ("r1.10",),
        "A comment: multiply the gradient by a scale to prevent the gradient from *overflowing*.",
        "From underflow. A scale makes gradients larger, so it makes overflow more likely.",
        "09", "loss-scale-why",
    ),
    Sentence(
        ALL,
        "`has_aux` configures whether to find the gradient on the first *input* or on all outputs.",
        "On the first *output*. `grad_position` selects the inputs.",
        "05", "grad-first-input",
    ),
    Sentence(
        ("r2.1",),
        "A comment above `grad_position=0, weights=...`: the gradient for the first *output* and weights.",
        "For the first *input* and the weights, as the Chinese text has it.",
        "05", "grad-input-and-weights",
    ),
    Sentence(
        ALL,
        "The tables of results: `(Gradient of the first input), (Gradient of weights)`.",
        "The first parentheses are not a tuple: the result is a single gradient, and a tuple with one gradient for each weight.",
        "05", "grad-input-and-weights",
    ),
    Sentence(
        COMPARISON,
        "PyTorch does not support several outputs (above a program with one output).",
        "`torch.autograd.backward((z, x))` takes several, and their gradients add up, as in MindSpore.",
        "06", "two-outputs",
    ),
    Sentence(
        COMPARISON,
        "`torch.autograd.grad` and `backward`: the former changes the `grad` of the tensors, the latter returns a list.",
        "The reverse is true: `backward` fills `.grad`; `torch.autograd.grad` returns a tuple and does not change `.grad`.",
        "06", "autograd-grad",
    ),
    Sentence(
        COMPARISON,
        "The first program: `x = Variable(...)`, then `x = x * 2`, then `y.backward(x)`.",
        "The gradient goes to the first `x`, which has no name any more. The remaining `x` is not a leaf: its `.grad` is None.",
        "06", "tape-cotangent",
    ),
    Sentence(
        COMPARISON,
        "For vectors and matrices `grad_tensor` has to be defined.",
        "The method's argument is called `gradient`, the function's `grad_tensors`.",
        "06", "vector-cotangent",
    ),
    Sentence(
        COMPARISON,
        "PyTorch clears what it recorded because its differentiation is *functional*.",
        "Because it is the tape of one run. `ms.grad` and `torch.func.grad` are functional.",
        "06", "retain-graph-missing",
    ),
    Sentence(
        COMPARISON,
        "The backward pass depends on the graph only, never on numbers.",
        "In graph mode, which the paragraph before is about, the graph has both branches of an `if`. In PyNative mode it "
        "has only the branch that ran.",
        "06", "forward-records-nothing",
    ),
    Sentence(
        COMPARISON,
        "No intermediate values are kept, so the graph can be called again and again.",
        "Each call saves the values that its backward pass needs while it runs. You can call the graph again because each call "
        "computes these values again.",
        "E7", None,
    ),
    Sentence(
        (*ALL, "r1.10"),
        "`ops.clip_by_global_norm(grad)`, in r1.10 `ops.clip_by_global_norm(grads)`: without a threshold.",
        "The default threshold is 1.0. Whether this is large or small depends on the network, so print the norm first.",
        "10", None,
    ),
    Sentence(
        ("r1.10",),
        "`MyTrainOneStepCell` clips, then reduces the gradients of all workers.",
        "Each worker then clips its own gradient. To clip the gradient of the step, reduce first.",
        "10", "clip-and-mean",
    ),
    Sentence(
        ("r1.10",),
        "Its docstring: the argument `sens`, default 1.0.",
        "The argument is called `scale_sense`, and may be a Cell that updates the scale.",
        "11", None,
    ),
    Sentence(
        ("r1.1",),
        "Prints 32 losses of 0 after a step of training.",
        "The one-hot rows have no 1, so the loss is 0, whatever the network returns. The weights change nevertheless.",
        "11", "zero-loss",
    ),
    Sentence(
        ("r1.1",),
        "The size of the dataset is 1875.",
        "It has 60,000 images; 1875 is the number of batches of 32. `sink_size` counts batches, too.",
        "13", "data-sinking",
    ),
    Sentence(
        ("r1.1",),
        '`print("epoch: {0}/{1}, losses: {2}".format(step + 1, epoch, output.asnumpy(), flush=True))`, in the loop with a '
        "`DatasetHelper`.",
        "`flush=True` is an argument of `format`, which ignores unused keywords, so the output is not flushed. It should be an "
        "argument of `print`.",
        "13", None,
    ),
)  # fmt: skip
