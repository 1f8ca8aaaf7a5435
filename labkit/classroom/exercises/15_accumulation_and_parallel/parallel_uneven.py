"""# Shards of different sizes (2 points)

Write `reduce(gradients, sizes)`, with NumPy. Row `k` of `gradients` is what worker `k` computed: the gradient of
the **mean** loss of its `sizes[k]` samples. Return the gradient of the mean loss of all samples.
"""

from labkit.classroom.writing import judged, wrong


def reduce(gradients, sizes):
    return (gradients * sizes[:, None]).sum(axis=0) / sizes.sum()


def draw(rng):
    workers = int(rng.integers(2, 6))
    sizes = rng.integers(1, 20, workers)
    sizes[0] = sizes[1] + 5
    return rng.normal(size=(workers, 4)), sizes


@wrong("This is the plain mean. So a sample of a small shard counts more than one of a large shard.")
def plain_mean(gradients, sizes):
    return gradients.mean(axis=0)


@wrong("This is the sum of the workers' means. It is too long, and the shards' sizes do not matter in it.")
def plain_sum(gradients, sizes):
    return gradients.sum(axis=0)


@wrong("This is the gradient of the sum over all samples. The loss is their mean: divide by the number of samples.")
def weighted_not_divided(gradients, sizes):
    return sizes @ gradients


@wrong("The weights have to add up to 1: divide by the number of samples, not of workers.")
def divided_by_workers(gradients, sizes):
    return sizes @ gradients / len(sizes)


@judged("value")
def divided_by_sizes(gradients, sizes):
    return (gradients / sizes[:, None]).sum(axis=0)


hints = (
    "Worker k's mean, times sizes[k], is the sum over its samples.",
    "Add these sums for all workers. Then divide by the number of all samples.",
    "(gradients * sizes[:, None]).sum(axis=0) / sizes.sum()",
)
