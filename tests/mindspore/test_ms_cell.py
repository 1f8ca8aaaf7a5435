"""Cells: registration and names, modes, printing, and a derivative of one's own."""

import copy
import pickle

import pytest

import labkit
import labkit.mindspore as ms
from labkit.mindspore import Parameter, ParameterTuple, Tensor, nn


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.a = Parameter(Tensor(1.0), name="alpha")
        self.b = Parameter(Tensor(1.0))
        self.seq = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())

    def construct(self, x):
        return self.seq(x) * self.a


NAMES = ["alpha", "b", "fc.weight", "seq.0.weight", "seq.0.bias"]


def test_parameters_are_named_by_where_they_stand():
    cell = Layers()
    assert [p.name for p in cell.trainable_params()] == list(cell.parameters_dict()) == NAMES
    assert [path for path, _ in cell.cells_and_names()] == ["", "fc", "seq", "seq.0", "seq.1"]
    assert list(cell.cells()) == [cell.fc, cell.seq]


def test_a_cell_in_a_cell_adds_to_the_names():
    class Outer(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net

    inner = nn.Dense(2, 2)
    Outer(inner)
    assert [p.name for p in inner.get_parameters()] == ["net.weight", "net.bias"]


def test_a_shared_cell_is_counted_once():
    class Twice(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.first, self.second = net, net

        def construct(self, x):
            return self.first(x) + self.second(x)

    twice = Twice(nn.Dense(2, 1, "ones", "zeros"))
    assert len(twice.trainable_params()) == 2
    assert ms.grad(twice, None, twice.trainable_params()[0])(Tensor([[1.0, 2.0]])).tolist() == [[2.0, 4.0]]


def test_a_tuple_of_parameters_is_registered():
    class Many(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ps = ParameterTuple([Parameter(Tensor(1.0), name=n) for n in ("p1", "p2")])

    assert list(Many().parameters_dict()) == ["p1", "p2"]


def test_it_prints_its_tree():
    assert str(Layers()) == (
        "Layers(\n  (fc): Dense(input_channels=3, output_channels=1)\n  (seq): SequentialCell(\n"
        "    (0): Dense(input_channels=2, output_channels=2, has_bias=True)\n    (1): ReLU()\n  )\n)"
    )
    assert str(nn.Dense(3, 2, activation="relu")) == (
        "Dense(\n  input_channels=3, output_channels=2, has_bias=True, activation=ReLU()\n  (activation): ReLU()\n)"
    )


def test_modes_reach_every_cell():
    cell = Layers()
    assert cell.set_train() is cell and cell.training and cell.seq[0].training
    assert not cell.set_train(False).seq.training
    assert cell.set_grad().requires_grad


def test_frozen_parameters_are_not_trainable():
    cell = Layers()
    cell.a.requires_grad = False
    assert "alpha" not in [p.name for p in cell.trainable_params()]


def test_a_tensor_assigned_to_a_parameter_becomes_its_value():
    cell = Layers()
    cell.a = Tensor(5.0)
    assert isinstance(cell.a, Parameter) and cell.a.value().item() == 5.0


class Forgetful(nn.Cell):
    def __init__(self):
        self.fc = nn.Dense(1, 1)


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda c: setattr(c, "a", 5), TypeError, "Parameter 'a' already exists in network, can not assign this type"),
        (lambda c: setattr(c, "fc", 5), TypeError, "Sub cell 'fc' already exists in network, can not assign this type"),
        (lambda c: c.missing, AttributeError, "The 'Layers' object has no attribute 'missing'"),
        (lambda c: c(), TypeError, r"Layers.construct\(\) missing 1 required positional argument: 'x'"),
        (lambda c: nn.Cell()(1), AttributeError, "For 'Cell', the method 'construct' is not defined"),
        (lambda c: Forgetful(), AttributeError, r"please call super\(\).__init__\(\)"),
        (lambda c: nn.SequentialCell(5), TypeError, "the 'args\\[0\\]' must be Cell, list or orderedDict, but got int"),
        (lambda c: c.seq[7], IndexError, r"must be a number in range \[-2, 2\), but got 7"),
        (lambda c: nn.CellList([c.fc])(1), NotImplementedError, "CellList is a list of cells"),
    ],
)
def test_misuse_says_what_is_wrong(use, error, message):
    with pytest.raises(error, match=message):
        use(Layers())


def test_lists_of_cells():
    cells = nn.CellList([nn.Dense(1, 1)])
    cells.append(nn.ReLU())
    cells += [nn.Dense(1, 1, has_bias=False)]
    assert [type(c).__name__ for c in cells] == ["Dense", "ReLU", "Dense"]
    assert [p.name for p in cells.get_parameters()] == ["0.weight", "0.bias", "2.weight"]
    assert len(nn.SequentialCell(nn.ReLU(), nn.Tanh())[0:1]) == 1


def test_a_copy_of_a_cell_has_its_own_parameters():
    cell = Layers()
    for twin in (copy.deepcopy(cell), pickle.loads(pickle.dumps(cell))):
        assert list(twin.parameters_dict()) == NAMES
        assert twin.seq[0].weight is twin.parameters_dict()["seq.0.weight"]
        twin.a.set_data(9.0)
        assert cell.a.value().item() == 1.0


def test_the_engine_sees_a_cell_and_its_parameters():
    cell = nn.Dense(2, 1, "ones", has_bias=False)
    graph = labkit.trace(cell)(Tensor([[1.0, 2.0]]))
    assert [node.label for node in graph.inputs] == ["x", "weight"]
    assert graph.gradients["weight"].tolist() == [[1.0, 2.0]]
    assert labkit.check_gradient(cell, Tensor([[1.0, 2.0]]))


# ---- a derivative of one's own ----


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(3.0), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * 100,)


def test_bprop_replaces_the_derivative():
    cell = Scaled()
    assert ms.grad(cell)(Tensor(3.0)).item() == 100.0
    assert ms.grad(lambda x: cell(x) * 2)(Tensor(3.0)).item() == 200.0
    assert ms.grad(cell, None, cell.w)(Tensor(3.0)).item() == 0.0


def test_bprop_of_several_inputs_and_outputs_sees_all_of_them(capsys):
    class Both(nn.Cell):
        def construct(self, x, y):
            return x * y, x + y

        def bprop(self, x, y, out, dout):
            print(x, y, out[0], dout[1])
            return dout[0] * y + dout[1] * 10, dout[0] * x + dout[1] * 100

    gx, gy = ms.grad(Both(), (0, 1))(Tensor(2.0), Tensor(3.0))
    assert (gx.item(), gy.item()) == (13.0, 102.0)
    assert capsys.readouterr().out == "2.0 3.0 6.0 1.0\n"


def test_bprop_can_be_differentiated_again():
    class Cube(nn.Cell):
        def construct(self, x):
            return x**3

        def bprop(self, x, out, dout):
            return (dout * x * x * 3,)

    assert ms.grad(ms.grad(Cube()))(Tensor(3.0)).item() == 18.0


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return (dout,)


def test_bprop_gives_one_gradient_per_input():
    with pytest.raises(RuntimeError, match="Grad size should lager than forward inputs, but got 1 vs 2"):
        ms.grad(Product(), (0, 1))(Tensor(3.0), Tensor(4.0))
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(RuntimeError, match=r"primal function 'Product\(\)' : 1 vs. 2"):
            ms.grad(Product(), (0, 1))(Tensor(3.0), Tensor(4.0))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
