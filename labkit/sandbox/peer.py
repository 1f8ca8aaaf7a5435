"""Tests and answers, each in a process of its own: data is copied, everything else stays where it is.

`Tests` asks, `Answers` does what it is asked. Nothing that an answer sends names anything in the tests' process: it sends
data of known types (`answers`), numbers of its own objects (`remote.Theirs`), and numbers of functions that were passed to
it; such a function runs only while the call is open to which it was passed, or a call of an object that came of that one.

A question is `{"ask": OPERATION, "args", "named", "also": [number]}`, answered by `{"came": value}`, `{"same": place of an
argument}`, `{"raised": error}` or `{"uncrossed": why}`, with `{"after": [arguments], "printed"}`. Before it answers, an
answer may send `{"call": number, "args", "named"}`, which the tests answer by `{"came": value}` or `{"raised", "number"}`.
"""

import base64
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from itertools import islice
from typing import Any

import numpy as np

from ..evidence import Printed, Unreadable, decode, encode
from . import wire
from .answers import BUILT, ERRORS, TYPES, Kept
from .remote import DATA, INTERNAL, KINDS, OPERATIONS, Strange, Theirs, plain

CHANGEABLE = (list, dict, set, np.ndarray)
BASES = {base.__name__: base for base in DATA}
_NO_ARGUMENT = "an object of the class {kind} that cannot be passed to an answer"
_NO_RESULT = "the result for an argument that cannot be passed to an answer ({error})"


