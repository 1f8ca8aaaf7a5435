"""13 Clipping: when a gradient is too long."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import ops

two = [[-3, 4], [-5, 5], [-6, 5], [-6, 8], [-3, 4]]
wrong("clip-two-rules", "by norm limits each element", [[-5, 5], [-5, 5], [-6, 5], [-6, 8], [-5, 5]])
wrong("clip-two-rules", "by value keeps the direction", [[-3, 4], [-3, 4], [-6, 5], [-6, 8], [-3, 4]])
wrong("clip-two-rules", "the maximum alone clips both sides", [*two[:2], [-5, 5], *two[3:]])
wrong("clip-two-rules", "a short gradient is made longer", [*two[:3], [-12, 16], two[4]])
wrong("clip-two-rules", "the sign is lost", [[3, 4], [5, 5], [5, 5], [6, 8], [3, 4]])
wrong("clip-two-rules", "divided by the norm: length 1", [[-0.6, 0.8], *two[1:3], [-0.6, 0.8], [-0.6, 0.8]])
wrong("clip-two-rules", "divided by the limit", [[-1.2, 1.6], *two[1:3], [-0.3, 0.4], [-1.2, 1.6]])
wrong(
    "clip-two-rules",
    "the length is 14, the sum of the magnitudes",
    [[-30 / 14, 40 / 14], *two[1:4], [-30 / 14, 40 / 14]],
)
wrong("clip-two-rules", "below the maximum everything is 0", [*two[:2], [0, 5], *two[3:]])
right("clip-two-rules", "an array", np.array(two, float))


@wrong("clip-longest", "counts the parameters, not their elements")
def answer(shapes, limit):
    return limit * np.sqrt(len(shapes))


wrong("clip-longest", "adds up the axes", above("sqrt(len(shapes)) -> sqrt(sum(sum(shape) for shape in shapes))"))
wrong("clip-longest", "the limit itself", above("limit * np.sqrt(len(shapes)) -> limit"))


@wrong("clip-longest", "the root is forgotten")
def answer(shapes, limit):
    return limit * sum(int(np.prod(shape)) for shape in shapes)


@wrong("clip-longest", "a shape () has no elements")
def answer(shapes, limit):
    n = 0
    for shape in shapes:
        if shape:
            size = 1
            for k in shape:
                size *= k
            n += size
    return limit * n**0.5


@wrong("clip-longest", "the lengths of the parameters are added")
def answer(shapes, limit):
    return sum(limit * np.sqrt(np.prod(shape)) for shape in shapes)


@wrong("clip-longest", "the limit is under the root")
def answer(shapes, limit):
    return np.sqrt(limit * sum(np.prod(shape) for shape in shapes))


@wrong("clip-longest", "the largest parameter alone")
def answer(shapes, limit):
    return limit * max(np.prod(shape) for shape in shapes) ** 0.5


@wrong("clip-longest", "the sizes are multiplied")
def answer(shapes, limit):
    n = 1
    for shape in shapes:
        n *= np.prod(shape)
    return limit * np.sqrt(n)


@right("clip-longest", "the length of arrays filled with the limit")
def answer(shapes, limit):
    return np.linalg.norm([np.linalg.norm(np.full(shape, limit)) for shape in shapes])


@right("clip-longest", "math.prod and hypot")
def answer(shapes, limit):
    import math

    return math.hypot(*(limit for shape in shapes for _ in range(math.prod(shape))))


six = [2.4, 2.4, 2.4, 1.0, 1.2, 0.8]
wrong("clip-ratios", "clip_by_norm of a tuple clips each", [2.4, 2.4, 1.0, 1.0, 1.2, 0.8])
wrong("clip-ratios", "each clip alone keeps the ratio", [2.4, 2.4, 2.4, 2.4, 2.4, 0.8])
wrong("clip-ratios", "both are longer than 6", [*six[:4], 1.0, 0.8])
wrong("clip-ratios", "by value both become 4 long", [*six[:5], 1.0])
wrong("clip-ratios", "by value keeps the ratio", [*six[:5], 2.4])
wrong("clip-ratios", "the first over the second", [5 / 12, 5 / 12, 5 / 12, 1.0, 5 / 6, 1.25])
wrong("clip-ratios", "the global norm makes both 1", [2.4, 1.0, *six[2:]])
wrong("clip-ratios", "the lengths of the second, not the ratio", [12, 12 / 13, 12 / 13, 1, 6, 4])
wrong("clip-ratios", "a's length is 7", [12 / 7, 12 / 7, 12 / 7, 1.0, 1.0, 4 / 7])
right("clip-ratios", "rounded, as fractions", [12 / 5, 12 / 5, 12 / 5, 1, 6 / 5, 4 / 5])

orders = ["alone", "right", "scale", "apart", "right", "hidden"]
wrong("clip-orders", "the check must always come before the clip", [*orders[:4], "hidden", "hidden"])
wrong("clip-orders", "the documents' order is right", ["right", *orders[1:]])
wrong("clip-orders", "a norm of inf shows in both rules", [*orders[:5], "right"])
wrong("clip-orders", "checking early is best", [*orders[:3], "right", *orders[4:]])
wrong("clip-orders", "unscaling after the clip is linear, so it does not matter", [*orders[:2], "right", *orders[3:]])
wrong("clip-orders", "reducing before unscaling is wrong", [orders[0], "scale", *orders[2:]])
wrong("clip-orders", "apart and alone are exchanged", ["apart", "right", "scale", "alone", "right", "hidden"])
wrong("clip-orders", "the check before the reduce hides the other worker's inf", [*orders[:3], "hidden", *orders[4:]])
wrong(
    "clip-orders", "only one order is right, the safe habit", ["alone", "scale", "scale", "apart", "hidden", "hidden"]
)
right("clip-orders", "a tuple", tuple(orders))


@wrong("clip-prove", "the clip lets short gradients grow: the factor is max")
def answer(a, b, limit):
    def clip(g):
        return g * max(1.0, limit / np.linalg.norm(g))

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    return cosine(mean, (clip(a) + clip(b)) / 2), cosine(mean, clip(mean))


wrong(
    "clip-prove",
    "always scaled to the limit",
    above("max(1.0, limit / np.linalg.norm(g)) -> limit / np.linalg.norm(g)"),
)
wrong("clip-prove", "clips by value", above("g * max(1.0, limit / np.linalg.norm(g)) -> np.clip(g, -limit, limit)"))
wrong(
    "clip-prove",
    "the brackets of the cosine: divides by one, multiplies by the other",
    above("max -> min", "(np.linalg.norm(u) * np.linalg.norm(v)) -> np.linalg.norm(u) * np.linalg.norm(v)"),
)


@wrong("clip-prove", "the cosines are exchanged")
def answer(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    return cosine(mean, clip(mean)), cosine(mean, (clip(a) + clip(b)) / 2)


@wrong("clip-prove", "one factor for both workers: a global norm")
def answer(a, b, limit):
    norm = np.sqrt(a @ a + b @ b)
    factor = min(1.0, limit / norm)

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    return cosine(mean, (a * factor + b * factor) / 2), cosine(mean, mean * factor)


@wrong("clip-prove", "the cosine between the two orders")
def answer(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    one, other = (clip(a) + clip(b)) / 2, clip(mean)
    return cosine(one, other), cosine(other, one)


@wrong("clip-prove", "the second one is known to be 1, and the first one compares the workers")
def answer(a, b, limit):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), 1.0


@wrong("clip-prove", "angles in degrees")
def answer(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def angle(u, v):
        return np.degrees(np.arccos(np.clip(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)), -1, 1)))

    mean = (a + b) / 2
    return angle(mean, (clip(a) + clip(b)) / 2), angle(mean, clip(mean))


@right("clip-prove", "the sum for the mean, for a cosine knows no length; the second one is 1 in any case")
def answer(a, b, limit):
    def clip(g):
        norm = np.linalg.norm(g)
        return g if norm <= limit else g * limit / norm

    total = a + b
    clipped = clip(a) + clip(b)
    return total @ clipped / (np.linalg.norm(total) * np.linalg.norm(clipped)), 1.0


@wrong("clip-mend", "only the first worker is checked")
def answer(w, first, second, scale, limit):
    if not ms.amp.all_finite((first,)):
        return w
    mean = (first + second) / 2 / scale
    (mean,) = ms.ops.clip_by_global_norm((mean,), limit)
    return w - 0.1 * mean


wrong("clip-mend", "without a check", above("    if not ms.amp.all_finite((first,)):\n        return w\n -> "))


@wrong("clip-mend", "the clip still comes before the mean")
def answer(w, first, second, scale, limit):
    first, second = first / scale, second / scale
    if not ms.amp.all_finite((first, second)):
        return w
    first = ms.ops.clip_by_global_norm((first,), limit)[0]
    second = ms.ops.clip_by_global_norm((second,), limit)[0]
    return w - 0.1 * (first + second) / 2


@wrong("clip-mend", "the mean is clipped before it is unscaled")
def answer(w, first, second, scale, limit):
    mean = (first + second) / 2
    if not ms.amp.all_finite((mean,)):
        return w
    (mean,) = ms.ops.clip_by_global_norm((mean,), limit)
    return w - 0.1 * (mean / scale)


@wrong("clip-mend", "the sum for the mean")
def answer(w, first, second, scale, limit):
    total = (first + second) / scale
    if not ms.amp.all_finite((total,)):
        return w
    (total,) = ms.ops.clip_by_global_norm((total,), limit)
    return w - 0.1 * total


@wrong("clip-mend", "both in one tuple: a global norm over the workers")
def answer(w, first, second, scale, limit):
    first, second = first / scale, second / scale
    if not ms.amp.all_finite((first, second)):
        return w
    first, second = ms.ops.clip_by_global_norm((first, second), limit)
    return w - 0.1 * (first + second) / 2


@wrong("clip-mend", "a worker that overflows is left out, the other one steps")
def answer(w, first, second, scale, limit):
    good = [g / scale for g in (first, second) if ms.amp.all_finite((g,))]
    if not good:
        return w
    mean = sum(good[1:], good[0]) / len(good)
    (mean,) = ms.ops.clip_by_global_norm((mean,), limit)
    return w - 0.1 * mean


@wrong("clip-mend", "by value, which hides an overflow, and the check comes after it")
def answer(w, first, second, scale, limit):
    mean = (first + second) / 2 / scale
    mean = ms.ops.clip_by_value(mean, -limit, limit)
    if not ms.amp.all_finite((mean,)):
        return w
    return w - 0.1 * mean


@wrong("clip-mend", "the clip's tuple is not opened")
def answer(w, first, second, scale, limit):
    mean = (first + second) / 2 / scale
    if not ms.amp.all_finite((mean,)):
        return w
    mean = ms.ops.clip_by_global_norm((mean,), limit)
    return w - 0.1 * mean


@right("clip-mend", "by hand, with NumPy")
def answer(w, first, second, scale, limit):
    mean = (first.asnumpy() + second.asnumpy()) / np.float32(2 * scale)
    if not np.all(np.isfinite(mean)):
        return w
    norm = np.linalg.norm(mean)
    if norm > limit:
        mean = mean * np.float32(limit / norm)
    return w - 0.1 * ms.Tensor(mean)


@right("clip-mend", "clip_by_norm of a single Tensor, after a check of the mean")
def answer(w, first, second, scale, limit):
    mean = (first / scale + second / scale) * 0.5
    if ms.amp.all_finite([mean]):
        return w - ops.clip_by_norm(mean, limit) * 0.1
    return w


@wrong("clip-port", "clips the leaves themselves")
def answer(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    return x.detach(), y.detach()


wrong("clip-port", "by value", above("clip_grad_norm_ -> clip_grad_value_", "detach(), y.detach() -> grad, y.grad"))


@wrong("clip-port", "not clipped")
def answer(x, y):
    return torch.autograd.grad((x**2).sum() * (y**2).sum(), (x, y))


@wrong("clip-port", "each is clipped alone")
def answer(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    torch.nn.utils.clip_grad_norm_([x], 1.0)
    torch.nn.utils.clip_grad_norm_([y], 1.0)
    return x.grad, y.grad


@wrong("clip-port", "the norm that clip_grad_norm_ returns")
def answer(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    return torch.nn.utils.clip_grad_norm_([x, y], 1.0)


@wrong("clip-port", "clips before there are gradients")
def answer(x, y):
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    ((x**2).sum() * (y**2).sum()).backward()
    return x.grad, y.grad


@wrong("clip-port", "divides by the norm, whatever it is; the norms are added")
def answer(x, y):
    gx, gy = torch.autograd.grad((x**2).sum() * (y**2).sum(), (x, y))
    norm = gx.norm() + gy.norm()
    return gx / norm, gy / norm


@wrong("clip-port", "the sum of the two factors")
def answer(x, y):
    ((x**2).sum() + (y**2).sum()).backward()
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    return x.grad, y.grad


@right("clip-port", "by hand: one factor for both")
def answer(x, y):
    gx, gy = torch.autograd.grad((x**2).sum() * (y**2).sum(), (x, y))
    norm = float(torch.sqrt((gx**2).sum() + (gy**2).sum()))
    factor = 1.0 / norm if norm > 1.0 else 1.0
    return gx * factor, gy * factor


@right("clip-port", "clip_grad_norm_ on the .grad of both")
def answer(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    torch.nn.utils.clip_grad_norm_((x, y), max_norm=1.0)
    return x.grad, y.grad
