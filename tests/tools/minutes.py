"""How long a notebook takes, by its words, its code and its exercises; `python tests/tools/minutes.py` writes it into each.

A reader takes in 150 words of text or 18 lines of code a minute, and thinks for half a minute about a prediction. A point of an
exercise is worth two and a half minutes of work. These four are judgements, and the same for all
notebooks: so none is said to be shorter than it is because it should be.
"""

import re

import nbformat
from course import NOTEBOOKS, load

from labkit.classroom import EXERCISES

WORDS, LINE, PREDICTION, POINT = 150, 1 / 18, 0.5, 2.5  # words a minute; minutes
SAID = re.compile(r"\*\*About \d+ minutes(?:, and \d+ for the exercises)?(?=\.?\*\*)")


def minutes(path) -> tuple[int, int]:
    """Minutes to read and run a notebook, and to do its exercises, each rounded to five."""
    cells = [cell for cell in load(path).cells if not cell.id.startswith(("exercise-", "answer-", "solution-"))]
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    text = re.sub(r"<details>.*?</details>|\(https?:[^)]*\)", "", text, flags=re.DOTALL)
    code = [line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines() if line.strip()]
    reading = len(re.findall(r"\w+", text)) / WORDS + len(code) * LINE + text.count("**Predict") * PREDICTION
    points = sum(exercise.points for exercise in EXERCISES.values() if exercise.notebook == path.stem)
    return _fives(reading), _fives(points * POINT)


def sentence(path) -> str:
    """What a notebook says of its minutes."""
    reading, exercises = minutes(path)
    return f"**About {reading} minutes, and {exercises} for the exercises"


def _fives(number: float) -> int:
    return max(5, 5 * round(number / 5))


def main() -> None:
    """Write the sentence into every notebook that says another one."""
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = SAID.sub(sentence(path), cell.source)
        text = nbformat.writes(notebook)
        if text + "\n" != path.read_text(encoding="utf-8"):
            path.write_text(text + "\n", encoding="utf-8")
            print(path.name, *minutes(path))


if __name__ == "__main__":
    main()
