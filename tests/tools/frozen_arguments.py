"""Arguments for calls, from the names and defaults of a function's parameters, and those any op is tried with.

No op is listed here. What is listed are words: what a parameter of a certain name is given, in either framework.
"""

import importlib
import inspect
from functools import cache

import numpy as np
from frozen_answers import DIALECTS
from recipes import recipes

# What a parameter of one of these names is given; arrays become tensors of the dialect and dtype.
NAMED = {
    "input self data out logits variable y tensor1 x1 input_data out output g h values": "wide(3, 3) | wide(2, 3, 4, 4)",
    "x input_x A": "wide(3, 3) | wide(2, 3, 4, 4) | wide(3)", "a b": "wide(3, 3) | kinds[1] | 2.0", "to from_": "kinds[0]",
    "other input_y tensor2 x2 labels vec2 value": "small(3, 3) | index(3)", "v": "small(3, 3)",
    "target label": "small(3, 3) | index(3)", "mat2 w": "small(3, 3) | small(2, 3, 2, 2)", "src source": "small(3, 3)",
    "primals tangents cotangents": "(wide(3, 3),) | wide(3, 3)", "outputs": "[made_of_leaf(leaf)]",
    "end": "small(3) | 2", "start": "small(3) | 1", "inputs": "[small(3, 3), small(3, 3)] | small(3, 3) | leaf",
    "tensors operands series callbacks": "[small(3, 3), small(3, 3)]", "gradients grads": "(small(3, 3), small(3))",
    "tree": "[wide(3, 3)]",
    "weight": "small(3, 3) | small(2, 3, 2, 2)", "bias vec": "small(3)", "mask condition": "mask(3, 3)",
    "index indices": "index(3, 3) | index(3) | 0", "k": "1 | 2", "memo": "{}", "spec": "''", "mode": "True | 'max'",
    "dim axis dim0 axis0 diagonal offset start_dim axes split_size_or_sections root_rank": "0", "dim1 axis1 dim2 end_dim": "1",
    "size shape": "(3, 3)", "sizes": "(3, 1) | (3, 3)", "dims": "(1, 0)", "order": "(1, 0) | 1", "counted": "False | True",
    "repeats rep chunks n m depth split_size divisor divisors": "2", "device_type device_target": "'cpu' | 'CPU'",
    "kernel stride dilation": "(2, 2)", "padding": "((0, 0), (0, 0)) | (0, 0)", "kernel_size groups": "1 | 2",
    "shifts steps num_classes length num_features in_features out_features in_channels out_channels ndim": "3 | 1",
    "exponent power": "2 | 2.0", "min": "1.0", "p low clip_value max_norm total_norm fill_value decimals clip_norm": "1",
    "max high": "2", "equation": "'ij,jk->ik'", "seed": "3", "dtype type data_type": "kinds[1] | kinds[0] | 'cpu'",
    "func fn fun f": "cubes", "params parameters input_params": "parameters()", "hook hook_fn": "lambda g: g",
    "network net backbone module model": "network() | cubes", "rule": "lambda g, ans, x: (g,)", "optimizer": "optimizer()",
    "loss_fn": "loss()", "lr learning_rate": "0.1", "lr_lambda": "lambda epoch: 0.5 ** epoch", "momentum rho": "0.9",
    "step_size T_max total_step decay_steps decay_epoch step_per_epoch warmup_steps warmup_epoch update_decay_epoch": "3",
    "min_lr end_learning_rate": "0.01", "max_lr": "0.2", "decay_rate gamma": "0.9", "milestone": "[2, 5]",
    "learning_rates": "[0.1, 0.01]", "loss_scale_value loss_scale scale_value": "4.0", "scale_sense": "4.0 | scale()",
    "scale_factor scale_window beta": "2", "argnums grad_position": "0", "nonlinearity": "'relu'",
    "name which": "'name' | 'relu' | 'mae' | 'float16'", "ndarray iterable obj": "np.arange(6.0).reshape(3, 2)",
    "legacy": "False", "dataset": "dataset()", "indices_or_sections": "3", "init": "'zeros'",
    "args": "wide(3, 3) | (wide(3, 3),)",
    "pad": "(1, 1)", "running_mean running_var": "small(3)", "on_value": "5", "ckpt_file_name": "'kept.ckpt'",
    "save_obj": "network()", "attr_key": "'mode' | 'parallel_mode'", "transforms": "[lambda x: x]",
    "mean std": "[0.5] | small(3)",
    "rescale shift": "0.5", "defaults": "{'lr': 0.1}", "state": "{}", "default_input": "small(3, 3)",
}  # fmt: skip
OPTIONS = {  # what an optional parameter is set to where its default does not say
    "reduction": ["'sum'", "'none'"], "rounding_mode": ["'floor'", "'trunc'"], "approximate": ["'tanh'"], "alpha": ["2"],
    "dim": ["0", "-1"], "axis": ["0", "-1"], "dtype": ["kinds[0]"], "weight": ["small(3)"], "generator": [], "out": [],
    "indexing": ["'ij'"], "mode": ["'max'"], "padding": ["1", "'same'"], "correction": ["0"], "min": ["-0.5"], "max": ["0.5"],
    "pad_mode": ["'same'"], "stride": ["2"], "name": [], "fun": [], "momentum": ["0.9"], "weight_decay": ["0.01"],
    "ord": ["1"], "p": ["1"], "nan": ["1.0"], "device": [],
}  # fmt: skip
WRONG = {
    "nothing": (), "text": ("text",), "none": (None,), "a text besides": ("one", "text"),
    "shapes that do not fit": ("odd", "even"),
    "a number": (1.5,), "nine arguments": (1,) * 9,
}  # fmt: skip


