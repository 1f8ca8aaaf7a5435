"""The gradient as it stands in `.grad`, or as somebody holds it, beside the one that the way back gives."""

from typing import Any

import numpy as np

from .answer import Why
from .examining import Finding
from .flow import largest, plain
from .open_words import found
from .words import answer, at, figure

CLIPPED = 0.5  # of the gradient: what is less has been made smaller, and is no rounding


def compare(
    finding: Finding, gradient: np.ndarray, standing: Any, changed: Any = None, hook: str = "", more: str = ""
) -> Why:
    """The answer where the way back gives the healthy `gradient`, and `standing` (an array) is what there is.

    `changed`: where it was last written to. `hook`: words of a hook on the way.
    """
    whole, given = plain(gradient), plain(standing)
    norm, has = float(np.linalg.norm(whole)), float(np.linalg.norm(given))
    if not np.isfinite(given).all():
        return answer(
            "nan", "not this gradient",
            [f"What stands there is not finite, but the way back gives a finite one, of norm {figure(norm)}.",
             f"It was last written to{at(changed)}." if changed else "It comes from another backward()."],
            changed, "set .grad to None and run backward() again.",
        )  # fmt: skip
    if not largest(given):
        return _emptied(norm, changed, hook)
    if has < CLIPPED * norm:
        return _shortened(whole, given, norm, has, changed, hook)
    healthy = found(finding, more)
    times = has / norm
    if not np.allclose(given, times * whole, rtol=1e-2, atol=1e-2 * float(np.max(np.abs(given)))):
        said = "In .grad stands something else, of this length or longer: of another backward(), or added to what was there."
        return answer("healthy", "", [healthy.text.partition(". ")[2].partition("\n")[0], hook, said], changed)
    if np.allclose(given, times * whole, rtol=1e-3) and times > 1.5:
        note = f"In .grad stand {figure(times)} times as much: backward() has added to it more than once."
        return answer("healthy", "", [healthy.text.partition(". ")[2].partition("\n")[0], note])
    return healthy


def _emptied(norm, changed, hook):
    sentences = [f"What stands there is zero, but the way back gives a gradient of norm {figure(norm)}."]
    if hook:
        return answer("zero", "a hook", [*sentences, hook], None, "look at what the hook returns.")
    sentences.append(
        f"It was emptied after backward(){at(changed)}: clipped to nothing, or filled with zeros."
        if changed else "It was emptied after backward(): clipped to nothing, or filled with zeros."
    )  # fmt: skip
    step = "look at the limit that it is clipped to (the largest norm is not the learning rate), and at zero_grad."
    return answer("zero", "clipped to nothing", sentences, changed, step)


def _shortened(whole, given, norm, has, changed, hook):
    factor = has / norm
    along = np.allclose(given, factor * whole, rtol=1e-2, atol=1e-3 * float(np.max(np.abs(given))))
    limit = float(np.max(np.abs(given)))
    limited = bool(np.all(np.abs(given) <= np.abs(whole) * 1.001) and np.all((given * whole.conj()).real >= 0))
    how = f"scaled to {figure(factor)} of it" if along else f"limited to {figure(limit)}" if limited else ""
    if hook and not how:
        return answer("small", "a hook", [hook], None, "look at what the hook returns.")
    if not how:
        sentences = [f"What stands there has norm {figure(has)} and another direction than what the way back gives."]
        return answer(
            "small", "not this gradient", sentences, changed, "it comes from another backward(), or was written to."
        )
    where = at(changed)
    sentences = [
        f"The way back gives norm {figure(norm)}; what stands there has norm {figure(has)}: it was {how}{where}.",
        hook,
    ]
    step = "look at the limit that it is clipped to, or at what it is divided by."
    return answer("small", "clipped to nothing" if factor < 1e-3 else "clipped", sentences, changed, step)
