"""# Predict the errors (2 points)

For each line, answer with the type of the error, such as `KeyError`, or with `"fine"` if it runs.
Answer with a list of six.

0. `ms.grad(net, None, None)`
1. `ms.grad(net, [0, 1])`
2. `ms.grad(net, 2)(x, y)`
3. `ms.grad(net, -1)`
4. `ms.grad(lambda x: x**2, has_aux=True)(x)`
5. `ms.grad(net, (0,))(x, y)`
"""

from labkit import mindspore as ms
from labkit.classroom.exercise import raised
from labkit.classroom.writing import judged, wrong
from labkit.data import network

answer = [ValueError, TypeError, RuntimeError, ValueError, ValueError, "fine"]
rules = (
    "Here nothing is asked for at all.",
    "Positions come as a number or a tuple. Which kind of mistake is another type?",
    "net has two inputs. The framework itself finds out, while it runs, that there is no such position.",
    "A position below the first makes no sense, and ms.grad sees that as soon as it is called.",
    "has_aux needs a function with several outputs; this one returns a single one.",
    "A tuple may hold a single position: then it counts as an int.",
)
hints = (
    "A value that makes no sense is mostly a ValueError, a wrong type a TypeError. One line runs.",
    "Lines 0, 1 and 3 fail when ms.grad is called, before any data is seen; line 2 fails inside the framework.",
    "Run the six lines one by one, each in its own cell: the last line of the traceback names the type.",
)


def reference():
    net, x, y = network(ms)
    return [
        raised(lambda: ms.grad(net, None, None)),
        raised(lambda: ms.grad(net, [0, 1])),
        raised(lambda: ms.grad(net, 2)(x, y)),
        raised(lambda: ms.grad(net, -1)),
        raised(lambda: ms.grad(lambda x: x**2, has_aux=True)(x)),
        raised(lambda: ms.grad(net, (0,))(x, y)),
    ]


list_as_tuple = wrong(
    "A list is not a tuple here: grad_position is an int or a tuple of ints, and its type is checked.",
    {1: "fine"},
    alone=True,
)

python_index = wrong(
    "Outside the positions you expected what a Python list would do. In PyNative mode the position is looked up "
    "by the framework itself, and it reports no IndexError, which graph mode does.",
    {2: IndexError},
    alone=True,
)

counts_from_the_end = wrong(
    "Positions do not count from the end: -1 is no position, and is refused at once.", {3: "fine"}, alone=True
)

aux_optional = wrong(
    "has_aux=True promises more than one output. A function with a single output breaks the promise.",
    {4: "fine"},
    alone=True,
)

all_alike = judged("value", [ValueError] * 6)
