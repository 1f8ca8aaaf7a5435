"""10b Curvature at work."""

import numpy as np
from sheets import above, right, wrong


@wrong("curve-implicit", "the push")
def pull(a, z, g):
    return np.linalg.solve(a + np.diag(3 * z**2), g)


wrong("curve-implicit", "the cube is left out", above("a + np.diag(3 * z**2), -> a.T,"))


@right("curve-implicit", "by the inverse")
def pull(a, z, g):
    return g @ np.linalg.inv(a + 3 * np.diag(z * z))