class Tests:
    """The tests' side. `strangeness` says what they would have had to believe; then a person has to look."""

    def __init__(self, send: Callable[[Any], None], receive: Callable[[], Any]) -> None:
        self.send, self.receive = send, receive
        self.objects: dict[int, Any] = {}
        self.errors: dict[int, type[Exception]] = {}
        self.functions: list[Callable] = []
        self.open, self.raised = set[int](), list[BaseException]()
        self.strangeness = ""

    def strange(self, what: str) -> Strange:
        """The error to raise where tests meet what they would have to believe."""
        self.strangeness = self.strangeness or what
        return Strange("the tests cannot compare {what}".format(what=what))

    def ask(self, operation: str, *args: Any, **named: Any) -> Any:
        """What an operation gives among the answers; raises what it raises. Arguments that it changes are changed here."""
        theirs = [one for one in (*args, *named.values()) if isinstance(one, Theirs)]
        also = [owner for one in theirs if (owner := one._owner) is not None]
        before, self.raised = (self.open, self.raised), []
        self.open = self.open.union(*(one._carries for one in (*theirs, *also)))
        try:
            data = [self._encoded(one) for one in args]
            named_data = {key: self._encoded(value) for key, value in named.items()}
            self.send({"ask": operation, "args": data, "named": named_data, "also": [one._at for one in also]})
            while "call" in (message := self.receive()):
                self._called(message)
            return self._came(message, operation, (*args, *also))
        except Unreadable as error:
            raise self.strange(f"{error}") from None
        finally:
            self.open, self.raised = before

    def _came(self, message, operation, args):
        if "uncrossed" in message:
            raise self.strange(str(message["uncrossed"])[:300])
        sys.stdout.write(str(message.get("printed", ""))[:20_000])
        may_change = operation == "call" and isinstance(args[0], Theirs)  # an operator leaves what it is told
        for one, after in zip(args, message.get("after", ()), strict=False):
            if after is not None and (may_change or isinstance(one, Theirs)):
                put_back(one, self._decoded(after))
        if "raised" in message:
            raise self._error(message["raised"], operation)
        if any(isinstance(error, AssertionError) for error in self.raised):
            raise self.strange("the result of an answer that caught an error raised by a function of the tests")
        return args[message["same"]] if "same" in message else self._decoded(message.get("came"))

    def _called(self, message):
        """Call a function that was passed to the open call, and report the result; of an error only its kind."""
        try:
            if message["call"] not in self.open:
                raise RuntimeError("a function of the tests was called after the test that passed it")
            function = self.functions[message["call"]]
            args = [self._decoded(one) for one in message["args"]]
            named = {str(key): self._decoded(one) for key, one in message["named"].items()}
            answer: dict[str, Any] = {"came": self._encoded(function(*args, **named))}
        except (wire.Closed, wire.Garbled, wire.TimedOut, Strange):
            raise
        except BaseException as error:
            self.raised.append(error)
            answer = {"raised": type(error).__name__, "number": len(self.raised) - 1}
        self.send(answer)

    def _encoded(self, value: Any) -> list:
        return encode(value, self._refer)

    def _refer(self, value: Any) -> list:
        if isinstance(value, Theirs):
            return ["plain", self._encoded(plain(value))] if value._at is None else ["yours", value._at]
        if at := [at for at, kind in self.errors.items() if kind is value]:
            return ["yours", at[0]]
        if callable(value) and not _installed(value):
            self.functions.append(value)
            self.open.add(len(self.functions) - 1)
            return ["function", len(self.functions) - 1, str(getattr(value, "__name__", "function"))]
        with suppress(Exception):
            return ["pickle", base64.b64encode(pickle.dumps(value)).decode()]
        if isinstance(value, Iterator):
            return ["iterator", self._encoded(list(islice(value, 1000)))]
        raise Unreadable(_NO_ARGUMENT.format(kind=type(value).__name__))

    def _decoded(self, data: Any) -> Any:
        return decode(data, self._resolved)

    def _resolved(self, said: Any) -> Any:
        match said:
            case ["built", name, parts]:
                return BUILT[name][0](*self._decoded(parts))
            case ["type", name]:
                return TYPES[name]
            case ["errors", theirs, base]:
                return self._class(theirs, base)
            case ["theirs", *rest]:
                return self._theirs(*rest)
        raise Unreadable("expected a reference")

    def _theirs(self, at, name, own, base, data, state):
        kind, held = BASES.get(base), self._decoded(data)
        if type(held) is not (kind or type(None)):
            raise Unreadable("expected the data of the class")
        if INTERNAL.intersection(own):  # these names say here what a test may believe
            raise Unreadable("a class with the attribute {attribute}".format(attribute=min(INTERNAL.intersection(own))))
        one: Any = self.objects.get(at)
        fresh = KINDS[kind]
        if type(one) is fresh and kind in (None, *CHANGEABLE):
            put_back(one, held)
        else:
            one = held.view(fresh) if isinstance(held, np.ndarray) else fresh(held) if kind else fresh()
        data_first = {one for one in dir(kind) if one[:2] != "__"} if kind not in (None, *CHANGEABLE) else set()
        said = {"_at": at, "_kind": str(name)[:100], "_own": frozenset(map(str, own)) - data_first, "_state": state}
        for key, value in {**said, "_peer": self, "_carries": one._carries | self.open}.items():
            object.__setattr__(one, key, value)
        self.objects[at] = one
        return one

    def _class(self, theirs, base):
        """A class of errors of one's own: here an empty one of the same name, below a known one."""
        found = ERRORS.get(base, Exception)
        for at, name in reversed(theirs[:20]):
            if at not in self.errors:
                self.errors[at] = type(name if str(name).isidentifier() else "Error", (found,), {})
            found = self.errors[at]
        return found

    def _error(self, said: Any, operation: str) -> BaseException:
        """An error as the answers raised it: one that a function of the tests raised before, a known one, or one of its name."""
        if type(said) is int:
            error = self.raised[said]
            return RuntimeError("StopIteration") if isinstance(error, StopIteration) else error
        if said == "end":
            return StopIteration() if operation == "next or end" else RuntimeError("StopIteration")
        theirs, base, args, held = said
        kind, args = self._class(theirs, base), decode(args)
        try:
            error = kind(*args)
        except Exception:  # a class that takes more
            error = Exception(*args)
        if held is not None:
            vars(error).update(decode(held))
        return error


