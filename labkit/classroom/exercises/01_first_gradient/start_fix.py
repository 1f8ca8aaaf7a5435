"""# Fix the cell (1 point)

Fix the function that failed above, so that `mean(values)` returns the mean of a list of numbers. It has two mistakes: the first
raises the error that you saw, and the second gives a wrong number without an error.
"""

from functools import partial

from labkit.classroom.writing import judged, slip, wrong


def mean(values):
    total = 0.0
    for value in values:
        total = total + value
    return total / len(values)


def _numbers(rng, count):
    """So many numbers; of four and more the first is there twice, and the last one is negative; of six one is 0."""
    values = [float(v) for v in rng.integers(10, 200, count) / 10]
    if count > 3:
        values[1], values[-1] = values[0], -values[-1]
    if count == 6:
        values[2] = 0.0
    return (values,)


draw = tuple(partial(_numbers, count=count) for count in (3, 4, 6, 5, 1))
errors = (
    (
        "totl",
        "The name in the error was never given a value. Compare it, letter by letter, with the names in the lines above.",
    ),
)


@wrong("Only the last number is in your total. Inside the loop, add each number to the previous total: total + value.")
def last_value_only(values):
    total = 0.0
    for value in values:
        total = value
    return total / len(values)


@wrong("You divide by the last number. Divide by the number of values: len(values).")
def divided_by_a_value(values):
    total = 0.0
    for value in values:
        total = total + value
    return total / value


@wrong("This is the sum. The mean is the sum divided by the number of values.")
def a_sum(values):
    total = 0.0
    for value in values:
        total = total + value
    return total


@wrong("Your function returns inside the loop, after the first number. Move return to the left, after the loop.")
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
    "The mean need not be a whole number: `//`, int and round drop the fraction. Divide with `/`.",
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
    "The quotient is inverted: the total is divided by the number of values.",
    "total / len(values) -> len(values) / total",
)


squares = slip(
    "You add the squares of the numbers. The mean adds the numbers.",
    "total + value -> total + value * value",
)


the_product = slip(
    "You multiply the numbers. The mean adds them.",
    "total = 0.0 -> total = 1.0",
    "total + value -> total * value",
)

the_middle_of_the_range = slip(
    "This is halfway between the smallest and the largest number. The mean adds all of them.",
    "total / len(values) -> (min(values) + max(values)) / 2",
)

each_number_once = slip(
    "You count a repeated number only once. Each entry of the list counts.",
    "in values: -> in set(values):",
)

without_the_signs = slip(
    "You add the numbers without their signs. A negative number makes the total smaller.",
    "total + value -> total + abs(value)",
)

always_three = slip(
    "You divide by 3, which fits only a list of three numbers. Divide by len(values).",
    "/ len(values) -> / 3",
)

places_added = slip(
    "You add the indices 0, 1, 2, ... of the numbers, not the numbers.",
    "in values: -> in range(len(values)):",
)


@wrong("You divide in each iteration of the loop. Add all numbers first, and divide once, after the loop.")
def divided_in_each_turn(values):
    total = 0.0
    for value in values:
        total = (total + value) / len(values)
    return total


@wrong(
    "You take the mean of the total and the next number in each iteration: the last numbers count most. Add all, then "
    "divide."
)
def halved_in_each_turn(values):
    total = values[0]
    for value in values[1:]:
        total = (total + value) / 2
    return total


total_added_to_itself = slip(
    "total is added twice in each iteration: total += value is enough, or total = total + value.",
    "total + value -> total + total + value",
)

divided_by_itself = slip(
    "The total, or each number, is divided by itself. Divide the total by the number of values.",
    "/ len(values) -> / total",
)


sum_not_kept = slip(
    "total is still 0 at the end. Each iteration has to give it a new value: total = total + value.",
    "total = total + value -> total + value",
)


length_added = slip(
    "This is the length of the list. The mean divides the sum of the numbers by it.",
    "total + value -> total + len(values)",
)


value_added_to_itself = slip(
    "In each iteration total becomes twice the number. Add the number to total.",
    "total = total + value -> total = value + value",
)


@judged("whole-numbers")
def mean_as_an_int(values):
    return int(sum(values) / len(values))


@wrong("This is the largest number of the list. The mean adds all of them.")
def the_largest(values):
    return max(values)


@wrong("This is the root of the mean of the squares. The mean adds the numbers as they are.")
def root_of_the_mean_square(values):
    return (sum(value**2 for value in values) / len(values)) ** 0.5


@wrong("You weight the numbers by their positions. In a mean all numbers count the same.")
def weighted_by_place(values):
    return sum((i + 1) * value for i, value in enumerate(values)) / len(values)


@wrong("Zeros count, too: divide by len(values), not by how many numbers differ from 0.")
def zeros_not_counted(values):
    return sum(values) / max(1, sum(value != 0 for value in values))


rounded_to_a_digit = slip(
    "You round the mean. Return it as it is.",
    "total / len(values) -> round(total / len(values), 1)",
)

divided_by_the_largest = slip(
    "You divide by the largest number. Divide by the number of values: len(values).",
    "total / len(values) -> total / max(values)",
)


hints = (
    "Read the last line of the error. Which name does Python not know?",
    "Replace totl with total. Then try mean([1.0, 2.0, 6.0]): it should be 3.",
    "The mean is total / len(values).",
)
