"""Arguments to try an op with, for either dialect and for NumPy: an op takes some of them and refuses the others."""

import numpy as np


def recipes(tensor, dtypes, seed, whole="int32"):
    """`{name: arguments}`; the arguments of two seeds have the same shapes and other values.

    `tensor` makes a tensor from an array of floats, integers or booleans, `dtypes` are the dialect's float16, int32 and bool,
    `whole` is the dtype of indices.
    """
    rng = np.random.default_rng(seed)
    small = lambda *shape: tensor(np.asarray(rng.uniform(0.2, 0.8, shape)))
    wide = lambda *shape: tensor(np.asarray(rng.uniform(-3, 3, shape)))
    index = lambda *shape: tensor(np.asarray(rng.integers(0, 3, shape)).astype(whole))
    mask = lambda: tensor(rng.random((3, 3)) > 0.5)
    half, integer, boolean = dtypes
    return {
        "one": (small(3, 3),), "wide": (wide(3, 3),), "number": (small(),), "vector": (small(3),),
        "two": (small(3, 3), small(3, 3)), "two wide": (wide(3, 3), wide(3, 3)), "broadcast": (wide(3, 3), wide(3)),
        "two vectors": (small(3), small(3)), "and 2": (small(3, 3), 2), "2 and": (2, small(3, 3)), "and 1.5": (wide(3, 3), 1.5),
        "axis 1": (wide(3, 3), 1), "axis 0": (wide(3, 3), 0), "axis -1, kept": (wide(3, 3), -1, True),
        "a list": ([small(3, 3), small(3, 3)],), "a tuple, axis": ((wide(3, 3), wide(3, 3)), 1),
        "shape": (wide(3, 3), (9,)), "sizes": (wide(3, 3), (3, 3)), "order": (wide(3, 3), (1, 0)), "axes": (wide(3, 3), 1, 0),
        "indices": (wide(3, 3), index(3), 0), "axis, indices": (wide(3, 3), 0, index(3, 3)), "indexed": (wide(3, 3), index(2)),
        "mask": (wide(3, 3), mask()), "mask, number": (wide(3, 3), mask(), 1.5), "mask, two": (mask(), wide(3, 3), wide(3, 3)),
        "mask, one": (mask(), wide(3, 3), 2.0), "limits": (wide(3, 3), -0.5, 0.5), "upper limit": (wide(3, 3), None, 0.5),
        "limits as tensors": (wide(3, 3), small(3, 3) - 1, small(3, 3)), "weights": (small(2, 3), small(4, 3), wide(4)),
        "equation": ("ij,jk->ik", small(3, 3), small(3, 3)), "contracted": (small(3, 3), small(3, 3), 1),
        "depth": (index(4), 5), "three": (small(3, 3), small(3, 3), wide(3, 3)), "blended": (small(3, 3), small(3, 3), 0.3),
        "float16": (wide(3, 3), half), "int32": (wide(3, 3), integer), "bool": (wide(3, 3), boolean),
        "order 1": (wide(3, 3), 1, 0), "order 3": (wide(3, 3), 3, 1), "integers": (index(3, 3),), "booleans": (mask(), mask()),
        "parts": (wide(3, 3), 1, 0), "uneven parts": (wide(3, 3), [1, 2], 1), "descending": (wide(3, 3), 0, True),
        "of a shape": ((2, 3),), "ddof": (wide(3, 3), 1, 1, True), "a list to shorten": ([wide(3, 3), wide(3, 3)], 1.0),
        "pictures": (wide(2, 3, 2, 2), wide(3)), "pictures, kernel": (wide(2, 3, 4, 4), wide(2, 3, 2, 2)),
        "pictures alone": (wide(2, 3, 4, 4),), "pictures, window": (wide(2, 3, 4, 4), 2), "classes": (wide(3, 4), index(3)),
        "five": (small(3), small(3), small(3), small(3)),
    }  # fmt: skip
