"""A numerical gradient check that knows its precision.

Central differences: (f(x + h e) - f(x - h e)) / 2h has a truncation error of order h^2 and a round-off error of order
eps / h, so the best step is eps^(1/3) and the error to expect is eps^(2/3) (W. Press et al., Numerical Recipes, 5.7).
Both follow the dtype: a float16 function cannot be checked with a float64 step. Where a function bends too strongly for
that step, halving it and extrapolating (Richardson) cancels the h^2 term.
"""

from dataclasses import dataclass, replace

import numpy as np

from .engine import dtype_of, getval, leaves, restrict, vjp
from .messages.wrapping import wrapped


@dataclass(frozen=True)
class GradientCheck:
    """The outcome: true when every entry agrees. `worst_*` describe the entry with the largest error/tolerance.

    With several output elements (`weighted`), the numbers belong to their sum, each with a random weight.
    """

    ok: bool
    worst_argument: int
    worst_index: tuple[int, ...]
    analytic: float
    numerical: float
    error: float
    tolerance: float
    weighted: bool = False

    def __bool__(self):
        return self.ok

    def __str__(self):
        verdict = "gradient agrees:" if self.ok else "gradient differs:"
        lines = [verdict, _WORST.format(**vars(self)), *[_WEIGHTED] * self.weighted]
        return wrapped(" ".join(lines))


_NO_FLOATING = "check_gradient: expected a floating argument, but got dtypes {dtypes}"
_WEIGHTED = "(of the outputs summed with random weights)"
_WORST = (
    "worst at argument {worst_argument}, index {worst_index}: analytic {analytic:.6g}, numerical {numerical:.6g}, "
    "error {error:.2g}, tolerance {tolerance:.2g}"
)


def check_gradient(fun, *args, tolerance=None) -> GradientCheck:
    """Compare the gradient of `fun` at `args` with central differences, entry by entry.

    `args`: floating arrays or numbers; the outputs are paired with a fixed pseudo-random cotangent, so that every output
    counts. `tolerance` is relative; by default 5 eps^(2/3) of the coarsest dtype in play. Raises TypeError where no
    argument is floating. Returns a `GradientCheck`, true or false and printable.

    >>> print(bool(check_gradient(lambda x: x**3, 2.0)))
    True
    """
    arrays = [np.asarray(getval(a)) for a in args]
    checked = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]
    if not checked:
        text = _NO_FLOATING if arrays else "check_gradient: expected a floating argument, as in check_gradient(f, x)"
        raise TypeError(text.format(dtypes=[str(a.dtype) for a in arrays]))
    with np.errstate(all="ignore"):
        floating, values = restrict(fun, arrays, checked, {})
        output, pull = vjp(floating, *values)
        outputs = [leaf for leaf in leaves(output) if np.issubdtype(dtype_of(leaf), np.floating)]
        rng = np.random.default_rng(0)
        seeds = [rng.uniform(0.5, 1.0, np.shape(getval(leaf))).astype(dtype_of(leaf)) for leaf in leaves(output)]
        gradients = dict(zip(checked, pull(seeds), strict=True))
        eps = max(np.finfo(dtype_of(v)).eps for v in [*outputs, *(arrays[i] for i in checked)])
        tolerance = 5 * eps ** (2 / 3) if tolerance is None else tolerance
        entries = [e for i in checked for e in _entries(fun, arrays, i, gradients[i], seeds, eps, tolerance)]
    worst = max(entries, key=lambda e: e.error / e.tolerance if np.isfinite(e.error) else np.inf, default=None)
    if worst is None:
        return GradientCheck(True, checked[0], (), 0.0, 0.0, 0.0, tolerance)
    return _told(worst, [weight for seed in seeds for weight in np.ravel(seed)])


def _told(worst, weights):
    """The same entry as its reader expects it: without the weight of a single output element."""
    if len(weights) != 1:
        return replace(worst, weighted=True)
    numbers = {
        name: getattr(worst, name) / float(weights[0]) for name in ("analytic", "numerical", "error", "tolerance")
    }
    return replace(worst, **numbers)


def _entries(fun, args, place, gradient, seeds, eps, tolerance):
    """One `GradientCheck` per element of the argument at `place`.

    The limit is `tolerance` times the derivative, and round-off: eps / h of the outputs that depend on this element.
    """

    def paired(shifted):
        output = fun(
            *(a.copy() for a in (*args[:place], shifted, *args[place + 1 :]))
        )  # what it writes into is its own
        return [np.float64(o) * np.float64(s) for o, s in zip(leaves(output), seeds, strict=True)]

    def difference(index, step):
        up, down = args[place].copy(), args[place].copy()
        up[index], down[index] = args[place][index] + step, args[place][index] - step
        triples = list(zip(here, paired(up), paired(down), strict=True))
        touched = sum(np.sum(np.abs(o)[(o != a) | (o != b)]) for o, a, b in triples)
        return float(sum(np.sum(a - b) for _, a, b in triples)) / (float(up[index]) - float(down[index])), touched

    here = paired(args[place])
    for index in np.ndindex(args[place].shape):
        step = np.float64(eps ** (1 / 3)) * max(abs(float(args[place][index])), 1.0)
        analytic, (numerical, touched) = float(gradient[index]), difference(index, step)
        limit = float(tolerance * max(abs(numerical), abs(analytic)) + 2 * eps / step * max(touched, 1.0))
        if abs(analytic - numerical) > limit:
            numerical = (4 * difference(index, step / 2)[0] - numerical) / 3
        error = abs(analytic - numerical)
        yield GradientCheck(bool(error <= limit), place, index, analytic, numerical, error, limit)