class Values:
    """What the words of `NAMED` are made of: arrays, and the dialect's own networks and optimizers."""

    def __init__(self, dialect):
        rng, self.np, self.kinds = np.random.default_rng(3), np, dialect.kinds
        self.small = lambda *shape: np.asarray(rng.uniform(0.2, 0.8, shape))
        self.wide = lambda *shape: np.asarray(rng.uniform(-3, 3, shape))
        self.index = lambda *shape: rng.integers(0, 3, shape).astype(dialect.whole)
        self.mask = lambda *shape: rng.random(shape) > 0.5
        self.cubes = lambda *xs: sum((x**3).sum() for x in xs)
        if dialect.name != "numpy":
            self.nn = importlib.import_module(f"{dialect.module.__name__}.nn")
            self.dialect = dialect
            self.network = lambda: (
                dialect.seed() or getattr(self.nn, "Linear" if dialect.name == "torch" else "Dense")(3, 3)
            )
            self.loss = lambda: self.nn.MSELoss()
            self.leaf = dialect.tensor(np.ones((3, 3)) * 1.5, "float64")
            self.made_of_leaf = lambda leaf: (leaf * leaf).sum()
            self.scale = lambda: dialect.tensor(np.array(4.0), "float32")

    def parameters(self):
        network = self.network()
        if self.dialect.name == "mindspore":
            return network.trainable_params()
        (network(self.dialect.tensor(self.wide(2, 3), "float32")) ** 2).sum().backward()
        return list(network.parameters())

    def optimizer(self):
        torch = self.dialect.name == "torch"
        return self.dialect.module.optim.SGD(self.parameters(), 0.1) if torch else self.nn.SGD(self.parameters(), 0.1)

    def dataset(self):
        rows = {"x": np.arange(12, dtype="float32").reshape(4, 3)}
        return self.dialect.module.dataset.NumpySlicesDataset(rows, shuffle=False)


WORDS = {word: text for words, text in NAMED.items() for word in words.split()}


def meant(dialect, text):
    """The value that a text of `NAMED` or `OPTIONS` stands for."""
    values = Values(dialect)
    return eval(text, vars(values) | {n: getattr(values, n) for n in ("parameters", "optimizer", "dataset")})


@cache
def pool(dialect_name):
    """The arguments that any op is tried with: those of `recipes`, and wrong ones."""
    dialect = DIALECTS[dialect_name]
    found = recipes(lambda array: array, dialect.kinds, 1, dialect.whole)
    values = Values(dialect)
    wide, index = values.wide, values.index
    found |= {
        "positions": (wide(3, 3), index(3, 3), 1), "positions, shape": (wide(3, 3), index(3, 3), 1, (3, 3)),
        "batches": (wide(2, 3, 3), wide(2, 3, 3)), "from, to, shape": (1, 5, (2, 3)), "counts": (index(5),),
        "a function, a tensor": (values.cubes, wide(3)), "a function, tuples": (values.cubes, (wide(3),), (wide(3),)),
        "windows": (wide(2, 3, 4, 4), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)), "a function alone": (values.cubes,),
        "a function of two": (values.cubes, (wide(3), wide(3)), (wide(3), wide(3))), "twice": (values.cubes, wide(3), wide(3)),
    }  # fmt: skip
    odd = {"one": found["one"][0], "odd": np.ones((2, 3)), "even": np.ones((5, 4))}
    return found, {
        name: tuple(odd.get(a, a) if isinstance(a, str) else a for a in args) for name, args in WRONG.items()
    }


def parameters(fun):
    try:
        return [
            p for p in inspect.signature(fun).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
    except (TypeError, ValueError):
        return []


def by_signature(dialect, fun, choice=0):
    """The arguments that the names of the required parameters ask for, by the first or a later meaning of each name; None
    where a name says nothing."""
    required = [p for p in parameters(fun) if p.default is p.empty]
    if not all(p.name in WORDS for p in required):
        return None
    texts = [WORDS[p.name].split(" | ") for p in required]
    if choice and all(len(t) <= choice for t in texts):
        return None
    try:
        return tuple(meant(dialect, t[min(choice, len(t) - 1)]) for t in texts)
    except Exception:  # what this dialect has not got
        return None


def options(fun):
    """`(name, text)` of each optional parameter and a value that is not its default."""
    for p in parameters(fun):
        if p.default is p.empty:
            continue
        changed = {bool: lambda d: [str(not d)], int: lambda d: [str(d + 1)], float: lambda d: [str(d / 2 + 0.25)]}
        by_type = changed.get(type(p.default), lambda d: [])(p.default)
        known = [WORDS[p.name].split(" | ")[0]] if p.name in WORDS and p.default is None else []
        yield from ((p.name, text) for text in OPTIONS.get(p.name, by_type or known))