class Answers:
    """The answers' side: it does with a student's `names` what it is asked."""

    def __init__(self, send: Callable[[Any], None], receive: Callable[[], Any], names: dict[str, Any]) -> None:
        self.send, self.receive, self.names = send, receive, names
        self.kept = Kept()

    def serve(self, message: dict[str, Any]) -> None:
        """Do what the tests ask for, and report the result."""
        printed = Printed()
        try:
            args = [self._decoded(one) for one in message["args"]]
            named = {str(key): self._decoded(one) for key, one in message["named"].items()}
        except Exception as error:
            self.send({"uncrossed": _NO_RESULT.format(error=error)[:300]})
            return
        try:
            with redirect_stdout(printed):
                came = {**OPERATIONS, "name": self._named}[message["ask"]](*args, **named)
        except BaseException as error:
            number = getattr(error, "labkit_number", None)
            end = "end" if isinstance(error, StopIteration) else None
            answer = {"raised": (end or self.kept.error(error)) if number is None else number}
        else:
            same = [i for i, one in enumerate(args) if one is came and (isinstance(one, CHANGEABLE) or callable(one))]
            try:
                answer = {"same": same[0]} if same and message["ask"] == "call" else {"came": self.kept.encoded(came)}
            except Exception as error:
                answer = {"uncrossed": str(error)[:300]}
        also = [self.kept.objects[at] for at in message["also"]]
        answer["after"] = [self._after(one) for one in (*args, *also)]
        self.send({**answer, "printed": printed.getvalue()})

    def _after(self, one):
        """An argument that may be another one now; nothing of what was passed by its number and is the same."""
        if isinstance(one, CHANGEABLE) or id(one) in self.kept.numbers:
            with suppress(Exception):
                return self.kept.encoded(one)
        return None

    def _named(self, name: str) -> Any:
        if name not in self.names:
            raise NameError("name {name!r} is not defined".format(name=name))
        return self.names[name]

    def _decoded(self, data: Any) -> Any:
        return decode(data, self._resolved)

    def _resolved(self, said: Any) -> Any:
        kind, what, *name = said
        match kind:
            case "yours":
                return self.kept.objects[what]
            case "plain":
                return self._decoded(what)
            case "iterator":
                return iter(self._decoded(what))
            case "pickle":
                return pickle.loads(base64.b64decode(what))

        def function(*args: Any, **named: Any) -> Any:
            return self._call(what, args, named)

        function.__name__ = name[0]
        return function

    def _call(self, number, args, named):
        data = {key: self.kept.encoded(value) for key, value in named.items()}
        self.send({"call": number, "args": [self.kept.encoded(one) for one in args], "named": data})
        while "ask" in (message := self.receive()):
            self.serve(message)
        if "raised" in message:
            error = ERRORS.get(message["raised"], RuntimeError)("")
            error.labkit_number = message["number"]  # type: ignore[attr-defined]
            raise error
        if "came" not in message:  # the tests have ended in their function
            os._exit(0)
        return self._decoded(message["came"])


def _installed(value: Any) -> bool:
    """True for what is the same in every process, and so can be passed by its name."""
    name = str(getattr(value, "__name__", ""))
    home = "numpy" if isinstance(value, np.ufunc) else str(getattr(value, "__module__", ""))
    return bool(name) and home != "__main__" and getattr(sys.modules.get(home), name, None) is value


def put_back(one: Any, after: Any) -> None:
    """Make a list, dict, set or array equal to `after`, which is what a call has left of its copy."""
    if isinstance(one, np.ndarray):
        held = np.ndarray.view(one, np.ndarray)
        same = type(after) is np.ndarray and (after.shape, after.dtype) == (held.shape, held.dtype)
        if same and held.flags.writeable:
            held[...] = after
    elif isinstance(one, list) and type(after) is list:
        kept = [old if _is_changed(old, new) else new for old, new in zip(list.__iter__(one), after, strict=False)]
        list.__setitem__(one, slice(None), [*kept, *after[list.__len__(one) :]])
    elif isinstance(one, dict) and type(after) is dict:
        old = dict(dict.items(one))
        entries = {key: old[key] if key in old and _is_changed(old[key], new) else new for key, new in after.items()}
        dict.clear(one)
        dict.update(one, entries)
    elif isinstance(one, set) and type(after) is set:
        set.clear(one)
        set.update(one, after)


def _is_changed(old, new):
    """True for a container that was made to equal `new` and is still the same object."""
    if type(old) is not type(new) or not isinstance(old, CHANGEABLE):
        return False
    put_back(old, new)
    return True
