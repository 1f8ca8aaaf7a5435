"""# The best number of segments (2 points)

A chain of `n` layers is cut into `s` checkpoints of `n / s` layers each, so `s` divides `n`.
At its worst it keeps `s` inputs and the `n / s` values of one segment: `s + n / s` arrays.
Write `best(n)`: it returns the `s` that needs the fewest arrays, and of two such `s` the smaller one.
"""

from labkit.classroom.writing import judged, wrong


def best(n):
    divisors = [s for s in range(1, n + 1) if n % s == 0]
    return min(divisors, key=lambda s: s + n / s)


draw = (
    lambda rng: (int(rng.integers(2, 12) * rng.integers(12, 20)),),
    lambda rng: (int(rng.integers(30, 40) * rng.integers(41, 50)),),
    lambda rng: (int(rng.choice([11, 13, 17, 19, 23, 29, 31, 37])),),  # a prime number has two divisors, equally good
    lambda rng: (int(rng.integers(3, 12)) ** 2,),
    lambda rng: (2,),
)


@wrong("With a checkpoint around every layer you keep the input of every layer: nothing is saved.")
def every_layer(n):
    return n


@wrong("One segment keeps little at first. But when it is run again, all of its values are kept at once.")
def one_segment(n):
    return 1


@wrong(
    "The square root is the right idea, but s has to divide n. Look at the divisors of n.",
    when=lambda i, expected, got: i[0] % got != 0 and abs(got - i[0] ** 0.5) <= 1,
)
def no_divisor(n):
    return round(n**0.5)


@wrong("This s is as good, but there is a smaller one: s and n / s need equally many arrays.")
def the_larger_one(n):
    return min((s for s in range(n, 0, -1) if n % s == 0), key=lambda s: s + n / s)


@judged("no-divisor")
def a_fraction(n):
    return n**0.5


@judged("value")
def two(n):
    return 2


hints = (
    "Try all s from 1 to n that divide n.",
    "min(candidates, key=...) takes the first of equally good candidates.",
    "The key is lambda s: s + n / s; the candidates go from small to large.",
)
