"""What survives of a prediction's name when one unrelated slip is put into the answer.

python tests/tools/second_slip.py          # the rates of each notebook, and of all
python tests/tools/second_slip.py --list   # the answers whose name was lost, or taken by another
"""

import argparse
import warnings
from collections import Counter

import numpy as np
from tutor import right_answers_found_once

from labkit.classroom.checking import judge_answer
from labkit.classroom.compare import same
from labkit.classroom.exercises import EXERCISES


def planted(exercise):
    """The planted answers of a prediction as pairs `(name, answer)`; the name may be a kind of report."""
    for wrong in exercise.wrong_answers:
        names = {"np": np}
        exec(wrong.source, names)
        yield wrong.expected, names["answer"]


def slipped(exercise):
    """Each planted answer with a name, and one more item that is wrong in a way that nobody planted."""
    right = exercise.expected()
    if not isinstance(right, (list, tuple)):
        return
    named = {m.name for m in exercise.misconceptions}
    whole = [
        (name, got) for name, got in planted(exercise) if isinstance(got, (list, tuple)) and len(got) == len(right)
    ]
    for name, got in whole:
        for i in range(len(right)):
            value = unlike(right[i])
            known = any(same(value, other[i]) or same(other[i], value) for _, other in whole)
            if name in named and same(right[i], got[i]) and not known:
                yield name, [value if k == i else item for k, item in enumerate(got)]


def unlike(right):
    """A wrong item that nobody plants."""
    if isinstance(right, bool):
        return not right
    if isinstance(right, (str, type)):
        return "OSError" if isinstance(right, type) or right == "fine" else "something"
    return (9,) * (len(right) + 1) if isinstance(right, (tuple, list)) else 1.37 * float(right) + 11


def outcomes(exercise, every=1):
    """Of one prediction: `(name, answer, kind, outcome)`, where the outcome is "kept", "lost", or "other" for a wrong name."""
    named = {m.name for m in exercise.misconceptions}
    for name, answer in list(slipped(exercise))[::every]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            kind = judge_answer(exercise, answer).kind
        yield name, answer, kind, "kept" if kind == name else "other" if kind in named else "lost"


def line(name, counts):
    """One line of the table."""
    of = sum(counts.values()) or 1
    columns = "".join(f"{counts[outcome]:>7}{counts[outcome] / of:>8.1%}" for outcome in ("kept", "lost", "other"))
    return f"{name:<10}{sum(counts.values()):>6}{columns}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="the answers whose name did not survive")
    options = parser.parse_args()
    counts = {}
    with right_answers_found_once():
        for exercise in filter(lambda each: each.is_prediction, EXERCISES.values()):
            for name, answer, kind, outcome in outcomes(exercise):
                counts.setdefault(exercise.notebook[:2], Counter())[outcome] += 1
                if options.list and outcome != "kept":
                    print(f"{outcome} {exercise.name}: {name} became {kind}\n    {answer}")
    print("notebook    of     kept           lost          other")
    print(*(line(notebook, found) for notebook, found in sorted(counts.items())), sep="\n")
    print(line("all", sum(counts.values(), Counter())))


if __name__ == "__main__":
    main()
