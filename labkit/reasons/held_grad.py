"""The gradient that `.grad` or the caller holds, compared with the one that the backward pass gives."""

from typing import Any

import numpy as np

from .answer import Why
from .causes import Finding
from .flow import largest, plain
from .open_words import found
from .words import answer, at, figure

CLIPPED = 0.5  # of the gradient: what is less has been made smaller, and is not a rounding


def compare(
    finding: Finding, gradient: np.ndarray, standing: Any, changed: Any = None, hook: str = "", more: str = "",
    walked: bool = True,
) -> Why:  # fmt: skip
    """The answer where the backward pass gives the healthy `gradient`, and `standing` (an array) is the one held.

    `changed`: where it was last written to. `hook`: words of a hook on the path. `walked`: whether backward() has run for sure.
    """
    whole, given = plain(gradient), plain(standing)
    norm, has = float(np.linalg.norm(whole)), float(np.linalg.norm(given))
    earlier = "" if walked else _EARLIER
    if not np.isfinite(given).all():
        return answer(
            "nan", "not this gradient",
            [_NOT_FINITE.format(norm=figure(norm)), _WRITTEN.format(at=at(changed)) if changed else _OTHER],
            changed, "set .grad to None and run backward() again.",
        )  # fmt: skip
    if not largest(given):
        return _emptied(norm, changed, hook, earlier)
    if has < CLIPPED * norm:
        return _shortened(whole, given, norm, has, changed, [hook, "" if changed else earlier])
    healthy = found(finding, more)
    times = has / norm
    if not np.allclose(given, times * whole, rtol=1e-2, atol=1e-2 * float(np.max(np.abs(given)))):
        said = ".grad holds a different gradient, with at least this norm: another backward() wrote it, or gradients accumulated."
        return answer("healthy", "", [healthy.text.partition(". ")[2].partition("\n")[0], hook, said], changed)
    if np.allclose(given, times * whole, rtol=1e-3) and times > 1.5:
        note = _TIMES.format(times=figure(times))
        return answer("healthy", "", [healthy.text.partition(". ")[2].partition("\n")[0], note])
    return healthy


_NOT_FINITE = ".grad is not finite, but the backward pass gives a finite gradient, of norm {norm}."
_WRITTEN = ".grad was last written to{at}."
_TIMES = ".grad holds {times} times this gradient: backward() was called more than once without zero_grad()."
_NORMS = "The backward pass gives norm {norm}; .grad has norm {has}."
_TURNED = ".grad has norm {has} and a different direction from the gradient that the backward pass gives."
_SCALED = "It was scaled by {size}{at}.", "Otherwise it was scaled by {size}."
_LIMITED = "It was clipped to {size} by value{at}.", "Otherwise it was clipped to {size} by value."
_OTHER = ".grad was overwritten after backward(), or holds the result of another backward()."
_EARLIER = "If backward() has not run on this loss yet, .grad is left from before it."


def _emptied(norm, changed, hook, earlier):
    said = ".grad is zero, but the backward pass gives a gradient of norm {norm}.".format(norm=figure(norm))
    if hook:
        return answer("zero", "a hook", [said, hook, earlier], None, "look at what the hook returns.")
    filled = ".grad was filled with zeros, or clipped to zero{at}.".format(at=at(changed)) if changed else _OTHER
    step = "call backward() after zero_grad(), and check the max_norm of the clipping (it is not the learning rate)."
    return answer("zero", "emptied", [said, filled, earlier], changed, step)


def _shortened(whole, given, norm, has, changed, notes):
    factor = has / norm
    along = np.allclose(given, factor * whole, rtol=1e-2, atol=1e-3 * float(np.max(np.abs(given))))
    limit = float(np.max(np.abs(given)))
    limited = bool(np.all(np.abs(given) <= np.abs(whole) * 1.001) and np.all((given * whole.conj()).real >= 0))
    how = _SCALED if along else _LIMITED if limited else ()
    if notes[0] and not how:
        return answer("small", "a hook", notes, None, "look at what the hook returns.")
    if not how:
        step = "check for another backward(), and for code that writes to .grad."
        return answer("small", "not this gradient", [_TURNED.format(has=figure(has)), *notes], changed, step)
    hook, earlier = notes
    cause = "not this gradient" if earlier else "clipped to nothing" if factor < 1e-3 else "clipped"
    done = how[bool(earlier)].format(size=figure(factor if along else limit), at=at(changed))
    step = "check the threshold of the clipping, or the number that the gradient is divided by."
    said = [_NORMS.format(norm=figure(norm), has=figure(has)), earlier, done, hook]
    return answer("small", cause, said, changed, step)
