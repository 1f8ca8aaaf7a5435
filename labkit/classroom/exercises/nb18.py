"""The exercises of notebook 18: name the fault of a sick training run. What is to be mended is in `nb18_mend`."""

import numpy as np

from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "18_capstone"


# ---- sick-name ----


def _named():
    """Each card's number, as the table of signs has it."""
    signs = {
        "weights fixed, losses equal, gradients infinite": "scale",
        "gradient grows from step to step at a fixed point": "reset",
        "one layer without a gradient": "detach",
        "result larger than inputs": "broadcast",
        "step shorter than rate times limit by the scale": "clip",
    }
    cards = (
        "result larger than inputs", "weights fixed, losses equal, gradients infinite", "one layer without a gradient",
        "step shorter than rate times limit by the scale", "gradient grows from step to step at a fixed point",
    )  # fmt: skip
    return [signs[card] for card in cards]


NAME = Exercise(
    name="sick-name",
    notebook=NOTEBOOK,
    title="Five new patients",
    points=3,
    statement="""Five other runs were measured. Each has one fault. Name it: `"detach"`, `"reset"`, `"broadcast"`, `"scale"` or
`"clip"`. Each of them occurs once. Answer with a list of five words.

0. The loss falls from 1.1 to 0.667, the variance of the labels, and stays. Every layer moves. The 8 labels minus the
   8 predictions take 256 bytes in float32.
1. The loss is 0.693 at every step, to the last digit. The largest gradient is `inf`.
2. The loss falls. The norm of the change since the start: `conv` 0, `dense` 0.41.
3. The loss falls by 0.0001 in each step. Rate 0.5, limit 2. The largest step ever taken has length 0.0078125.
4. The loss falls, rises, falls. The weights are held fixed and `backward` is called 3 times. The norms of `.grad`:
   0.5, 1.0, 1.5.""",
    reference=_named,
    misconceptions=(
        Misconception(
            "clip-for-scale",
            "Slow is not the same as still. A loss that is equal to the last digit means that no weight moves at all.",
            lambda inputs, expected, got: got[1] == "clip" or got[3] == "scale",
        ),
        Misconception(
            "detach-for-broadcast",
            "In run 0 every layer moves, so nothing is cut off. Count: 8 float32 numbers take 32 bytes. What are 256?",
            lambda inputs, expected, got: got[0] == "detach",
        ),
        Misconception(
            "reset-for-detach",
            "In run 2 one layer does not move while another does: no gradient reaches it. In run 4 gradients add up.",
            lambda inputs, expected, got: got[2] == "reset" or got[4] == "detach",
        ),
    ),
    rules=(
        "Bytes over 4 is how many numbers the difference has: how many should it have?",
        "Nothing moves at all, and a gradient is not finite: what then happens to each step?",
        "Some weights never move, others do: where does the gradient not get to?",
        "Compare the step with what rate and limit allow: what else made it smaller?",
        "The weights are fixed, and yet the norms of .grad grow in equal parts: what happens to .grad between the calls?",
    ),
    hints=(
        "First sort them: in which runs does no weight move, in which some weights, in which all of them?",
        "256 / 4 bytes are 64 numbers: 8 rows of 8. And 0.0078125 is 1 / 128: compare it with rate * limit = 1.",
        "Run 1 is scale, run 2 is detach, run 4 is reset.",
    ),
    solution='answer = ["broadcast", "scale", "detach", "clip", "reset"]',
    wrong_answers=(
        WrongAnswer("slow and still", 'answer = ["broadcast", "clip", "detach", "scale", "reset"]', "clip-for-scale"),
        WrongAnswer("variance", 'answer = ["detach", "scale", "broadcast", "clip", "reset"]', "detach-for-broadcast"),
        WrongAnswer("one layer", 'answer = ["broadcast", "scale", "reset", "clip", "detach"]', "reset-for-detach"),
        WrongAnswer("other", 'answer = ["reset", "scale", "detach", "clip", "broadcast"]', "value"),
        WrongAnswer("four", 'answer = ["broadcast", "scale", "detach", "clip"]', "structure"),
    ),
)


# ---- sick-bytes ----


def _bytes():
    from ... import memory_report
    from ... import mindspore as ms

    def difference(a, b):
        return a - b

    column, row = np.zeros((1000, 1), np.float32), np.zeros(1000, np.float32)
    pairs = ((column, column), (column, row), (row, row), (column, column.astype(float)), (column, row.astype(float)))
    return [memory_report(difference, *map(ms.Tensor, pair)).rows[-1].bytes for pair in pairs]


