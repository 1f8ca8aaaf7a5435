"""# Shapes (1 point)

`x` is a NumPy array of zeros with 2 rows and 3 columns. Answer with a list of the four shapes, which are tuples; the first is
`(2, 3)`.

```python
x = np.zeros((2, 3))
x.shape          # item 0: (2, 3)
x[0].shape       # item 1
(2 * x).shape    # item 2
x.sum().shape    # item 3
```
"""

import numpy as np

from labkit.classroom.writing import either, judged, wrong

answer = [(2, 3), (3,), (2, 3), ()]
places = ("x", "x[0]", "2 * x", "x.sum()")
rules = (
    "A shape has one number for each axis: first the rows.",
    "Indexing takes out one row: the first axis is gone, the other one stays.",
    "A number times an array works on every element.",
    "sum() without an axis adds up everything. How many axes does a single number have?",
)
no_elements = wrong(
    "(0,) is the shape of an array without elements. The sum is one number, which has no axis.", {3: (0,)}
)


hints = (
    "A shape is a tuple: one number for each axis.",
    "A tuple with one number is written with a comma: (3,). An empty tuple is written ().",
    "2 * x has the shape of x. The sum of all elements is a single number, which has no axes.",
)


def reference():
    x = np.zeros((2, 3))
    return [x.shape, x[0].shape, (2 * x).shape, x.sum().shape]


row_keeps_two_axes = wrong(
    "x[0] is one row. The axis that you indexed is gone: how many numbers are left in its shape?",
    {1: (1, 3)},
)

a_column = wrong("x[0] is the first row, not the first column. A row has 3 numbers.", {1: either((2,), (2, 1), (3, 1))})

twice_as_large = wrong(
    "2 * x doubles each number. The number of elements does not change.", {2: either((4, 6), (4, 3), (2, 6))}
)

number_has_an_axis = wrong(
    "The sum of all numbers is a single number. It has no axis: how long is its shape then?",
    {3: either((1,), (1, 1))},
)

numbers_for_tuples = judged("structure", {1: 3})
three = judged("structure", [(2, 3), (3,), (2, 3)])

one_number = wrong(
    "x[0] is a row of numbers, not one number.",
    {1: either((), (1,))},
)

one_axis_summed = wrong(
    "sum() without an axis adds up all numbers, not each row or each column.",
    {3: either((2,), (3,), (1, 3), (2, 1))},
)

doubled_axes = wrong(
    "2 * x multiplies each number. It adds no axis.",
    {2: either((2, 3, 2), (2, 2, 3))},
)


number_without_a_shape = wrong(
    "A shape is always a tuple with one entry for each axis, even the shape of a single number.",
    {3: either(0, 1, 6, "number")},
)

count_for_shape = wrong("6 is the number of elements. Their sum is one number.", {3: (6,)})

summed_element_by_element = wrong("sum() does not work on each element: it adds them up.", {3: (2, 3)})

all_in_a_row = wrong("A shape has one number for each axis. x has two axes, and 2 * x keeps them.", {2: (6,), 0: (6,)})

columns_first = wrong("The first number of a shape counts the rows.", {0: (3, 2), 2: (3, 2)})


whole_array = wrong("x[0] is one of the two rows, not the whole array.", {1: (2, 3)})

row_for_the_array = wrong("2 * x works on the whole array, not on one row.", {2: (3,)})
