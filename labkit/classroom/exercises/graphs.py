"""Random graphs as data, for the exercises that take a backward pass over one."""

import numpy as np

Parents = tuple[tuple[tuple[int, float], ...], ...]


def draw_graph(
    rng: np.random.Generator,
    leaves: int = 3,
    ops: int = 4,
    old_first: bool = False,
    dead: bool = False,
    again: bool = False,
) -> Parents:
    """A random graph in the order it ran. An op uses the node before it, and mostly one more: any, also the same once more.

    `old_first`: the one more comes first. `dead`: one op uses old nodes alone, so that the node before it is in vain.
    `again`: one op has a third use, the same as its first.
    """
    parents: list[tuple] = [()] * leaves
    in_vain = leaves + 1 + int(rng.integers(0, ops - 1)) if dead else -1
    for node in range(leaves, leaves + ops):
        newest = node - 1 if node != in_vain else node - 2
        used = [newest, int(rng.integers(0, newest + 1))][: 2 if node == leaves + 1 or rng.random() < 0.8 else 1]
        slopes = rng.choice([-3.0, -2.0, 2.0, 3.0, 4.0], 2)
        pairs = tuple(zip(used, map(float, slopes)))[:: -1 if old_first else 1]
        parents.append((*pairs, *pairs[: again and node == leaves + 1]))
    last = len(parents) - 1
    ends = (last, 2.0), (int(rng.integers(leaves, last)), float(rng.choice([3.0, 5.0])))
    return (*parents, ends[:: -1 if old_first else 1])