BYTES = Exercise(
    name="sick-bytes",
    notebook=NOTEBOOK,
    title="Two leaks that bytes betray",
    points=2,
    statement="""The difference `p - y` is computed for 1000 predictions `p` and 1000 labels `y`. How many bytes does it take?
Answer with a list of five numbers.

0. `p` (1000, 1) float32, `y` (1000, 1) float32
1. `p` (1000, 1) float32, `y` (1000,) float32
2. `p` (1000,) float32, `y` (1000,) float32
3. `p` (1000, 1) float32, `y` (1000, 1) float64
4. `p` (1000, 1) float32, `y` (1000,) float64""",
    reference=_bytes,
    misconceptions=(
        Misconception(
            "no-broadcast",
            "(1000, 1) and (1000,) are not the same shape. Broadcasting makes a table of 1000 rows and 1000 columns.",
            lambda inputs, expected, got: got[1] == 4000 or got[4] == 8000,
        ),
        Misconception(
            "float32-wins",
            "float32 and float64 give float64: 8 bytes for each number.",
            lambda inputs, expected, got: got[3] == 4000,
        ),
        Misconception(
            "numbers-not-bytes",
            "You counted numbers. A float32 takes 4 bytes, a float64 takes 8.",
            lambda inputs, expected, got: got[0] == 1000,
        ),
    ),
    rules=(
        "Both have the same shape: how many numbers has the difference, and how many bytes has each?",
        "A column and a row make a table. How many numbers are in it, and how many bytes has each?",
        "Both have the same shape: how many numbers has the difference, and how many bytes has each?",
        "The wider dtype wins: how many bytes has each number then?",
        "A column and a row make a table, and the wider dtype wins.",
    ),
    hints=(
        "Find the shape of the result first, then its dtype, then multiply.",
        "Items 1 and 4 have the shape (1000, 1000).",
        "Item 3: 1000 numbers of 8 bytes.",
    ),
    solution="answer = [4000, 4_000_000, 4000, 8000, 8_000_000]",
    wrong_answers=(
        WrongAnswer("no broadcast", "answer = [4000, 4000, 4000, 8000, 8000]", "no-broadcast"),
        WrongAnswer("float32", "answer = [4000, 4_000_000, 4000, 4000, 4_000_000]", "float32-wins"),
        WrongAnswer("numbers", "answer = [1000, 1_000_000, 1000, 1000, 1_000_000]", "numbers-not-bytes"),
        WrongAnswer("half a leak", "answer = [4000, 4_000_000, 4000, 8000, 4_000_000]", "value"),
    ),
)


# ---- sick-skips ----


def _skips():
    from ... import mindspore as ms

    def skipped(scaler, steps):
        count, first = 0, None
        for _ in range(steps):
            scaled = scaler.scale(ms.Tensor(3.0)).astype(ms.float16)
            finite = ms.amp.all_finite((scaled,))
            if finite and first is None:
                first = float(scaler.scale_value.asnumpy())
            count += not finite
            scaler.adjust(finite)
        return count, first

    with np.errstate(all="ignore"):
        falling, scale = skipped(ms.amp.DynamicLossScaler(2.0**20, 2, 1000), 100)
        return [falling, scale, skipped(ms.amp.StaticLossScaler(2.0**20), 100)[0]]


SKIPS = Exercise(
    name="sick-skips",
    notebook=NOTEBOOK,
    title="How many steps are skipped?",
    points=2,
    statement="""The largest gradient is 3.0 at every step, computed in float16 (largest number 65504). The loss scale starts
at `2**20`, and 100 steps are tried. Answer with a list of three numbers.

0. With a `DynamicLossScaler` that halves the scale at each overflow (window 1000): how many steps are skipped?
1. The scale at the first step that is taken?
2. With a `StaticLossScaler`: how many steps are skipped?""",
    reference=_skips,
    misconceptions=(
        Misconception(
            "gradient-forgotten",
            "You asked when the scale itself fits. The scaled gradient has to fit: 3 times the scale.",
            lambda inputs, expected, got: got[0] in (4, 5) or got[1] in (2.0**15, 2.0**16),
        ),
        Misconception(
            "one-skip",
            "One halving is not enough: 3 * 2**19 is still far above 65504.",
            lambda inputs, expected, got: got[0] == 1,
        ),
        Misconception(
            "static-falls-too",
            "A static scale never changes. What overflows once overflows every time.",
            lambda inputs, expected, got: got[2] == got[0],
        ),
    ),
    rules=(
        "Every overflow halves the scale. Count how often, until scale times gradient is within the largest number.",
        "The first scale of the halvings that, times the gradient, is within the largest number.",
        "A static scale never changes: what happens at each of the steps?",
    ),
    hints=(
        "A step is taken when 3 * scale is at most 65504.",
        "65504 / 3 is about 21835. Which is the largest power of two below?",
        "The scale has to fall from 2**20 to 2**14.",
    ),
    solution="answer = [6, 2**14, 100]",
    wrong_answers=(
        WrongAnswer("scale alone", "answer = [5, 2**15, 100]", "gradient-forgotten"),
        WrongAnswer("one", "answer = [1, 2**19, 100]", "one-skip"),
        WrongAnswer("static", "answer = [6, 2**14, 6]", "static-falls-too"),
        WrongAnswer("one more", "answer = [7, 2**13, 100]", "value"),
    ),
)

EXERCISES = (NAME, BYTES, SKIPS)
