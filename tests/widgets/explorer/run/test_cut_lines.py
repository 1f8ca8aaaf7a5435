"""Which of the user's lines may cut the way back."""

import pytest

from labkit.widgets.explorer.run.cut_lines import CutLine, cut_lines
from labkit.widgets.explorer.run.gaps import Gap
from labkit.widgets.explorer.run.real import of_tape


class Module:
    """As much of a module of PyTorch as is asked for."""

    def __init__(self, *names):
        self.names = names

    def named_modules(self):
        yield "", self

    def named_parameters(self):
        return [(name, None) for name in self.names]


class Cut(Module):
    def forward(self, x):
        h = self.enc(x).relu().detach()
        return self.head(h)


class Held(Module):
    def forward(self, x):
        with torch.no_grad():  # noqa: F821
            h = self.enc(x)
        return self.head(h.data)


class Whole(Module):
    def forward(self, x):
        return self.head(self.enc(x))


@pytest.mark.parametrize("module, lines", [
    (Cut("enc.weight"), [CutLine("Cut.forward", "h = self.enc(x).relu().detach()")]),
    (Held("enc.weight"), [
        CutLine("Held.forward", "with torch.no_grad():  # noqa: F821"),
        CutLine("Held.forward", "return self.head(h.data)"),
    ]),
    (Whole("enc.weight"), []),
    (Cut("other.weight"), []),
])  # fmt: skip
def test_the_lines_of_the_forwards_that_hold_the_parameters(module, lines):
    assert sorted(cut_lines([module], ["net.enc.weight"])) == sorted(lines)


def test_the_end_of_the_way_is_told_with_the_line():
    from small_tapes import cut_off, homes

    from labkit.realtape import Saved
    from labkit.widgets.explorer import Explorer

    tape = cut_off(Saved("mat1", shape=(4, 8), dtype="float32"), homes=homes("enc", True))
    story = of_tape(tape, cut_lines([Cut("enc.weight")], ["enc.weight"]))
    assert story.ending.endswith("Cut.forward has: h = self.enc(x).relu().detach()")
    assert Explorer(story, "tape").describe().splitlines()[-1].startswith(story.ending)
    assert Gap(tape, []).lines == ()
