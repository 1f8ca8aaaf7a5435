"""# How long can it still be? (2 points)

A network has parameters of these `shapes`, a list of tuples. Every gradient is clipped by value to
[-limit, limit]. Write `longest(shapes, limit)`: it returns the largest length that all gradients together can still have.
A shape `()` is a single number.
"""

import math

import numpy as np

from labkit.classroom.writing import judged, wrong


def longest(shapes, limit):
    elements = sum(math.prod(shape) for shape in shapes)
    return limit * elements**0.5


def draw(rng):
    rows, columns = (int(n) for n in rng.integers(2, 9, 2))
    return [(rows, columns), (rows,), (int(rng.integers(2, 6)), rows), ()], float(rng.integers(1, 9)) / 2


@wrong("That is the limit of one element. By value each is limited for itself, and many elements together are longer.")
def limit_of_the_length(shapes, limit):
    return limit


@wrong("You added up the elements. The length is the square root of the sum of their squares.")
def elements_added_up(shapes, limit):
    return limit * sum(int(np.prod(s)) for s in shapes)


@wrong("You added up the lengths of the parameters. Lengths of parts do not add up; their squares do.")
def lengths_added_up(shapes, limit):
    return sum(limit * float(np.prod(s)) ** 0.5 for s in shapes)


@wrong("You counted the parameters. What counts is how many elements they have in all.")
def parameters_counted(shapes, limit):
    return limit * len(shapes) ** 0.5


@judged("value")
def largest_parameter(shapes, limit):
    return limit * max(float(np.prod(s)) for s in shapes) ** 0.5


hints = (
    "When is a gradient clipped by value as long as it can be? What does each element then look like?",
    "n elements, each of them limit or -limit: the sum of the squares is n * limit**2.",
    "n = sum(math.prod(shape) for shape in shapes); math.prod(()) is 1.",
)
