"""Three short trainings that print their losses, for PyTorch and for its dialect: `PYTHON seeded_training.py`.

Data, first weights, order of samples and dropout all come from the seed, so the same losses mean the same numbers. It
imports nothing of labkit, for it may run under an interpreter that has not got it.
"""


def regression(torch):
    """A line through noisy points, batch by batch in the order of `randperm`."""
    nn = torch.nn
    torch.manual_seed(0)
    x = torch.randn(200, 3)
    y = x @ torch.tensor([[1.5], [-2.0], [0.5]]) + 0.3 + 0.1 * torch.randn(200, 1)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for epoch in range(5):
        total = 0.0
        for rows in torch.randperm(200).reshape(10, 20):
            total += step(optimizer, nn.functional.mse_loss(net(x[rows]), y[rows])) / 10
        yield f"regression, epoch {epoch}: {total:.4f}"


def perceptron(torch):
    """Classes learnt with dropout and Adam, from samples drawn with `randint`."""
    nn = torch.nn
    torch.manual_seed(42)
    x = torch.rand(300, 8)
    labels = (x.sum(1) * 2).long() % 3
    net = nn.Sequential(
        nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 3)
    )  # fmt: skip
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for number in range(1, 61):
        rows = torch.randint(0, 300, (64,))
        loss = step(optimizer, nn.functional.cross_entropy(net(x[rows]), labels[rows]))
        if number % 10 == 0:
            yield f"perceptron, step {number}: {loss:.4f}"


def convolution(torch):
    """Images learnt with convolution, batch normalisation, pooling and dropout."""
    nn = torch.nn
    torch.manual_seed(1234)
    images, labels = torch.randn(64, 1, 12, 12), torch.randint(10, (64,))
    net = nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Dropout(0.3), nn.Linear(192, 10),
    )  # fmt: skip
    nn.init.xavier_uniform_(net[8].weight)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(5):
        total = 0.0
        for rows in torch.randperm(64).split(16):
            total += step(optimizer, nn.functional.cross_entropy(net(images[rows]), labels[rows])) / 4
        yield f"convolution, epoch {epoch}: {total:.4f}"


def step(optimizer, loss):
    """One step of training; the loss before it."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def lines(torch):
    """What the three trainings print."""
    return [line for training in (regression, perceptron, convolution) for line in training(torch)]


if __name__ == "__main__":
    import torch

    print("\n".join(lines(torch)))
