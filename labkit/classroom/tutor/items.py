"""What is wrong with a prediction, item by item: where the exercise's own list has no name for the whole."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from ...evidence import call, plain_data
from ..closeness import Reason, agree, numbers, shape
from ..compare import brief, difference, quoted
from ..exercise import Exercise, Misconception
from .forms import formed
from .one_item import relation
from .slipped import ONE, namespace, quiet

SIZED = ("factor", "one-off")
WEAK = (*SIZED, "zero", "not-zero", "power")  # of one item alone they say little: a rule says more
FORM = ("spelling", "quoted", "no-comma", "few-digits", "no-error-type")  # a rule would say nothing to these
LEFT_OVER = 2  # wrong items that may have another reason than the rest
Recognises = Callable[[Any], Misconception | None]

_PLANTED: dict[str, list[tuple[Misconception, Any]]] = {}


def explain_value(exercise: Exercise, right: Any, got: Any, recognised: Recognises) -> Reason | None:
    """Why a prediction is wrong, both as plain data. `recognised(answer)` asks the exercise's own list."""
    if not _alike(right, got):
        distinct = not isinstance(right, list) or len({repr(item) for item in right}) == len(right)
        reason = formed(right, got) if distinct else None
        if reason and reason.kind == "too-many":  # which part it is would be the answer
            return Reason("too-many", "What is asked for is in your answer, but something else is, too.")
        return reason
    wrong = [i for i in range(len(right)) if difference(right[i], got[i])]
    if exchanged := _exchanged(exercise, right, got, wrong):
        return exchanged
    if known := _known(exercise, right, got, wrong, recognised) or _here_alone(exercise, right, got, wrong):
        return known
    whole = formed(right, got)
    if whole and whole.kind == "another-collection":
        return whole
    return _all_alike(exercise, right, got, wrong) or _one(exercise, right, got, wrong) or whole


def _alike(right, got):
    return isinstance(right, (tuple, list)) and isinstance(got, (tuple, list)) and len(right) == len(got)


# ---- a misconception that the exercise knows, and other slips ----


def fuller(exercise: Exercise, right: Any, got: Any, known: Misconception, recognised: Recognises) -> Reason | None:
    """Another planted answer that explains more items than those alone by which `known` was recognised; None without."""
    if not _alike(right, got):
        return None
    wrong = [i for i in range(len(right)) if difference(right[i], got[i])]
    whole = {m.name: len(some) for some, m, its in _planted(exercise, right, got) if len(some) == len(its)}
    if known.name in whole or not whole:
        support = whole.get(known.name) or 0
        alone = any(recognised(_kept(right, got, [i])) is known for i in wrong)
        if max(whole.values(), default=0) <= max(support, 1) or not alone:
            return None
    return _known(exercise, right, got, wrong, lambda answer: None)


def besides(exercise: Exercise, right: Any, got: Any, known: Misconception, recognised: Recognises) -> str:
    """The wrong items that are there beside those which show `known`, each by itself: a sentence, or nothing."""
    if not _alike(right, got):
        return ""
    wrong = [i for i in range(len(right)) if difference(right[i], got[i])]
    shown = [i for i in wrong if recognised(_kept(right, got, [i])) is known]
    return _besides(exercise, [i for i in wrong if i not in shown]) if shown else ""


def _besides(exercise, rest):
    return f"\nBesides, {_places(exercise, rest)} {'is' if len(rest) == 1 else 'are'} wrong, too." if rest else ""


def _kept(right, got, some):
    """The right answer, but for `some` items."""
    return type(got)(g if i in some else r for i, (r, g) in enumerate(zip(right, got, strict=True)))


def _known(exercise, right, got, wrong, recognised):
    """The misconception that explains most of the wrong items, and the items that it leaves over."""
    planted = [(keeps, m) for keeps, m, _ in _planted(exercise, right, got)]
    found = [*_repaired(right, got, wrong, recognised), *planted]
    if not found:
        return None
    keeps, misconception = max(found, key=lambda one: len(one[0]))
    rest = [i for i in wrong if i not in keeps]
    if not _enough(len(keeps), len(rest)):
        return None
    return Reason(misconception.name, misconception.sentence + _besides(exercise, rest))


def _enough(kept, left):
    """Where too much is left over, it may be another story altogether."""
    return left <= 1 or 2 * left <= kept


def _repaired(right, got, wrong, recognised):
    """What is recognised once some of the wrong items are put right."""
    for size in range(len(wrong) - 1, 0, -1):
        if not _enough(size, len(wrong) - size) or size < len(wrong) - LEFT_OVER:
            return
        for keeps in combinations(wrong, size):
            if misconception := recognised(_kept(right, got, keeps)):
                yield keeps, misconception
                return


def _planted(exercise, right, got):
    """Planted wrong answers whose wrong items are wrong in the same way here, all but one at most."""
    for misconception, answer in _answers(exercise):
        if not _alike(right, answer):
            continue
        its = [i for i in range(len(right)) if difference(right[i], answer[i])]
        shared = [i for i in its if agree(answer[i], got[i])]
        if shared and (len(shared) == len(its) or (len(shared) > 1 and len(shared) >= len(its) - 1)):
            yield shared, misconception, its


