"""The network of MindSpore's guide, with the numbers that its documents give."""

from typing import Any


def network(ms) -> tuple[Any, Any, Any]:
    """The documents' network: one output, squared error; weights 2 3 4, input 1 2 3, target 19."""
    Cell: Any = ms.nn.Cell

    class Net(Cell):
        def __init__(self):
            super().__init__()
            self.fc = ms.nn.Dense(3, 1, has_bias=False)
            self.loss = ms.nn.MSELoss()

        def construct(self, x, y):
            logits = self.fc(x).squeeze()
            return self.loss(logits, y), logits

    net = Net()
    net.fc.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
    return net, ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)
