"""A cell of a product leads to its row, its column and its sum, which is the number that stands there."""

import re

import numpy as np
import pytest

import labkit
import labkit.torch as torch
from labkit.widgets.explorer.view.cells import product_in
from labkit.widgets.kit.arrays import Tiles
from labkit.widgets.kit.scene import looks


@pytest.fixture(scope="module")
def scene():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    return labkit.show(torch.nn.functional.mse_loss(net(x), y)).scene


def test_the_sum_that_is_written_is_the_number_in_the_cell(scene):
    cells = {name: link for name, link in scene.links.items() if name.startswith("cell ")}
    assert cells
    for link in cells.values():
        said, result = (words.replace("−", "-") for words in link.tip[1].rsplit(" = ", 1))
        numbers = [float(n.strip("()")) for n in re.split(r" \+ |·", said)]
        assert np.dot(numbers[::2], numbers[1::2]) == pytest.approx(float(result), abs=0.05)


def test_row_column_and_cell_light_up_together_at_its_step_alone(scene):
    (panel,) = [panel for panel in scene.panels if panel.name == "inside"]
    name = [name for name in scene.links if name.startswith("cell ")][-1]  # of the first layer's weight
    marks, step = [mark for mark in panel.marks if mark.link == name], int(name.split()[1])
    assert [mark.role for mark in marks] == ["way", "way", "cell"]
    row, column, cell = (mark.at for mark in marks)
    assert row["width"] > row["height"] and column["height"] > column["width"] and cell["width"] > cell["height"]
    for at in (step - 1, step):
        assert {looks(mark, {"step": at})[2] == "hidden" for mark in marks} == {at != step}
    assert scene.links[name].known == {"step": step}


def test_only_a_product_that_bears_it_out_has_cells():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    parts = [Tiles("a", a), "·", Tiles("b", b), "=", Tiles("c", a @ b)]
    assert product_in(parts) and not product_in([*parts[:4], Tiles("c", a @ b + 1)])
    assert not product_in([parts[0], "×", *parts[2:]]) and not product_in(parts[:3])