def _here_alone(exercise, right, got, wrong):
    """A planted answer that has all of the wrong items just so, where more of its own are right here."""
    found = []
    for misconception, answer in _answers(exercise):
        if (
            _alike(right, answer)
            and len(wrong) > 1
            and all(_telling(right, got, i) and agree(answer[i], got[i]) for i in wrong)
        ):
            found.append(misconception)
    if len(found) != 1:
        return None
    return Reason(
        found[0].name, f"{found[0].sentence}\nThis is so in {_places(exercise, wrong)}; the others are right."
    )


def _telling(right, got, i):
    """True where an answer is not one of a few words, which two people may give for two reasons."""
    return numbers(got[i]) is not None and _kind(got[i]) == "number" and not agree(right[i], got[i])


def _answers(exercise):
    if exercise.name not in _PLANTED:
        names = {m.name: m for m in exercise.misconceptions}
        _PLANTED[exercise.name] = [
            (names[wrong.expected], _defined(wrong.source))
            for wrong in exercise.wrong_answers
            if wrong.expected in names
        ]
    return _PLANTED[exercise.name]


def _defined(source):
    names = namespace()
    with quiet():
        call(lambda: exec(source, names), (), 10 * ONE)
    return plain_data(names.get("answer"))


# ---- relations of items ----


def _exchanged(exercise, right, got, wrong):
    """Two items, each with what belongs to the other and to no third one."""
    if len(wrong) != 2 or not agree([right[i] for i in reversed(wrong)], [got[i] for i in wrong]):
        return None
    if any(sum(agree(item, right[i]) for item in right) > 1 for i in wrong):
        return None  # where words come again and again, each may be wrong for a reason of its own
    return Reason("items-exchanged", f"You exchanged two items: {_places(exercise, wrong)}.{_why(exercise, wrong)}")


def _all_alike(exercise, right, got, wrong):
    """The same relation for all wrong items."""
    if len(wrong) > 2 and agree([right[i] for i in reversed(range(len(right)))], got):
        return Reason("reversed", "You have the right items in the opposite order.")
    words = [found for i in wrong if (found := relation(right[i], got[i]))]
    alike = len(words) == len(wrong) > 1 and len({w.sentence for w in words}) == 1
    if alike and (words[0].kind != "factor" or _one_factor([right[i] for i in wrong], [got[i] for i in wrong])):
        return Reason(words[0].kind, f"Each of {_places(exercise, wrong)} {_ended(exercise, words[0], wrong)}")
    return None


def _one_factor(right, got):
    """The same factor everywhere; each its own may be by chance between small numbers."""
    return all(map(_is_large, right)) or np.ptp(np.divide(got, right)) < 1e-3 * abs(got[0] / right[0])


def _one(exercise, right, got, wrong):
    """What can be said about one of the wrong items, the first one of which something can."""
    for i in wrong:
        reason = relation(right[i], got[i])
        if reason and reason.kind in WEAK and not (reason.kind in SIZED and _is_large(right[i])):
            reason = None  # between small numbers it may be by chance
        reason = reason or _taken(exercise, right, got, i, wrong)
        if not reason and _kind(right[i]) != _kind(got[i]):
            return None  # a number or a truth value is asked for: the judge says so
        if reason or _why(exercise, [i]):
            reason = reason or Reason(
                "item-rule", f"is not what running it gives{quoted(f'. You said {brief(got[i])}')}"
            )
            rest = _besides(exercise, [k for k in wrong if k != i])
            return Reason(reason.kind, f"{_place(exercise, i)} {_ended(exercise, reason, [i])}{rest}")
    return None


def _ended(exercise, reason, places):
    """The sentence of a reason, and after it the rules that decide these items, unless only the form is wrong."""
    end = "" if reason.sentence.endswith("?") else "."
    return f"{reason.sentence}{end}{'' if reason.kind in FORM else _why(exercise, places)}"


def _kind(value):
    return "truth" if isinstance(value, (bool, np.bool_)) else "other" if numbers(value) is None else "number"


def _is_large(number):
    return not abs(number) < 12 or number != int(number)


def _why(exercise, places):
    """The rules that decide these items, where the exercise has them; the last one is for all that follow."""
    rules = dict.fromkeys(exercise.rules[min(i, len(exercise.rules) - 1)] for i in places if exercise.rules)
    return "".join(f" {rule}" for rule in list(rules)[:2] if rule)


def _place(exercise, i):
    named = f" ({exercise.places[i]})" if i < len(exercise.places) else ""
    return f"Item [{i}]{named}"


def _places(exercise, some):
    return "item" + "s" * (len(some) > 1) + " " + " and ".join(_place(exercise, i)[5:] for i in some)


def _taken(exercise, right, got, i, wrong):
    """The right answer of another item, which the learner has right there."""
    if shape(got[i]) == () and not _is_large(got[i]):
        return None  # a small number may be the same by chance
    same = [k for k in range(len(right)) if k != i and k not in wrong and agree(right[k], got[i])]
    if len(same) != 1:
        return None
    return Reason(
        "as-another-item", f"has what belongs to {_places(exercise, same)}. What is different between the two?"
    )
