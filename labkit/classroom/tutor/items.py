"""What is wrong with a prediction, item by item: one reason for each item, and no more than two reasons."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..closeness import Reason, agree, near, numbers
from ..compare import brief, quoted, same
from ..exercise import Exercise
from .forms import formed

MOST = 2  # reasons in one message
LONGEST = 360  # characters of them together


def explain_items(exercise: Exercise, right: Sequence, got: Any) -> Reason | None:
    """Why a prediction, a list in the form that was asked for, is wrong; None where nothing is known."""
    if not isinstance(got, (tuple, list)) or len(got) != len(right):
        return _form(right, got)
    wrong = [i for i in range(len(right)) if not same(right[i], got[i])]
    reasons = list(_listed(exercise, right, got, wrong)) or list(_alike(exercise, right, got, wrong))
    left = [i for i in wrong if not any(i in items for _, items in reasons)]
    if not reasons or (left and len(reasons) < MOST):
        first = next((i for i in left if (sentence := _item(exercise, right[i], got[i], i))), None)
        if first is not None:
            sentence = _item(exercise, right[first], got[first], first)
            reasons.append((Reason("item-rule", sentence), frozenset([first])))
            left.remove(first)
    if not reasons:
        return None
    text = _text(exercise, reasons, left)
    if len(text) > LONGEST and len(reasons) > 1:
        text = _text(exercise, reasons[:1], [*left, *reasons[1][1]])
    return Reason(reasons[0][0].kind, text)


def _text(exercise, reasons, left):
    bare = len(reasons) == 1 and not left and reasons[0][0].kind != "item-rule"
    named = [(_capital(places(exercise, items)), reason.sentence) for reason, items in reasons]
    lines = [sentence if bare else f"{where}: {sentence}" for where, sentence in named]
    if left:
        lines.append(f"{_capital(places(exercise, left))} {'is' if len(left) == 1 else 'are'} wrong, too.")
    return "\n".join(lines)


def _form(right, got):
    reason = formed(right, got)
    if reason and reason.kind == "too-many":  # which part it is would be the answer
        return Reason("too-many", "Your answer contains the right item and something else.")
    return reason


def _listed(exercise, right, got, wrong):
    """The slips of the exercise, those first that explain most, until all is explained."""
    left = set(wrong)
    for _ in range(MOST):
        found = [(m, m.items(right, got) & left) for m in exercise.misconceptions if m.items]
        best = max(found, key=lambda one: len(one[1]), default=None)
        if not best or not best[1]:
            return
        yield Reason(best[0].name, best[0].sentence), best[1]
        left -= best[1]


def _alike(exercise, right, got, wrong):
    """What all wrong items have in common: two exchanged, all reversed, the other sign."""
    if len(wrong) == 2 and agree([right[i] for i in reversed(wrong)], [got[i] for i in wrong]):
        if all(sum(agree(item, right[i]) for item in right) == 1 for i in wrong):  # a word may come more than once
            yield Reason("items-exchanged", f"You exchanged {places(exercise, wrong)}."), frozenset(wrong)
    elif len(wrong) > 2 and agree(list(right)[::-1], list(got)):
        yield Reason("reversed", "You have the right items in the opposite order."), frozenset(wrong)
    elif wrong and all(_is_negative(right[i], got[i]) for i in wrong):
        yield Reason("sign", f"The sign is wrong.{_rule(exercise, wrong[0])}"), frozenset(wrong)


def _is_negative(right, got):
    r, g = numbers(right), numbers(got)
    return r is not None and g is not None and not isinstance(right, bool) and bool(r.any()) and near(-r, g)


def _item(exercise, right, got, i):
    """One wrong item: how a tuple or an error differs from the right one, and the rule that decides it."""
    if isinstance(right, (str, type)) != isinstance(got, (str, type)) or isinstance(right, bool) != isinstance(
        got, bool
    ):
        return ""  # another kind of answer is asked for: the judge says so
    relation, rule = _word(right, got) or _entries(right, got), _rule(exercise, i)
    return (
        f"{relation or quoted(f'you said {brief(got)}.', 'not what running the code gives.')}{rule}"
        if relation or rule
        else ""
    )


def _rule(exercise, i):
    rule = exercise.rules[min(i, len(exercise.rules) - 1)] if exercise.rules else ""
    return f" {rule}" if rule else ""


def _word(right, got):
    """An error where none is, or none where one is."""
    right, got = (v.__name__ if isinstance(v, type) else v for v in (right, got))
    if not isinstance(right, str) or not isinstance(got, str):
        return ""
    fails = [word.strip().endswith(("Error", "Exception")) for word in (right, got)]
    if got == "fine" and fails[0]:
        return "it raises an error, but you expect that it runs."
    if right == "fine" and fails[1]:
        return "it runs, but you expect an error."
    return "it raises an error, as you expect, but of a different type." if all(fails) else ""


def _entries(right, got):
    """A tuple with the right entries in another order, or with one too many or too few."""
    if isinstance(right, tuple) and numbers(got) is not None and len(right) == 1 and agree(right[0], got):
        return "a one-element tuple needs a comma, as in (7,)."
    if not isinstance(right, (tuple, list)) or not isinstance(got, (tuple, list)) or not right or not got:
        return ""
    if len(right) > 1 and agree(list(right)[::-1], list(got)):
        return "you have the right entries in the opposite order."
    if sorted(map(repr, right)) == sorted(map(repr, got)):
        return "you have the right entries in another order."
    if len(got) > len(right) and _inside(right, got):
        return "you have one entry too many; the others are right."
    return "you have one entry too few; those that you have are right." if _inside(got, right) else ""


def _inside(some, whole):
    rest = iter(whole)
    return all(any(agree(one, other) for other in rest) for one in some)


def places(exercise: Exercise, some: Iterable[int]) -> str:
    """Items in words: "item 3 (edges)", "items 0 to 2 and 5"."""
    some = sorted(some)
    if len(some) == 1:
        named = f" ({exercise.places[some[0]]})" if some[0] < len(exercise.places) else ""
        return f"item {some[0]}{named}"
    runs: list[list[int]] = []
    for i in some:
        if runs and i == runs[-1][-1] + 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    words = [w for run in runs for w in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    return "items " + " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _capital(words):
    return words[0].upper() + words[1:]
