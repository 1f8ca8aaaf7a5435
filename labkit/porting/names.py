"""Counterparts of names in the other framework, and what two paths have in common."""

import re

_SAME = {
    "gamma": "weight", "beta": "bias", "embedding_table": "weight", "moving_mean": "running_mean",
    "moving_variance": "running_var", "moving_var": "running_var",
}  # fmt: skip


def common(name: str) -> str:
    """The name that both frameworks' names have here.

    >>> common("moving_mean"), common("weight_ih_l0")
    ('running_mean', 'weight_ih_l0')
    """
    return _SAME.get(name, name)


def evidence(a: str, b: str) -> int:
    """How much speaks for two paths as names of the same module: the numbers and the words that they share.

    >>> evidence("layers.0.fc2", "blocks.0.dense2"), evidence("layers.0.fc2", "blocks.0.dense1")
    (2, 1)
    """
    one, two = (re.findall(r"[a-z]+|\d+", path.lower()) for path in (a, b))
    return sum(min(one.count(word), two.count(word)) for word in set(one))


def kind(name: str) -> str:
    """The name of a class as both frameworks may write it: `Linear` and `Dense` are both "linear"."""
    short = re.sub(r"[^a-z0-9]", "", name.lower())
    return {"dense": "linear", "sequentialcell": "sequential", "hswish": "hardswish", "hsigmoid": "hardsigmoid"}.get(
        short, short
    )
