"""# Predict the errors (2 points)

`f(v)` returns `v**2`. `v` has two elements, and so has `s`.
For each line, answer with the type of the error, such as `KeyError`, or with `"fine"` if it runs. Answer with a list of six.

0. `ms.grad(f, sens_param=True)(v, s)`
1. `ms.grad(f, sens_param=True)(v)`
2. `ms.grad(f, sens_param=True)(v, ms.Tensor([1.0, 10.0, 100.0], ms.float32))`
3. `ms.grad(f)(v, s)`
4. `ms.value_and_grad(f, has_aux=True)(v)`
5. `ms.value_and_grad(f, sens_param=True)(v, sens=s)`
"""

from labkit import mindspore as ms
from labkit.classroom.exercise import raised
from labkit.classroom.writing import either, judged, wrong

answer = ["fine", TypeError, ValueError, TypeError, ValueError, "fine"]
rules = (
    "The last argument is the seed, and it has the shape of the output.",
    "With sens_param=True the last argument is taken away as the seed, if none is given by name. What is left for f?",
    "The seed has another shape than the output: the type is right, the value is not.",
    "Without sens_param all arguments go to f. How many does it take?",
    "has_aux needs a function with several outputs; this one returns a single one.",
    "The seed may be given by its name, too.",
)
hints = (
    "With sens_param=True the last argument is taken away as the seed, if none is given by name. What is left goes to f.",
    "A call with too few or too many arguments is a TypeError. A value that does not fit is a ValueError.",
    "Lines 0 and 5 run. Lines 1 and 3 fail because f gets the wrong number of arguments.",
)


def reference():
    v, s = ms.Tensor([1.0, 2.0], ms.float32), ms.Tensor([1.0, 10.0], ms.float32)

    def f(v):
        return v**2

    return [
        raised(lambda: ms.grad(f, sens_param=True)(v, s)),
        raised(lambda: ms.grad(f, sens_param=True)(v)),
        raised(lambda: ms.grad(f, sens_param=True)(v, ms.Tensor([1.0, 10.0, 100.0], ms.float32))),
        raised(lambda: ms.grad(f)(v, s)),
        raised(lambda: ms.value_and_grad(f, has_aux=True)(v)),
        raised(lambda: ms.value_and_grad(f, sens_param=True)(v, sens=s)),
    ]


seed_left_out = wrong(
    "With sens_param=True the last argument is the seed, if none is given by name. Here v was taken for it, and f was "
    "called with nothing: one argument is missing, a TypeError.",
    {1: either("fine", ValueError, RuntimeError)},
    alone=True,
)

seed_is_fitted = wrong(
    "A seed has one number for each element of the output: two. One with three is refused, and what is wrong is "
    "its value (its shape), not its type.",
    {2: either("fine", TypeError)},
    alone=True,
)

seed_by_itself = wrong(
    "Without sens_param a second argument goes to f like any other, and f takes only one.", {3: "fine"}, alone=True
)

aux_optional = wrong(
    "has_aux=True promises more than one output, to value_and_grad as well. f has one.", {4: "fine"}, alone=True
)

seed_not_by_name = wrong(
    "The seed may also be given by name, as sens=.", {5: either(TypeError, ValueError)}, alone=True
)

all_fine = judged("value", ["fine"] * 6)
