"""Two programs that use each other's objects, each behind walls of its own: data is copied, everything else stays where it is.

Instructor's tests run in one process, a student's answers in another. A call of an answer is a message; what it gives
comes back as data, and is compared here. An object that is no data is a `Remote`: its methods can be called, but it is
never asked what it is equal to, unless its class is what the tests are about, or a function of the tests was called with
it and is still running (`trusted`). So what a student's code does to its own process (patched built-ins, operators that agree
with everything, an exit) decides nothing about the tests.

Messages: `{"ask": OPERATION, "args", "named"}`, answered by `{"came": value, "after": [arguments], "printed"}` or by
`{"raised": NAME, "text", "printed"}`. Before it answers, a side may ask in turn: a function that was passed is called so.
"""

import builtins
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any

import numpy as np

from ..evidence import Printed, Unreadable, decode, encode, error_text
from .remote import BINARY, COMPARED, OPERATIONS, Remote

MOST_OBJECTS = 100_000
ALWAYS = -1
FRAMES = ("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_")  # by which one gets from a function to its globals
OURS = {
    "call",
    "getattr",
    "len",
    "bool",
    "getitem",
    "iter",
    "next",
    "contains",
    *BINARY,
    *COMPARED,
}  # of the tests' objects


class Strange(TypeError):
    """Tests compared an object that is no data, and whose class they do not name: a person has to look."""


class Peer:
    """One side of the line. `names` are those that the other side may ask for by name: a student's, never the tests'."""

    def __init__(
        self,
        send: Callable[[Any], None],
        receive: Callable[[], Any],
        names: dict[str, Any] | None = None,
    ) -> None:
        self.send, self.receive, self.names = send, receive, names
        self.objects: list[Any] = []
        self.classes: tuple[str, ...] = ()
        self.strange = ""
        self.calls, self.running = 0, set[int]()

    # ---- asking ----

    def named(self, name: str) -> Any:
        """The other side's object of that name; raises NameError where it has none."""
        value = self.ask("name", name)
        if isinstance(value, Remote):
            object.__setattr__(value, "_trusted", ALWAYS if name in self.classes else 0)
        return value

    def compare(self, operation: str, *args: Any, **named: Any) -> Any:
        """An operation on objects of which one belongs to the other side, and to a class that the tests are about."""
        theirs = [one for one in _leaves(args) if isinstance(one, Remote)]
        if self.names is None and not self._trust(args):
            self.strange = f"an object of the class {theirs[0]._kind if theirs else 'unknown'}"
            raise Strange(f"the tests compare {self.strange}, which is no data")
        return self.ask(operation, *args, **named)

    def ask(self, operation: str, *args: Any, **named: Any) -> Any:
        """What an operation gives on the other side; raises what it raises. Arguments that it changes are changed here."""
        named_data = {key: self._encoded(value) for key, value in named.items()}
        self.send({"ask": operation, "args": [self._encoded(one) for one in args], "named": named_data})
        while "ask" in (message := self._message()):
            self.serve(message)
        sys.stdout.write(str(message.get("printed", ""))[:20_000])
        trusted = self._trust(args)
        for one, after in zip(args, message.get("after", ()), strict=False):
            if after is not None:
                put_back(one, self._decoded(after, trusted))
        if "came" not in message:
            raise _error(str(message.get("raised"))[:100], str(message.get("text"))[:1000])
        return self._decoded(message["came"], trusted)

    def _message(self) -> dict[str, Any]:
        message = self.receive()
        if not isinstance(message, dict):
            raise Unreadable("expected a message")
        return message

    # ---- answering ----

    def serve(self, message: dict[str, Any]) -> None:
        """Do what the other side asks for, and say what came of it."""
        printed, args = Printed(), list[Any]()
        self.calls += 1
        call = self.calls
        self.running.add(call)
        try:
            args = [self._decoded(one, call) for one in message["args"]]
            named = {str(key): self._decoded(one, call) for key, one in message["named"].items()}
            with redirect_stdout(printed):
                came = self._encoded(self._done(message["ask"], args, named))
            answer: dict[str, Any] = {"came": came}
        except BaseException as error:
            answer = {"raised": type(error).__name__, "text": "" if self.names is None else _words(error)}
        self.running.discard(call)
        changed = [self._encoded(one) if isinstance(one, (list, dict, set, np.ndarray)) else None for one in args]
        self.send({**answer, "after": changed, "printed": "" if self.names is None else printed.getvalue()})

    def _done(self, operation: str, args: list[Any], named: dict[str, Any]) -> Any:
        if self.names is not None and operation == "name":
            if args[0] not in self.names:
                raise NameError(f"name {args[0]!r} is not defined")
            return self.names[args[0]]
        if self.names is None and (operation not in OURS or (operation == "getattr" and _is_inner(args[1]))):
            raise AttributeError("that is not for an answer to see")
        return OPERATIONS[operation](*args, **named)

    # ---- what crosses ----

    def _trust(self, args: tuple) -> int:
        """Whether one of the other side's objects may be asked to compare: 0, `ALWAYS`, or the call during which it may."""
        found = [one._trusted for one in _leaves(args) if isinstance(one, Remote)]
        return next((call for call in found if call == ALWAYS or call in self.running), 0)

    def _encoded(self, value: Any) -> list:
        return encode(value, self._refer)

    def _decoded(self, data: Any, trusted: int) -> Any:
        return decode(data, lambda reference: self._resolved(reference, trusted))

    def _refer(self, value: Any) -> list:
        if isinstance(value, Remote) and value._peer is self:
            return ["yours", value._at, ""]
        if home := self._home(value):
            return ["installed", *home]
        if len(self.objects) >= MOST_OBJECTS:
            raise Unreadable(f"more than {MOST_OBJECTS} objects")
        self.objects.append(value)
        return ["mine", len(self.objects) - 1, type(value).__name__[:100]]

    def _home(self, value: Any) -> tuple[str, str] | None:
        """Module and name of what is installed, and so the same on the other side: it is not passed, but named."""
        named = isinstance(value, (type, np.ufunc)) or (
            self.names is None and callable(value) and not isinstance(value, Remote)
        )
        name = str(getattr(value, "__name__", "")) if named else ""
        home = "numpy" if isinstance(value, np.ufunc) else str(getattr(value, "__module__", ""))
        there = name and home != "__main__" and home in sys.modules and getattr(sys.modules[home], name, None) is value
        return (home, name) if there else None

    def _resolved(self, reference: Any, trusted: int) -> Any:
        whose, at, kind = reference
        if whose == "installed":
            found = getattr(import_module(at), kind) if self.names is not None or at in sys.modules else None
            if self.names is None and not isinstance(
                found, (type, np.ufunc)
            ):  # the tests run no function by an answer's choice
                raise Unreadable("expected a type")
            return found
        if type(at) is not int or not 0 <= at < MOST_OBJECTS:
            raise Unreadable("expected a reference")
        return self.objects[at] if whose == "yours" else Remote(self, at, str(kind)[:100], trusted)


