"""# Eight structures (3 points)

`x = np.array([3.0, 1.0, 6.0, 2.0, 5.0, 4.0])`. Which panel of the figure is the Jacobian of each function?
Answer with a list of eight letters. Two panels match none of the functions.

0. `np.tanh(x)`
1. `np.cumsum(x)`, the running sum
2. `x[::-1]`
3. `x[1:] * x[:-1]`
4. `np.exp(x) / np.sum(np.exp(x))`
5. `x - x[0]`
6. the first three elements minus their mean, followed by the last three elements minus their mean
7. `np.sort(x)`
"""

from functools import cache

import autograd.numpy as anp
import numpy as np

from labkit import engine
from labkit.classroom.writing import either, judged, wrong

answer = ["D", "B", "I", "G", "A", "H", "F", "C"]
rules = (
    "An output of tanh depends on the element at its own place alone.",
    "An output of a running sum depends on the inputs up to its own position. Rows are outputs.",
    "The first output is the last input, and so on.",
    "Each output uses two neighbours, and there is one output fewer than there are inputs.",
    "The sum in the denominator contains all inputs.",
    "Output i is x[i] - x[0]: on which inputs does it depend? Look at output 0, too. Rows are outputs, columns are inputs.",
    "Each output depends on its own half, through the mean, and not on the other half.",
    "Near this x the order does not change, so each output is one of the inputs: which input is at which position?",
)
hints = (
    "For each function, ask of one output: on which inputs does it depend? These are the filled cells of its row.",
    "First find the diagonal one, the full one, and the one that has only five rows.",
    "np.sort(x) is x[[1, 3, 0, 5, 4, 2]] here. In x - x[0], does output 0 depend on any input?",
)
X = np.array([3.0, 1.0, 6.0, 2.0, 5.0, 4.0])


def _half_means_removed(x):
    halves = x.reshape(2, 3)
    return (halves - anp.mean(halves, axis=1, keepdims=True)).reshape(6)


FUNCTIONS = (
    anp.tanh,
    anp.cumsum,
    lambda x: x[::-1],
    lambda x: x[1:] * x[:-1],
    lambda x: anp.exp(x) / anp.sum(anp.exp(x)),
    lambda x: x - x[0],
    _half_means_removed,
    anp.sort,
)


@cache
def patterns() -> dict[str, np.ndarray]:
    """The ten patterns that the notebook draws, by letter: where a Jacobian is not zero."""
    column, row = np.eye(6), np.eye(6)
    column[:, 0], row[0] = 1, 1
    column[0, 0] = row[0, 0] = 0
    found = {
        "A": np.ones((6, 6)),
        "B": np.tri(6),
        "C": np.eye(6)[[1, 3, 0, 5, 4, 2]],
        "D": np.eye(6),
        "E": np.tri(6).T,
        "F": np.kron(np.eye(2), np.ones((3, 3))),
        "G": np.eye(5, 6) + np.eye(5, 6, 1),
        "H": column,
        "I": np.eye(6)[::-1],
        "J": row,
    }
    return {letter: pattern != 0 for letter, pattern in found.items()}


def reference():
    jacobians = [engine.jacrev(fn)(X) != 0 for fn in FUNCTIONS]
    return [next(k for k, pattern in patterns().items() if np.array_equal(j, pattern)) for j in jacobians]


transposed = wrong(
    "You read a panel the wrong way round: rows are outputs, columns are inputs. An output of the running sum depends on "
    "the inputs up to its own position, so its row is filled from the left.",
    {1: "E"},
)
row_for_column = wrong(
    "Rows are outputs, columns are inputs. In x - x[0] one input affects many outputs: a column.",
    {5: "J"},
)

looks_elementwise = wrong(
    "You treated a function as elementwise that is not. In item 4 the sum depends on every input, and in item 5 every "
    "output but the first depends on x[0], too.",
    {4: "D", 5: "D"},
)

one_mean_for_all = wrong(
    "There are two means, one for each half. An output of one half does not depend on the other half.", {6: "A"}
)

sort_depends_on_everything = wrong(
    "The position of an element depends on all of them. But near this x the order does not change, so each output is one of "
    "the inputs: one filled cell in each row.",
    {7: either("A", "B", "E", "F", "G", "H", "J")},
)
order_of_the_numbers = wrong("x[::-1] reverses any x, whatever its numbers are: output 0 is the last input.", {2: "C"})
sort_reverses = wrong(
    "np.sort puts x into the order of its numbers: output 0 is the smallest. It does not reverse x.", {7: "I"}
)
reversed_rows_full = wrong(
    "x[::-1] moves each input to another position: one filled cell in each row.",
    {2: either("A", "B", "E", "F", "G", "H", "J")},
)


only_itself = judged("looks-elementwise", {5: "D"})
reversed_is_elementwise = wrong(
    "Output i of x[::-1] is not x[i], so the entries are not on this diagonal.",
    {2: "D"},
)

sort_is_elementwise = wrong(
    "np.sort moves elements to other positions: output 0 is the smallest, x[1], so the entries are not on the diagonal.",
    {7: "D"},
)

permutations_exchanged = wrong(
    "x[::-1] reverses any x, and np.sort puts this x into the order of its numbers. You exchanged the two.",
    {2: "C", 7: "I"},
    together=True,
)

not_square = wrong(
    "x[1:] * x[:-1] has five outputs, one for each pair of neighbours: the Jacobian has five rows.",
    {3: either("A", "B", "C", "E", "F", "D", "H", "I", "J")},
)

running_sum_is_elementwise = wrong(
    "Output i of a running sum contains all inputs up to position i.",
    {1: either("C", "D", "F", "G", "H", "I")},
)
too_many_for_a_difference = wrong(
    "Output i of x - x[0] depends on at most two inputs: x[i] and x[0].",
    {5: either("A", "B", "E", "F", "G", "C", "I")},
)
halves_overlap = wrong(
    "Each output depends on the three elements of its own half, and on no others.",
    {6: either("B", "C", "E", "H", "I", "J")},
)
running_sum_of_all = wrong(
    "Output i of a running sum adds up the inputs to position i: it does not depend on later inputs.", {1: "A"}
)

tanh_of_all = wrong(
    "tanh is elementwise: an output depends on the input at its own place alone.",
    {0: either("A", "B", "C", "E", "F", "G", "H", "I", "J")},
)

mean_left_out = wrong(
    "The mean of a half depends on all its elements, so each output of the half does, too.", {6: either("D", "G")}
)

softmax_of_some = wrong(
    "The sum in the denominator contains all elements: every output depends on every input.",
    {4: either("F", "B", "C", "G", "H", "E", "I", "J")},
)
