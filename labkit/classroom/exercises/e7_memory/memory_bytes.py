"""# How many bytes does training need? (3 points)

A network has dense layers of the widths `widths`: `[2, 8, 1]` means one layer from 2 to 8 and one from 8 to 1. Each layer has
a bias, and each layer except the last is followed by a tanh. The network is trained with AdamW, in float32. Write
`needed(widths, batch)`, which returns a tuple of two numbers of bytes:

- for the parameters: the weights, their gradients, and AdamW's state;
- for the activations: what the rules save for a batch besides the parameters. Each dense layer saves its input, and each
  tanh its result; every array is counted once.
"""

from labkit.classroom.writing import judged, same, slip, wrong


def needed(widths, batch):
    numbers = sum((a + 1) * b for a, b in zip(widths, widths[1:]))
    return 16 * numbers, 4 * batch * sum(widths[:-1])


def draw(rng):
    return [int(n) for n in rng.integers(2, 40, int(rng.integers(3, 6)))], int(rng.integers(1, 65))


@wrong("AdamW stores two numbers for each weight, the mean and the mean square of its gradients.", parts=(0,))
def weights_and_gradients(widths, batch):
    return needed(widths, batch)[0] // 2, needed(widths, batch)[1]


@wrong("No rule saves the result of the last layer, but the first layer saves its input.", parts=(1,))
def outputs_for_inputs(widths, batch):
    return needed(widths, batch)[0], 4 * batch * sum(widths[1:])


@wrong(
    "The result of a tanh is the input of the next layer: it is one array, and the tanh saves nothing else.", parts=(1,)
)
def counted_twice(widths, batch):
    return needed(widths, batch)[0], 4 * batch * (sum(widths[:-1]) + sum(widths[1:-1]))


@judged("weights-only")
def numbers_not_bytes(widths, batch):
    one, other = needed(widths, batch)
    return one // 4, other // 4


@judged("weights-only")
def numbers_of_parameters(widths, batch):
    one, other = needed(widths, batch)
    return one // 16, other


one_moment_only = slip(
    "AdamW stores two numbers for each weight besides the gradient: four numbers of four bytes each.",
    "16 * numbers -> 12 * numbers",
)

weights_only = slip(
    "Each weight needs four numbers of four bytes: the weight, its gradient, and two that AdamW stores.",
    "16 * numbers -> 4 * numbers",
)

numbers_for_bytes = slip(
    "A float32 number has 4 bytes. For the activations you counted numbers.",
    "4 * batch * sum -> batch * sum",
)

eight_bytes = slip(
    "A float32 number has 4 bytes, not 8.",
    "16 * numbers, 4 * batch -> 32 * numbers, 8 * batch",
)

last_layer_kept = slip(
    "No rule saves the result of the last layer, because no tanh follows it.",
    "sum(widths[:-1]) -> sum(widths)",
)

one_example = slip(
    "The activations are those of the whole batch. You counted one example.",
    "4 * batch * sum -> 4 * sum",
)

biases_of_the_inputs = slip(
    "A layer has one bias for each output, not for each input.",
    "(a + 1) * b -> a * (b + 1)",
)

input_forgotten = slip(
    "The first dense layer saves its input, too: the batch itself.", "sum(widths[:-1]) -> sum(widths[1:-1])"
)
batch_with_the_parameters = slip("The parameters do not depend on the batch.", "16 * numbers, -> 16 * numbers * batch,")


@wrong("Every layer has a bias for each output. You counted one for each layer.", parts=(0,))
def one_bias_per_layer(widths, batch):
    return 16 * sum(a * b + 1 for a, b in zip(widths, widths[1:])), needed(widths, batch)[1]


@wrong("The last layer has a bias, too.", parts=(0,))
def last_bias_left_out(widths, batch):
    return needed(widths, batch)[0] - 16 * widths[-1], needed(widths, batch)[1]


@wrong("You counted the biases only, or the weights of one layer only. Add up all layers.", parts=(0,))
def biases_only(widths, batch):
    return 16 * sum(widths[1:]), needed(widths, batch)[1]


