"""Draw `chain_rule_light.gif` and `chain_rule_dark.gif` beside this file: python notebooks/figures/chain_rule.py"""

import io
from pathlib import Path

import autograd.numpy as np

import labkit


def loss(x, w):
    h = np.tanh(w * x)
    error = h - x
    return error**2


def picture():
    """The run that is played, as the graph explorer shows it."""
    return labkit.show(loss, 1.5, 0.6)


def moving(theme):
    """The steps one after the other, with what each says, as GIF."""
    from PIL import Image

    shown, out = picture(), io.BytesIO()
    steps = range(shown.data["ways"][shown.opened]["last"] + 1)
    frames = [Image.open(io.BytesIO(shown.png(theme, 2, step=step))) for step in steps]
    first, *others = [frame.convert("P", palette=Image.Palette.ADAPTIVE) for frame in frames]
    said = [shown.describe(step=step) for step in steps]
    comment = "\n".join([said[0], *(words.splitlines()[-1] for words in said[1:])])
    stay = [1000] * len(others) + [4000]
    first.save(out, "GIF", save_all=True, append_images=others, duration=stay, loop=0, comment=comment.encode())
    return out.getvalue()


if __name__ == "__main__":
    for theme in ("light", "dark"):
        Path(__file__).with_name(f"chain_rule_{theme}.gif").write_bytes(moving(theme))
