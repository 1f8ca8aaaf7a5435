"""A function that branches and loops on tensors, as a picture: what was taken, how many rounds, and the program of both."""

import labkit
from labkit.mindspore import Tensor, ops
from labkit.widgets.explorer.run.folding import blocks


def flowing(x, w):
    h = x * w
    if h.sum() > 0:  # noqa: SIM108 - what a branch is
        y = ops.tanh(h) * x
    else:
        y = h * h
    while y.sum() < 20:
        y = y * 2 + x
    return y.sum()


IF, WHILE = (f"{word} in line {flowing.__code__.co_firstlineno + k}" for word, k in (("if", 2), ("while", 6)))


def titles(x):
    picture = labkit.show(flowing, Tensor(x), Tensor([0.5, 0.5]))
    return picture, [block.title for block in blocks(picture.parts)]


def test_the_side_taken_and_the_rounds_are_blocks():
    _, found = titles([4.0, 5.0])
    assert found == [f"{IF}: true is taken, false is not", f"{WHILE}: 1 round", "round 1"]
    _, found = titles([-4.0, -5.0])
    assert found[0] == f"{IF}: false is taken, true is not"
    assert "0 rounds" not in " ".join(found)


def test_a_loop_is_folded_at_first_and_unfolds_into_its_rounds():
    picture, _ = titles([1.0, 2.0])
    assert picture.unfolded == {IF}
    picture.unfold(WHILE)
    assert WHILE in picture.unfolded
    assert [block.title for block in blocks(picture.parts) if block.title.startswith("round")] == [
        "round 1",
        "round 2",
        "round 3",
    ]


def test_the_program_of_the_picture_has_both_sides_and_the_loop():
    picture, _ = titles([1.0, 2.0])
    lines = [line.partition("#")[0].rstrip() for line in picture.story.program.splitlines()]
    assert lines.count("    else:") == 2 and lines.count("    while True:") == 1 and not picture.story.no_program


def test_a_graph_of_a_function_that_branches_is_that_of_its_run():
    graph = labkit.trace(flowing)(Tensor([4.0, 5.0]), Tensor([0.5, 0.5]))
    assert [node.op for node in graph.forward].count("tanh") == 1
