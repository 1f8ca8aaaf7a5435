"""Models and their ports, right ones and each with something planted: run under any two frameworks.

`python ports.py torch labkit.mindspore` prints, as JSON, what `labkit.compare` makes of each of them.
"""

import importlib
import json
import sys

import numpy as np

import labkit

RNG = np.random.default_rng(0)
TABLE, IMAGES = RNG.normal(size=(4, 5)), RNG.normal(size=(2, 1, 12, 12))
COLOURS, SEQUENCES = RNG.normal(size=(3, 3, 5, 5)), RNG.normal(size=(3, 3, 4))
WORDS = RNG.integers(0, 9, size=(4, 6)).astype(np.int32)

# what is planted -> the module and the part that differ first; None: nothing
WANTED = {
    "mlp": {
        "": None,
        "no relu": ("fc2", "input"),
        "sigmoid": ("fc3", "input"),
        "no bias": ("fc3", "parameters"),
        "stopped": ("fc3", "gradient of the input"),
        "transposed": ("fc2", "output"),
        "rows and columns": None,
    },
    "lenet": {
        "": None,
        "same": ("conv2", "output"),
        "mean": ("pool", "output"),
        "channels last": ("fc", "input"),
    },
    "norm": {
        "": None,
        "eps": ("bn", "output"),
        "momentum": ("bn", "running_mean afterwards"),
        "slope": ("act", "output"),
        "keep": ("drop", "random numbers"),
        "no dropout": ("drop", "random numbers"),
    },
    "words": {
        "": None,
        "eps": ("norm", "output"),
        "gelu": ("head", "input"),
        "init": None,
        "axis": ("", "output"),
    },
    "lstm": {"": None, "batch": ("lstm", "output"), "first": ("fc", "input")},
    "residual": {"": None, "no skip": ("block.relu", "input"), "no relu": ("block", "output")},
}


