"""Random programs of calls that draw random numbers, for PyTorch and for its dialect: `PYTHON random_calls.py FIRST COUNT`.

A program is made from its number alone, so both sides run the same one. Printed, as JSON, is one list per program: what
each of its calls gave, as a short digest of type, shape and bytes. It imports nothing of labkit, for it may run under an
interpreter that has not got it.
"""

import hashlib
import json
import random
import sys

SEEDS = [0, 1, 42, 2**31, 2**32 + 5, 2**63, 2**64 - 1, -1, -(2**63), 1234567]
FLOATS = ["torch.float32"] * 3 + ["torch.float64", "torch.float16", "torch.bfloat16"]
INTEGERS = ["torch.int64"] * 3 + ["torch.int32", "torch.int16", "torch.uint8"]
LAYOUTS = ["", ".transpose(0, -1)", "[..., ::2]", ".transpose(0, -1)[1:]", "[:1].expand({shape})"]


def shape(pick):
    """Often few numbers, often more than a block of 16, sometimes none."""
    sizes = [
        (),
        (0,),
        (1,),
        (3,),
        (7,),
        (15,),
        (16,),
        (17,),
        (100,),
        (2, 3),
        (4, 4),
        (5, 7),
        (3, 0),
        (2, 3, 4),
        (1000,),
    ]
    return pick.choice([*sizes, (pick.randrange(1, 60), pick.randrange(1, 60))])


def tensor(pick, kind, writable=False):
    """An expression for a tensor of floats, laid out in one way or another."""
    sizes = shape(pick)
    layout = pick.choice(LAYOUTS[: 4 if writable else 5]) if len(sizes) > 1 else ""
    return f"torch.full({sizes}, 0.25, dtype={kind}){layout.format(shape=sizes)}"


def bounds(pick, lowest):
    low = pick.choice([0, 0, 0, lowest, 3])
    return low, low + pick.choice([1, 2, 10, 100, 120])


def wide_bounds(pick):
    low = pick.choice([0, -(2**31), -(2**62), 7])
    return low, low + pick.choice([2**28 - 1, 2**28, 2**31, 2**32, 2**62, 3**30])


def call(pick):
    """One expression that draws."""
    kind, whole = pick.choice(FLOATS), pick.choice(INTEGERS)
    a, b = sorted(round(pick.uniform(-3, 3), 3) for _ in range(2))
    std, p = round(pick.uniform(0, 3), 3), pick.choice([0, 0.1, 0.5, 0.7, 1, 1 / 3])
    low, high = bounds(pick, 0 if whole == "torch.uint8" else -5)
    out, inputs, side = pick.randrange(1, 20), pick.randrange(1, 20), pick.choice([1, 3, 5])
    return pick.choice([
        f"torch.rand({shape(pick)}, dtype={kind})",
        f"torch.randn({shape(pick)}, dtype={kind})",
        f"torch.randn({shape(pick)}, generator=generator)",
        f"torch.randint({low}, {high}, {shape(pick)}, dtype={pick.choice([whole, kind])})",
        "torch.randint({}, {}, {})".format(*wide_bounds(pick), shape(pick)),
        f"torch.randperm({pick.choice([0, 1, 2, 10, 33, 700])})",
        f"torch.rand_like({tensor(pick, kind)})",
        f"torch.randn_like({tensor(pick, kind)})",
        f"torch.normal({a}, {std}, {shape(pick)})",
        f"torch.normal({tensor(pick, kind)}, {std})",
        f"torch.normal({a}, {tensor(pick, kind)})",
        f"torch.normal(torch.ones(5, 1, dtype={kind}), torch.ones(4, dtype={kind}))",
        f"{tensor(pick, kind, True)}.uniform_({a}, {b})",
        f"{tensor(pick, kind, True)}.normal_({a}, {std})",
        f"nn.functional.dropout({tensor(pick, kind)}, {p})",
        f"nn.Linear({inputs}, {out}, bias={pick.random() < 0.7}).weight",
        f"nn.Linear({inputs}, {out}).bias",
        f"nn.Conv2d({inputs}, {out}, {side}).weight",
        f"nn.Conv2d(6, {out * 2}, {side}, groups=2).bias",
        f"nn.init.xavier_uniform_(torch.zeros({out}, {inputs}, dtype={kind}))",
        f"nn.init.xavier_normal_(torch.zeros({out}, {inputs}), {std})",
        f"nn.init.kaiming_uniform_(torch.zeros({out}, {inputs}, {side}), {p}, 'fan_out')",
        f"nn.init.kaiming_normal_(torch.zeros({out}, {inputs}, {side}, 2), nonlinearity='relu')",
        "torch.get_rng_state()",
        "torch.set_rng_state(generator.get_state())",
        f"torch.manual_seed({pick.choice(SEEDS)})",
    ])  # fmt: skip


def program(number):
    """The calls of one program, after its seeds."""
    pick = random.Random(number)
    seed = pick.choice([*SEEDS, pick.randrange(-(2**63), 2**64)])
    begin = [f"torch.manual_seed({seed})", f"generator.manual_seed({pick.choice(SEEDS)})"]
    return begin + [call(pick) for _ in range(pick.randrange(2, 9))]


def digest(value):
    """Eight letters that stand for a tensor; none for anything else."""
    if not hasattr(value, "detach"):
        return ""
    value = value.detach()
    wide = value.float() if str(value.dtype) == "torch.bfloat16" else value
    told = f"{value.dtype} {tuple(value.shape)} ".encode() + wide.contiguous().numpy().tobytes()
    return hashlib.sha256(told).hexdigest()[:8]


def run(torch, first, count):
    """What the calls of `count` programs give, from number `first` on."""
    results = []
    for number in range(first, first + count):
        known = {"torch": torch, "nn": torch.nn, "generator": torch.Generator()}
        results.append([digest(eval(line, known)) for line in program(number)])
    return results


if __name__ == "__main__":
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    json.dump(run(torch, int(sys.argv[1]), int(sys.argv[2])), sys.stdout)
