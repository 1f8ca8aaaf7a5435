"""# The order in which you run cells (1 point)

A notebook has two cells.

Cell A:

```python
n = 1
```

Cell B:

```python
n = n + 1
print(n)
```

You run A, then B, then B again, then A, then B. What do the three runs of B print?
Answer with a list of three numbers.
"""

from labkit.classroom.writing import either, judged, wrong

answer = [2, 3, 2]
rules = (
    "Go through the runs in the order in which they happen: what is n when this run of B begins?",
    "Go through the runs in the order in which they happen: what is n when this run of B begins?",
    "A was run once more before this run of B, and it sets n again.",
)
hints = (
    "What matters is the order in which you run the cells, not their position on the page.",
    "Write down n after each of the five runs.",
    "After A, B, B, n is 3. Then A sets n to 1.",
)


def reference():
    n = 1
    shown = []
    for cell in "BBAB":
        n = 1 if cell == "A" else n + 1
        shown += [n] if cell == "B" else []
    return shown


from_the_top = wrong(
    "You counted as if A ran before each B. Python keeps n from one run to the next.", answer=[2, 2, 2]
)

a_ignored = wrong("You left out the second run of A. It sets n to 1 again.", answer=[2, 3, 4])
before_adding = wrong("B adds 1 first and prints after that.", answer=[1, 2, 1])
one_too_far = wrong("A sets n to 1. The next run of B adds 1 to it, once, and prints it.", answer=[3, 4, 3])
nothing_added = wrong("B adds 1 to n before it prints: n = n + 1 gives n a new value.", answer=[1, 1, 1])
added_without_a = wrong("A sets n to 1 again, and this run of B adds 1 to that.", {2: either(1, 3, 4, 5)})
second_run = wrong("The second run of B starts from the n that the first run left.", {1: either(4, 1)})
first_run = wrong("n is 1 when B first runs, and B adds 1 before it prints.", {0: either(1, 3, 0)})

every_run = judged("structure", [1, 2, 3, 1, 2])
one_number = judged("kind", 2)
