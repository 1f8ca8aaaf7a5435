"""# Fix the cell (1 point)

Fix the function that failed above: `mean(values)` returns the mean of a list of numbers. It has two mistakes. The first
raises the error that you saw. The second raises nothing and gives a wrong number.
"""

from functools import partial

from labkit.classroom.writing import judged, slip, wrong


def mean(values):
    total = 0.0
    for value in values:
        total = total + value
    return total / len(values)


def _numbers(rng, count):
    """So many numbers; of four and more the first is there twice, and the last one is negative."""
    values = [float(v) for v in rng.integers(10, 200, count) / 10]
    if count > 3:
        values[1], values[-1] = values[0], -values[-1]
    return (values,)


draw = tuple(partial(_numbers, count=count) for count in (3, 4, 6, 5, 1))
errors = (
    (
        "totl",
        "The name in the error was never given a value. Compare it, letter by letter, with the names in the lines above.",
    ),
)


@wrong("Only the last number is in your total: each one replaces the one before. Add to what is there: total + value.")
def last_value_only(values):
    total = 0.0
    for value in values:
        total = value
    return total / len(values)


@wrong("You divide by the last number. Divide by how many there are: len(values).")
def divided_by_a_value(values):
    total = 0.0
    for value in values:
        total = total + value
    return total / value


@wrong("This is the sum. The mean is the sum divided by how many numbers there are.")
def a_sum(values):
    total = 0.0
    for value in values:
        total = total + value
    return total


@wrong("Your function returns inside the loop, after the first number. Move return to the left, below the loop.")
def returns_too_early(values):
    total = 0.0
    for value in values:
        total = total + value
        return total / len(values)
    return total


@judged("error")
def as_it_was(values):
    total = 0.0
    for value in values:
        total = totl + value
    return total / value


one_less = slip(
    "You divide by one less than the number of values. That belongs to a sample variance; a mean divides by "
    "len(values).",
    "/ len(values) -> / (len(values) - 1)",
)

one_more = slip(
    "You divide by one more than the number of values.",
    "/ len(values) -> / (len(values) + 1)",
)

whole_numbers = slip(
    "`//` drops the fraction. Divide with `/`.",
    "total / len -> total // len",
)

first_counts_twice = slip(
    "The first number counts twice: total begins with it, and the loop adds it again.",
    "total = 0.0 -> total = values[0]",
)

begins_at_one = slip(
    "total has to begin at 0.",
    "total = 0.0 -> total = 1.0",
)

first_left_out = slip(
    "The loop leaves out the first number.",
    "in values: -> in values[1:]:",
)

last_left_out = slip(
    "The loop leaves out the last number.",
    "in values: -> in values[:-1]:",
)

the_median = slip(
    "This is the median, the number in the middle of the sorted list. The mean adds all of them.",
    "total / len(values) -> sorted(values)[len(values) // 2]",
)

multiplied = slip(
    "You multiply by the number of values. A mean divides by it.",
    "total / len -> total * len",
)

upside_down = slip(
    "The quotient is upside down: the total is divided by the number of values.",
    "total / len(values) -> len(values) / total",
)


squares = slip(
    "You add the squares of the numbers. The mean adds the numbers.",
    "total + value -> total + value * value",
)


hints = (
    "Read the last line of the error. Which name does it not know?",
    "Write total where totl stands. Then try mean([1.0, 2.0, 6.0]): it should be 3.",
    "The mean is total / len(values).",
)