def mlp(torch, ms):
    tn, mn, ops = torch.nn, ms.nn, ms.ops

    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2, self.fc3 = tn.Linear(5, 6), tn.Linear(6, 6), tn.Linear(6, 3)

        def forward(self, x):
            return self.fc3(torch.tanh(self.fc2(torch.relu(self.fc1(x)))))

    class Columns(mn.Cell):
        """x @ w + b, w being (in, out)."""

        def __init__(self, rows, columns):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor(np.ones((rows, columns), np.float32)), name="w")
            self.b = ms.Parameter(ms.Tensor(np.ones(columns, np.float32)), name="b")

        def construct(self, x):
            return ops.matmul(x, self.w) + self.b

    class Port(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            self.planted = planted
            dense = Columns if planted == "rows and columns" else mn.Dense
            self.fc1 = dense(5, 6)
            self.fc2 = Columns(6, 6) if planted == "transposed" else dense(6, 6)
            self.fc3 = mn.Dense(6, 3, has_bias=False) if planted == "no bias" else dense(6, 3)

        def construct(self, x):
            h = self.fc1(x)
            h = self.fc2(h if self.planted == "no relu" else ops.relu(h))
            h = ops.sigmoid(h) if self.planted == "sigmoid" else ops.tanh(h)
            return self.fc3(ops.stop_gradient(h) if self.planted == "stopped" else h)

    return Net, Port, TABLE


def lenet(torch, ms):
    tn, mn = torch.nn, ms.nn

    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = tn.Conv2d(1, 3, 3, padding=1), tn.Conv2d(3, 4, 3)
            self.pool, self.fc = tn.MaxPool2d(2), tn.Linear(16, 5)

        def forward(self, x):
            x = self.pool(torch.relu(self.conv2(self.pool(torch.relu(self.conv1(x))))))
            return self.fc(torch.flatten(x, 1))

    class Port(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            self.planted = planted
            self.conv_in = mn.Conv2d(1, 3, 3, pad_mode="pad", padding=1, has_bias=True)
            self.conv_on = mn.Conv2d(3, 4, 3, pad_mode="same" if planted == "same" else "valid", has_bias=True)
            self.relu, self.flatten, self.dense = mn.ReLU(), mn.Flatten(), mn.Dense(16, 5)
            self.pool = (mn.AvgPool2d if planted == "mean" else mn.MaxPool2d)(2, 2)

        def construct(self, x):
            x = self.pool(self.relu(self.conv_on(self.pool(self.relu(self.conv_in(x))))))
            return self.dense(self.flatten(x.transpose(0, 2, 3, 1) if self.planted == "channels last" else x))

    return Net, Port, IMAGES


def norm(torch, ms):
    tn, mn = torch.nn, ms.nn

    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.bn = tn.Conv2d(3, 4, 3, padding=1, bias=False), tn.BatchNorm2d(4)
            self.act, self.drop, self.fc = tn.LeakyReLU(0.1), tn.Dropout(0.2), tn.Linear(100, 3)

        def forward(self, x):
            return self.fc(self.drop(torch.flatten(self.act(self.bn(self.conv(x))), 1)))

    class Port(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            momentum, eps = (0.1 if planted == "momentum" else 0.9), (1e-3 if planted == "eps" else 1e-5)
            self.conv, self.bn = mn.Conv2d(3, 4, 3), mn.BatchNorm2d(4, eps=eps, momentum=momentum)
            self.act = mn.LeakyReLU(0.2 if planted == "slope" else 0.1)
            self.drop = None if planted == "no dropout" else mn.Dropout(p=0.8 if planted == "keep" else 0.2)
            self.fc = mn.Dense(100, 3)

        def construct(self, x):
            x = self.act(self.bn(self.conv(x))).reshape(x.shape[0], -1)
            return self.fc(x if self.drop is None else self.drop(x))

    return Net, Port, COLOURS


def words(torch, ms):
    tn, mn, ops = torch.nn, ms.nn, ms.ops

    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.norm, self.head = tn.Embedding(9, 6), tn.LayerNorm(6), tn.Linear(6, 9)

        def forward(self, ids):
            h = torch.nn.functional.gelu(self.norm(self.emb(ids)))
            return torch.softmax(self.head(h).mean(1), -1)

    class Port(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            self.planted = planted
            self.emb = mn.Embedding(9, 6, embedding_table="zeros" if planted == "init" else "normal")
            self.norm = mn.LayerNorm((6,), epsilon=1e-7 if planted == "eps" else 1e-5)
            self.gelu, self.head = mn.GELU(approximate=planted == "gelu"), mn.Dense(6, 9)

        def construct(self, ids):
            h = self.head(self.gelu(self.norm(self.emb(ids)))).mean(1)
            return ops.softmax(h, axis=0 if self.planted == "axis" else -1)

    return Net, Port, WORDS


def lstm(torch, ms):
    tn, mn = torch.nn, ms.nn

    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.fc = tn.LSTM(4, 4, batch_first=True, bidirectional=True), tn.Linear(8, 2)

        def forward(self, x):
            return self.fc(self.lstm(x)[0][:, -1])

    class Port(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            self.planted = planted
            self.lstm = mn.LSTM(4, 4, batch_first=planted != "batch", bidirectional=True)
            self.fc = mn.Dense(8, 2)

        def construct(self, x):
            return self.fc(self.lstm(x)[0][:, 0 if self.planted == "first" else -1])

    return Net, Port, SEQUENCES


def residual(torch, ms):
    tn, mn = torch.nn, ms.nn

    class Block(tn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = tn.Conv2d(3, 3, 3, padding=1, bias=False), tn.BatchNorm2d(3)
            self.relu, self.conv2 = tn.ReLU(inplace=True), tn.Conv2d(3, 3, 3, padding=1, bias=False)

        def forward(self, x):
            return self.relu(self.conv2(self.relu(self.bn1(self.conv1(x)))) + x)

    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.block, self.fc = Block(), tn.Linear(3, 2)

        def forward(self, x):
            return self.fc(self.block(x).mean((2, 3)))

    class PortedBlock(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            self.planted = planted
            self.conv1, self.norm, self.relu = mn.Conv2d(3, 3, 3), mn.BatchNorm2d(3), mn.ReLU()
            self.conv2 = mn.Conv2d(3, 3, 3)

        def construct(self, x):
            h = self.conv2(self.relu(self.norm(self.conv1(x))))
            h = h if self.planted == "no skip" else h + x
            return h if self.planted == "no relu" else self.relu(h)

    class Port(mn.Cell):
        def __init__(self, planted):
            super().__init__()
            self.blocks, self.fc = mn.CellList([PortedBlock(planted)]), mn.Dense(3, 2)

        def construct(self, x):
            for block in self.blocks:
                x = block(x)
            return self.fc(x.mean((2, 3)))

    return Net, Port, COLOURS


MODELS = {f.__name__: f for f in (mlp, lenet, norm, words, lstm, residual)}


def compared(torch, ms, name, planted):
    """What `labkit.compare` makes of a port."""
    torch.manual_seed(0)
    ms.set_seed(0)
    net, port, inputs = MODELS[name](torch, ms)
    return labkit.compare(net(), port(planted), inputs)


def found(result):
    """Where it differs first, or None."""
    return result.first and [result.first.torch, result.first.part]


if __name__ == "__main__":
    rooms = [importlib.import_module(name) for name in sys.argv[1:]]
    print(json.dumps({name: {p: found(compared(*rooms, name, p)) for p in WANTED[name]} for name in WANTED}))
