"""# Fix the VJP of a batch norm (3 points)

This batch norm adds `eps` to the *standard deviation* instead of the variance: `y = (x - mean) / (std + eps)`, where `std` is
`x.std(axis=0)`. `eps` may be as large as 0.5. The VJP below uses the formula of section 4, which is wrong here, because one of
the three paths from `x` to `y` is different:

[[as_in_the_text as pull]]

Fix `pull(x, g, eps)`, in plain NumPy, so that it returns the gradient with respect to `x` for an upstream gradient `g`.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, slip, wrong


def pull(x, g, eps):
    std = x.std(axis=0)
    centred = x - x.mean(axis=0)
    y = centred / (std + eps)
    return (g - g.mean(axis=0) - centred / std * (g * y).mean(axis=0)) / (std + eps)


def draw(rng):
    shape = (int(rng.integers(4, 8)), int(rng.integers(2, 4)))
    return (
        rng.normal(size=shape) * rng.uniform(0.3, 4.0) + rng.normal(),
        rng.normal(size=shape),
        float(rng.choice([0.1, 0.5])),
    )


draws = 6


def _parts(x, eps):
    """The standard deviation with eps, and the outputs."""
    scale = x.std(axis=0) + eps
    return scale, (x - x.mean(axis=0)) / scale


@wrong(
    "That is the unchanged formula of section 4. The path through the standard deviation is different: std grows by (x - "
    "mean) / (n * std), which is no longer y / n."
)
def as_in_the_text(x, g, eps):
    scale = x.std(axis=0) + eps
    y = (x - x.mean(axis=0)) / scale
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / scale


@wrong(
    "You treat the mean and the standard deviation as constants. Both depend on x: each element affects them, and through "
    "them the whole column."
)
def held_still(x, g, eps):
    return g / (x.std(axis=0) + eps)


@wrong("The path through the mean is right. You treat the standard deviation as a constant, but it depends on x, too.")
def mean_only(x, g, eps):
    return (g - g.mean(axis=0)) / (x.std(axis=0) + eps)


@wrong("The path through the standard deviation is right. You treat the mean as a constant, but it depends on x, too.")
def std_only(x, g, eps):
    scale, y = _parts(x, eps)
    return (g - y * scale / (scale - eps) * (g * y).mean(axis=0)) / scale


@wrong("You took sums instead of means: each element moves the mean by 1/n of its own change.")
def sums(x, g, eps):
    scale, y = _parts(x, eps)
    return (g - g.sum(axis=0) - y * scale / (scale - eps) * (g * y).sum(axis=0)) / scale


@wrong("You took the mean of the whole array. Each column is normalised separately: axis=0.")
def over_everything(x, g, eps):
    scale, y = _parts(x, eps)
    return (g - g.mean() - y * scale / (scale - eps) * (g * y).mean()) / scale


@wrong("The last term contains x instead of x - mean.")
def x_for_y(x, g, eps):
    scale, y = _parts(x, eps)
    return (g - g.mean(axis=0) - x / (scale - eps) * (g * x / scale).mean(axis=0)) / scale


@wrong("The division by std + eps is missing.")
def not_divided(x, g, eps):
    return pull(x, g, eps) * (x.std(axis=0) + eps)


@wrong("eps is missing: here it can be as large as a standard deviation.")
def without_eps(x, g, eps):
    return pull(x, g, 0.0)


@wrong("Both factors of the last term were divided by std. One of them is y, which is divided by std + eps.")
def twice_by_std(x, g, eps):
    std = x.std(axis=0)
    unit = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - unit * (g * unit).mean(axis=0)) / (std + eps)


@wrong("You add eps to the variance, as in section 4. In this exercise eps is added to the standard deviation.")
def eps_in_the_variance(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / std


@wrong("That is layer norm, along the rows. Batch norm takes mean and standard deviation of each column: axis=0.")
def along_rows(x, g, eps):
    return pull(x.T, g.T, eps).T


@judged("printed")
def nothing_returned(x, g, eps):
    pull(x, g, eps)


sample_deviation = slip(
    "You divide by n - 1 (ddof=1). In this exercise std is x.std(axis=0), which divides by n.",
    "x.std(axis=0)\n -> x.std(axis=0, ddof=1)\n",
)

sign_of_the_deviation = slip(
    "The path through the standard deviation is subtracted.",
    "- centred / std -> + centred / std",
)

one_deviation_for_all = slip("Each column has a standard deviation of its own: axis=0.", "x.std(axis=0)\n -> x.std()\n")
one_mean_for_all = slip("Each column has a mean of its own: axis=0.", "x - x.mean(axis=0) -> x - x.mean()")
divided_by_std = slip(
    "At the end you divided by std. The outputs are divided by std + eps.",
    "(g * y).mean(axis=0)) / (std + eps) -> (g * y).mean(axis=0)) / std",
)
sum_of_the_deviation = slip(
    "The path through the standard deviation contains the mean of g * y. You took the sum.",
    "(g * y).mean(axis=0) -> (g * y).sum(axis=0)",
)
sum_of_the_mean = slip(
    "The path through the mean contains the mean of g. You took the sum.", "g - g.mean(axis=0) -> g - g.sum(axis=0)"
)
mean_of_a_row = slip(
    "You took the mean of g over the columns. The batch is axis 0.",
    "g - g.mean(axis=0) -> g - g.mean(axis=1, keepdims=True)",
)
divided_once_more = slip(
    "The last term is divided by std + eps once too often: y has been divided by it.",
    "(g * y).mean(axis=0)) / (std -> (g * y).mean(axis=0) / (std + eps)) / (std",
)
std_missing = slip("x - mean has to be divided by std in the last term.", "centred / std * -> centred *")
y_not_divided = slip(
    "The last term lacks one division by std + eps: there is one in y, and another one at the end.",
    "(g * y) -> (g * centred)",
)
mean_added = slip("The path through the mean is subtracted.", "g - g.mean(axis=0) -> g + g.mean(axis=0)")


@judged("eps-in-the-variance")
def eps_in_the_outer_variance(x, g, eps):
    std, scale, centred = x.std(axis=0), np.sqrt(x.var(axis=0) + eps), x - x.mean(axis=0)
    return (g - g.mean(axis=0) - centred / std * (g * centred / scale).mean(axis=0)) / scale


divided_by_n_as_well = slip(
    "The mean is already divided by n. You divided the last term by n once more.",
    "(g * y).mean(axis=0)) -> (g * y).mean(axis=0) / len(x))",
)
eps_subtracted = slip(
    "In the last term x - mean is divided by std itself.", "centred / std * -> centred / (std - eps) *"
)
scale_squared = slip(
    "In the last term x - mean is divided by std itself.", "centred / std * -> centred / (std + eps) ** 2 *"
)
variance_for_deviation = slip(
    "In the last term x - mean is divided by std, not by the variance.", "centred / std * -> centred / std**2 *"
)

section_four_over_std = slip(
    "That is the formula of section 4, divided by std. Divide by std + eps, and take (x - mean) / std in the last term.",
    "centred / std * -> y *",
    "(g * y).mean(axis=0)) / (std + eps) -> (g * y).mean(axis=0)) / std",
)
wrong_way_round = slip(
    "In the last term y has to become (x - mean) / std, which is larger than y. Yours is smaller.",
    "centred / std * -> y * std / (std + eps) *",
)
g_over_everything = slip(
    "You took the mean of g over the whole array. Each column is normalised separately: axis=0.",
    "g - g.mean(axis=0) -> g - g.mean()",
)
product_over_everything = slip(
    "You took the mean of g * y over the whole array. Each column is normalised separately: axis=0.",
    "(g * y).mean(axis=0) -> (g * y).mean()",
)
product_along_rows = slip(
    "You took the mean of g * y over the columns. The batch is axis 0.",
    "(g * y).mean(axis=0) -> (g * y).mean(axis=1, keepdims=True)",
)
variance_for_std = slip(
    "You used the variance instead of the standard deviation.", "x.std(axis=0)\n -> x.var(axis=0)\n"
)
eps_taken_away = slip(
    "eps is added to std. You subtracted it.",
    "y = centred / (std + eps) -> y = centred / (std - eps)",
    "(g * y).mean(axis=0)) / (std + eps) -> (g * y).mean(axis=0)) / (std - eps)",
)
all_divided_twice = slip(
    "You divided all three terms by std + eps once too often.",
    "(g * y).mean(axis=0)) / (std + eps) -> (g * y).mean(axis=0)) / (std + eps) ** 2",
)
direct_path_missing = slip("The direct path is missing: it contributes g / (std + eps).", "(g - g.mean -> (-g.mean")
last_term_divided_alone = slip(
    "The division by std + eps at the end applies to all three terms. You divided the last one only.",
    "return (g - -> return g -",
    "(g * y).mean(axis=0)) / (std + eps) -> (g * y).mean(axis=0) / (std + eps)",
)
y_in_the_wrong_place = slip(
    "The last term has the mean of g * y. The mean in yours equals that of g.", "(g * y).mean -> g.mean"
)
mean_of_y_for_g = slip(
    "The path through the mean contains the mean of g, not that of x.", "g - g.mean(axis=0) -> g - x.mean(axis=0)"
)
mean_missing = slip("In the last term the mean over the batch is missing.", "(g * y).mean(axis=0) -> (g * y)")


ways = (PLAIN,)
hints = (
    "Directly: g / (std + eps). Through the mean: -mean(g) / (std + eps). These two paths are as in "
    "section 4. Now find the third.",
    "When std grows by d, y shrinks by y * d / (std + eps). And x[i] makes std grow by (x[i] - mean) / (n * std).",
    "So the third path contributes -(x - mean) / std * mean(g * y) / (std + eps).",
)
