"""# How much comes back? (2 points)

A unit without `tanh`: `h` begins at 0, and each of four numbers `x[0]` to `x[3]` makes it `h = w * h + x[t]`. Each line
asks for the derivative of the last `h` with respect to one number. Answer with a list of six numbers.

0. `w = 0.5`, with respect to `x[0]`
1. `w = 2`, with respect to `x[0]`
2. `w = -1`, with respect to `x[0]`
3. `w = 2`, with respect to `x[3]`
4. `w = 2`, with respect to `x[0]`; before `x[2]` is read, `h` is detached
5. `w = 2`, with respect to `x[2]`; before `x[2]` is read, `h` is detached
"""

from labkit import torch
from labkit.classroom.writing import either, judged, wrong

answer = [0.125, 8, -1, 1, 0, 2]
rules = (
    "How many multiplications by w lie between the moment at which x[0] is added and the end?",
    "How many multiplications by w lie between the moment at which x[0] is added and the end?",
    "Each multiplication by w changes the sign. How many are there?",
    "What happens to x[3] after it was added?",
    "On which side of the cut is x[0]?",
    "On which side of the cut is x[2]? What happens to it after it was added?",
)
hints = (
    "x[0] is added to w * 0. After that h is multiplied by w once for each number that is still to come.",
    "Three numbers come after x[0], none after x[3].",
    "Item 4 is on the far side of the cut: nothing comes back. Item 5 is on the near side, where all is as before.",
)


def _slope(w, place, cut=None):
    x = torch.zeros(4, requires_grad=True)
    h = torch.zeros(())
    for t in range(4):
        if t == cut:
            h = h.detach()
        h = w * h + x[t]
    h.backward()
    return x.grad[place].item()


def reference():
    return [_slope(0.5, 0), _slope(2.0, 0), _slope(-1.0, 0), _slope(2.0, 3), _slope(2.0, 0, 2), _slope(2.0, 2, 2)]


one_too_many = wrong(
    "You counted one multiplication too many. x[0] is added after the first one: three are still to come.",
    {0: 0.0625, 1: 16, 2: 1, 3: 2},
)

added_up = wrong("Each step multiplies by w: three steps are w**3, not 3 * w.", {0: 1.5, 1: 6, 2: -3})

cut_lets_through = wrong("A detached state has no history: nothing comes back to x[0].", {4: either(8, 4, 2)})

cut_stops_all = wrong("The cut lies before x[2]. From there to the end the graph is whole.", {5: either(0, 1)})

swapped = judged("value", {3: 8})
