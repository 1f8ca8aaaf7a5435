"""Random programs of calls that draw random numbers, for MindSpore and its dialect: `PYTHON random_calls_ms.py FIRST COUNT`.

As `random_calls`: a program is made from its number alone, and what each call gave is printed as a digest. Nothing of
labkit is imported.
"""

import hashlib
import json
import random
import sys

import numpy as np

SEEDS = [0, 1, 42, 2**31, 2**32 - 3, 1234567]  # multiples of 2**31 - 1 stand for any seed
KINDS = ["ms.float32"] * 3 + ["ms.float16", "ms.float64"]


def call(pick):
    """One expression that draws."""
    shape = pick.choice([(1, 1), (3, 2), (5, 7), (2, 3, 4), (40, 30), (pick.randrange(1, 30), pick.randrange(1, 30))])
    a, b = round(pick.uniform(0, 2), 3), round(pick.uniform(-2, 2), 3)
    kind, p, rows = pick.choice(KINDS), pick.choice([0.1, 0.3, 0.5]), pick.randrange(2, 200)
    init = pick.choice([
        f"Uniform({a})", f"Normal({a}, {b})", f"TruncatedNormal({a + 0.1}, {b}, {b - 1}, {b + 2})", f"HeUniform({a})",
        f"HeNormal({a}, 'fan_out', 'relu')",
    ])  # fmt: skip
    return pick.choice([
        f"made(initializer({init}, {shape}, {kind}))",
        f"nn.Dense({shape[0]}, {shape[1]}).weight",
        f"nn.Dense({shape[0]}, {shape[1]}).bias",
        f"nn.Conv2d({shape[0]}, {shape[1]}, 3, has_bias=True).bias",
        f"ops.rand({shape}, dtype={kind})",
        f"ops.rand({rows}, seed={rows})",
        f"ops.dropout(ms.Tensor(np.full({shape}, 1.7, 'float32')), {p})",
        f"twice(nn.Dropout(p={p}).set_train(), ms.Tensor(np.full({shape}, 1.7, 'float32')))",
        f"order(ds.NumpySlicesDataset(np.arange({rows}), shuffle=True), {rows})",
        f"order(ds.NumpySlicesDataset(np.arange({rows}), shuffle=False).shuffle({max(rows // 3, 2)}), {rows})",
        "np.random.rand(3)",
        f"ms.set_seed({pick.choice(SEEDS)})",
    ])  # fmt: skip


def program(number):
    """The calls of one program, after its seed."""
    pick = random.Random(number)
    return [f"ms.set_seed({pick.choice([*SEEDS, pick.randrange(2**32)])})"] + [
        call(pick) for _ in range(pick.randrange(2, 7))
    ]


def helpers():
    """What programs call besides the framework."""

    def order(dataset, rows):
        read = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
        return np.array([int(row[0]) for _ in range(2) for row in read])

    return {
        "np": np,
        "order": order,
        "twice": lambda layer, x: np.stack([layer(x).asnumpy(), layer(x).asnumpy()]),
        "made": lambda tensor: tensor.init_data() if hasattr(tensor, "init_data") else tensor,
    }


def digest(value):
    """Eight letters that stand for an array; none for anything else."""
    array = value.asnumpy() if hasattr(value, "asnumpy") else value
    if not isinstance(array, np.ndarray):
        return ""
    return hashlib.sha256(f"{array.dtype} {array.shape} ".encode() + array.tobytes()).hexdigest()[:8]


def run(ms, initializers, ds, first, count):
    """What the calls of `count` programs give, from number `first` on."""
    results = []
    for number in range(first, first + count):
        known = vars(initializers) | {"ms": ms, "nn": ms.nn, "ops": ms.ops, "ds": ds} | helpers()
        results.append([digest(eval(line, dict(known))) for line in program(number)])
    return results


if __name__ == "__main__":
    import mindspore
    import mindspore.common.initializer
    import mindspore.dataset

    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    found = run(mindspore, mindspore.common.initializer, mindspore.dataset, int(sys.argv[1]), int(sys.argv[2]))
    json.dump(found, sys.stdout)