def _leaves(args: tuple) -> list[Any]:
    """The arguments, and what is in those that are tuples or lists."""
    return [leaf for one in args for leaf in (one if isinstance(one, (tuple, list)) else [one])]


def put_back(one: Any, after: Any) -> None:
    """Make a list, dict, set or array equal to `after`, which is what a call has left of its copy."""
    if isinstance(one, np.ndarray):
        if (
            isinstance(after, np.ndarray)
            and after.shape == one.shape
            and after.dtype == one.dtype
            and one.flags.writeable
        ):
            one[...] = after
    elif type(one) is type(after) is list:
        kept = [old if _is_changed(old, new) else new for old, new in zip(one, after, strict=False)]
        one[:] = [*kept, *after[len(one) :]]
    elif type(one) is type(after) is dict:
        entries = {key: one[key] if key in one and _is_changed(one[key], new) else new for key, new in after.items()}
        one.clear()
        one.update(entries)
    elif type(one) is type(after) is set:
        one.clear()
        one.update(after)


def _is_changed(old, new):
    """True for a container that was made to equal `new` and is still the same object."""
    if type(old) is not type(new) or not isinstance(old, (list, dict, set, np.ndarray)):
        return False
    put_back(old, new)
    return True


def _words(error):
    return (str(error.args[0]) if len(error.args) == 1 else error_text(error, None)[0])[:1000]


def _is_inner(name: Any) -> bool:
    return not isinstance(name, str) or name.startswith(("_", *FRAMES))


def _error(name: str, text: str) -> BaseException:
    """An error as the other side raised it: Python's own type of that name, otherwise a new one."""
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        try:
            return known(text)
        except TypeError:  # a type that takes more
            return Exception(text)
    return type(name if name.isidentifier() else "Error", (Exception,), {})(text)