@judged("biases-only")
def one_layer_only(widths, batch):
    return 16 * (widths[-2] + 1) * widths[-1], needed(widths, batch)[1]


@judged("biases-only")
def first_layer_only(widths, batch):
    return 16 * (widths[0] + 1) * widths[1], needed(widths, batch)[1]


@wrong("Weights and gradients are two numbers, and AdamW adds two more: four in all.", parts=(0,))
def five_numbers(widths, batch):
    return needed(widths, batch)[0] // 16 * 20, needed(widths, batch)[1]


@wrong("Each bias has a gradient, and AdamW stores two numbers for it, as for a weight.", parts=(0,))
def biases_without_adam(widths, batch):
    biases = sum(widths[1:])
    return needed(widths, batch)[0] - 12 * biases, needed(widths, batch)[1]


@judged("biases-without-adam")
def biases_without_moments(widths, batch):
    return needed(widths, batch)[0] - 8 * sum(widths[1:]), needed(widths, batch)[1]


@judged("biases-without-adam")
def biases_without_gradient(widths, batch):
    return needed(widths, batch)[0] - 4 * sum(widths[1:]), needed(widths, batch)[1]


@judged("counted-twice")
def input_of_tanh_as_well(widths, batch):
    return needed(widths, batch)[0], 4 * batch * (sum(widths[:-1]) + 2 * sum(widths[1:-1]))


gradients_of_the_activations = slip(
    "The activations are saved, not their gradients: 4 bytes a number.", "4 * batch * sum -> 8 * batch * sum"
)


@wrong("The first number is for the parameters alone: the activations belong to the second.", parts=(0,))
def activations_as_well(widths, batch):
    first, second = needed(widths, batch)
    return first + second, second


@wrong("The gradient is that of one loss, whatever the batch is. You counted one for each example.", parts=(0,))
def gradient_of_each_example(widths, batch):
    return needed(widths, batch)[0] // 4 * (3 + batch), needed(widths, batch)[1]


@wrong("A dense layer saves its input, not its weights: those are parameters.", parts=(1,))
def weights_as_activations(widths, batch):
    return needed(widths, batch)[0], 4 * batch * sum(a * b for a, b in zip(widths, widths[1:]))


@wrong("A dense layer saves its input, and not its output as well.", parts=(1,))
def inputs_and_outputs(widths, batch):
    return needed(widths, batch)[0], 4 * batch * (sum(widths[:-1]) + sum(widths[1:]))


@wrong("A float32 number has 4 bytes, not 2.")
def two_bytes(widths, batch):
    return tuple(number // 2 for number in needed(widths, batch))


@wrong("A float32 number has 32 bits, which are 4 bytes. You counted bits.")
def bits(widths, batch):
    return tuple(number * 8 for number in needed(widths, batch))


@wrong(
    "The exercise asks for bytes. You converted them to a larger unit.",
    when=lambda i, expected, got: any(
        same([float(number) / unit for number in expected], list(got)) for unit in (1e3, 1024, 1e6, 1024**2)
    ),
)
def kilobytes(widths, batch):
    return tuple(number / 1024 for number in needed(widths, batch))


@wrong("The activations of all layers are kept until the backward pass. You counted those of one layer.", parts=(1,))
def largest_layer_only(widths, batch):
    return needed(widths, batch)[0], 4 * batch * max(widths[:-1])


@judged("largest-layer-only")
def first_input_only(widths, batch):
    return needed(widths, batch)[0], 4 * batch * widths[0]


@wrong("Each layer has one bias for each output. You left out the last layer.", parts=(0,))
def last_layer_left_out(widths, batch):
    return needed(widths[:-1], batch)[0], needed(widths, batch)[1]


no_biases = slip("The biases are parameters, too: each layer has one for each output.", "(a + 1) * b -> a * b")


hints = (
    "A dense layer from a to b has a * b weights and b biases. Each of them needs four numbers: itself, its "
    "gradient, and AdamW's two.",
    "A dense layer saves its input: batch rows of a numbers.",
    "Parameters: 4 * 4 bytes per number. Activations: 4 bytes times batch times the sum of all widths but the last.",
)
