"""Two classes of points that no straight line separates: the data of the course's moons net."""

import numpy as np


def moons(n: int = 64, noise: float = 0.12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points on two half circles that reach into each other: x (n, 2) float32, and y (n,) float32, the class, 0 or 1.

    The classes take turns. `noise` is the standard deviation of what is added to each coordinate. The same `n`, `noise`
    and `seed` give the same points, with every NumPy.

    >>> x, y = moons()
    >>> x.shape, x.dtype, y[:4].tolist()
    ((64, 2), dtype('float32'), [0.0, 1.0, 0.0, 1.0])
    """
    draws = np.random.RandomState(seed)
    y = np.arange(n) % 2
    angle = np.pi * draws.uniform(size=n)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    x[y == 1] = [1.0, 0.5] - x[y == 1]
    return (x + noise * draws.normal(size=(n, 2))).astype(np.float32), y.astype(np.float32)
