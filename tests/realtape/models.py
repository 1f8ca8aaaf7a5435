"""Ten models of `torch.nn` alone: each makes the losses of a step, and the modules that they go through.

They are run where the real PyTorch is. `tests/tools/tapes.py` records their tapes, which the usual tests draw.
"""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

MODELS = {}


def model(build):
    """Enter a function that gives `(losses, modules by name, the input of the first module)`."""
    MODELS[build.__name__] = build
    return build


@model
def mlp():
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
    net[0].bias.requires_grad_(False)
    x, y = torch.randn(5, 4), torch.tensor([0, 2, 1, 0, 2])
    return [F.cross_entropy(net(x), y)], {"net": net}, x


@model
def lenet():
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    x = torch.randn(2, 1, 28, 28)
    return [F.cross_entropy(net(x), torch.tensor([3, 7]))], {"net": net}, x


class Residual(nn.Module):
    """Two convolutions with BatchNorm, and a way around them."""

    def __init__(self, width):
        super().__init__()
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
        self.norm, self.again = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x):
        return F.relu(x + self.again(self.second(F.relu(self.norm(self.first(x))))))


@model
def resnet():
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), Residual(4), Residual(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2)
    )
    x = torch.randn(3, 1, 8, 8)
    return [F.cross_entropy(net(x), torch.tensor([0, 1, 1]))], {"net": net}, x


class Reader(nn.Module):
    """An LSTM over a sequence of letters, and what it says at its end."""

    def __init__(self):
        super().__init__()
        self.letters, self.lstm, self.head = nn.Embedding(9, 5), nn.LSTM(5, 6, batch_first=True), nn.Linear(6, 2)

    def forward(self, x):
        return self.head(self.lstm(self.letters(x))[0][:, -1])


@model
def lstm():
    net, x = Reader(), torch.tensor([[1, 4, 2, 7], [0, 3, 3, 8]])
    return [F.cross_entropy(net(x), torch.tensor([1, 0]))], {"net": net}, x


@model
def transformer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    net, x = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.randn(2, 3, 8)
    return [net(x).square().mean()], {"net": net}, x


@model
def gan():
    generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4))
    critic = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    noise, real = torch.randn(6, 2), torch.randn(6, 4)
    fake = generator(noise)
    ones, zeros = torch.ones(6, 1), torch.zeros(6, 1)
    judge = F.binary_cross_entropy_with_logits
    loss_critic = judge(critic(real), ones) + judge(critic(fake.detach()), zeros)
    loss_generator = judge(critic(fake), ones)
    return [loss_critic, loss_generator], {"generator": generator, "critic": critic}, noise


class Checkpointed(nn.Module):
    """A block with BatchNorm and dropout that is computed again in backward."""

    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.5), nn.Linear(6, 4))
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(checkpoint(self.block, x, use_reentrant=False, preserve_rng_state=False))


@model
def checkpointing():
    net, x = Checkpointed(), torch.randn(5, 4)
    return [net(x).square().mean()], {"net": net}, x


@model
def amp():
    net, x = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 2)), torch.randn(5, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.mse_loss(net(x), torch.zeros(5, 2))
    return [loss], {"net": net}, x


class Rounded(torch.autograd.Function):
    """Rounding, whose derivative is taken to be 1; it keeps a tensor on its ctx besides."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        ctx.far = x.abs() > 2
        return torch.round(x * scale) / scale

    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return torch.where(ctx.far, torch.zeros_like(x), g), None


class Quantised(nn.Module):
    """A layer whose result is rounded."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return Rounded.apply(self.fc(x), torch.tensor(4.0))


@model
def custom():
    net, x = Quantised(), torch.randn(4, 3)
    return [net(x).sum()], {"net": net}, x


class Distance(nn.Module):
    """The distance between two codes: its square root has no derivative where they are equal; a head is not used."""

    def __init__(self):
        super().__init__()
        self.code, self.unused = nn.Linear(3, 2), nn.Linear(2, 2)

    def forward(self, x):
        code = self.code(x)
        return (code - code.detach()).square().sum(1).sqrt()


@model
def bug():
    net, x = Distance(), torch.randn(2, 3)
    return [net(x).mean()], {"net": net}, x


def build(name):
    """A model by name, with the numbers of seed 0."""
    torch.manual_seed(0)
    return MODELS[name]()
