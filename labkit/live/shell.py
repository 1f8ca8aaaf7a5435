"""The notebook shell of a page: runs cells, and reports what they print and display as messages of plain data.

It does what IPython does in Jupyter. A message is `{"type": ..., "cell": ...}` with what belongs to its type: `stream`
(`name`, `text`), `display` (`data` and `metadata` by MIME type), `error` (`text`), `done` (`ok`, `count`), `record` (`text`),
and what `anywidget.py` sends.
"""

import ast
import builtins
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import TextIOBase
from pathlib import Path
from pprint import pformat
from time import monotonic
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from ..working_copy import places

Message = dict[str, Any]
FILE = "<ipykernel cell {}>"  # labkit says "this cell" of a file whose name tells of a kernel
OFTEN = 0.05  # seconds between two messages of what a loop prints
NOT_PYTHON = (
    "Lines that begin with % or !, and words that end with ?, are IPython syntax. This page runs plain Python: "
    "use help(...) or a function call."
)


class Stream(TextIOBase):
    """Standard output or error of the running cell."""

    def __init__(self, name: str, send: Callable[..., None]) -> None:
        self.name, self._send, self._held, self._sent = name, send, "", 0.0

    def write(self, text: str) -> int:
        """Keep the text, and send what is kept at the end of a line, every now and then."""
        self._held += text
        if "\n" in text and monotonic() - self._sent > OFTEN:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what is kept."""
        if self._held:
            self._send("stream", name=self.name, text=self._held)
            self._held, self._sent = "", monotonic()


class Shell:
    """Runs cells in a module `__main__` of its own; `send` takes the messages."""

    kernel = True  # what tells a notebook from a terminal
    events = SimpleNamespace(register=lambda *what: None, unregister=lambda *what: None)  # matplotlib asks for them

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send, self.cell, self.count, self._record = send, "", 0, ""
        self.main = ModuleType("__main__")
        self.streams = [Stream(name, self.say) for name in ("stdout", "stderr")]
        vars(self.main).update(
            __builtins__=builtins, display=self.display, get_ipython=lambda: self, In=[""], Out={}, _=""
        )

    def start(self, record: str = "") -> None:
        """Take the place of Python's `__main__`; `record`: of right answers, as it was kept."""
        sys.modules["__main__"] = self.main
        self._record = record
        if record:
            Path(places.RECORD).write_text(record, encoding="utf-8")

    def say(self, kind: str, /, **more: Any) -> None:
        """Send a message of the running cell, after what it has printed."""
        if kind != "stream":
            for stream in self.streams:
                stream.flush()
        self._send({"type": kind, "cell": self.cell, **more})

    def get_parent(self) -> dict[str, Any]:
        """Which cell runs, and which run of it this is, as Jupyter says it."""
        return {"metadata": {"cellId": self.cell}, "header": {"msg_id": str(self.count)}}

    def run(self, cell: str, source: str) -> None:
        """Run a cell; its last expression is shown, as in a notebook."""
        self.cell, self.count = cell, self.count + 1
        fine = self.guarded(lambda: self._execute(source))
        self._show_figures()
        self._tell_record()
        self.say("done", ok=fine, count=self.count)

    def guarded(self, work: Callable[[], Any]) -> bool:
        """Whether the work ended without an exception; of one, it is said where in the learner's code it arose."""
        try:
            with redirect_stdout(self.streams[0]), redirect_stderr(self.streams[1]):
                work()
        except SystemExit as ended:
            self.say("error", text=f"SystemExit: {ended}")
        except BaseException as error:
            self.say("error", text=told(error))
        else:
            return True
        return False

    def _execute(self, source):
        names, file = vars(self.main), FILE.format(self.count)
        names["In"].append(source)
        linecache.cache[file] = len(source), None, f"{source}\n".splitlines(keepends=True), file  # carets need each \n
        for code, is_last in parts(source, file):
            value = eval(code, names)
            if is_last and value is not None:
                names["_"] = names["Out"][self.count] = value
                self.display(value)

    def display(self, *things: Any, raw: bool = False, metadata: Mapping[str, Any] | None = None, **_: Any) -> None:
        """Show things, each in its best form; `raw`: each is a mapping by MIME type already."""
        for thing in things:
            if raw:
                self.say("display", data=dict(thing), metadata=dict(metadata or {}))
            elif callable(shows := _method(thing, "_ipython_display_")):
                shows()
            else:
                self.say("display", data=bundle(thing), metadata=dict(metadata or {}))

    def _show_figures(self):
        """Show what was drawn with matplotlib's pyplot and not shown yet."""
        pyplot: Any = sys.modules.get("matplotlib.pyplot")
        for number in pyplot.get_fignums() if pyplot else ():
            self.display(pyplot.figure(number))
            pyplot.close(number)

    def _tell_record(self):
        try:
            record = Path(places.RECORD).read_text(encoding="utf-8")
        except OSError:
            record = ""
        if record != self._record:
            self._record = record
            self.say("record", text=record)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("run_"):
            raise AttributeError(NOT_PYTHON)
        raise AttributeError("the notebook of this page has no {name!r}".format(name=name))


def parts(source: str, file: str) -> list[tuple[CodeType, bool]]:
    """The code of a cell, and whether it is an expression whose value is shown. Raises SyntaxError.

    >>> [is_last for code, is_last in parts("x = 1; x", "a")], [is_last for code, is_last in parts("x = 1; x;", "a")]
    ([False, True], [False])
    """
    tree = ast.parse(source, file)
    shown = bool(tree.body) and isinstance(tree.body[-1], ast.Expr) and not _is_hushed(source, tree.body[-1])
    last = tree.body.pop() if shown else None
    found = [(compile(tree, file, "exec"), False)] if tree.body else []
    return found + ([(compile(ast.Expression(last.value), file, "eval"), True)] if isinstance(last, ast.Expr) else [])


def _is_hushed(source, last):
    """Whether a semicolon follows the last expression."""
    lines = source.encode().splitlines()[last.end_lineno - 1 :]
    return b"\n".join([lines[0][last.end_col_offset :], *lines[1:]]).lstrip().startswith(b";")


def bundle(thing: Any) -> dict[str, Any]:
    """How a thing is shown, by MIME type.

    >>> bundle([1, 2])
    {'text/plain': '[1, 2]'}
    """
    import base64

    data: dict[str, Any] = {"text/plain": plain(thing)}
    for name, kind in (("_repr_html_", "text/html"), ("_repr_svg_", "image/svg+xml"), ("_repr_png_", "image/png")):
        drawn = shows() if callable(shows := _method(thing, name)) else None
        if drawn is not None:
            data[kind] = base64.b64encode(drawn).decode() if isinstance(drawn, bytes) else drawn
    if callable(shows := _method(thing, "_repr_mimebundle_")):
        given = shows()
        data |= (given[0] if isinstance(given, tuple) else given) or {}
    if type(thing).__module__ == "matplotlib.figure":
        import io

        out = io.BytesIO()
        thing.savefig(out, format="png", bbox_inches="tight")
        data["image/png"] = base64.b64encode(out.getvalue()).decode()
    return data


def plain(thing: Any) -> str:
    """A thing as text: a long collection with an item a line.

    >>> print(plain({"name": "a" * 40, "other": "b" * 40}))
    {'name': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
     'other': 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'}
    """
    if type(thing) in (dict, list, tuple, set, frozenset):
        return pformat(thing, width=79, sort_dicts=False)
    return repr(thing)


def told(error: BaseException) -> str:
    """An exception as a notebook prints it, from the learner's code on.

    A file of the shell is not a part of it: its lines mean nothing to a learner.
    """
    found = error.__traceback__
    while found is not None and found.tb_frame.f_code.co_filename == __file__:
        found = found.tb_next
    own = isinstance(error, SyntaxError) and (error.filename or "").startswith("<ipykernel")
    lines = traceback.format_exception_only(error) if own else traceback.format_exception(type(error), error, found)
    text = "".join(lines).rstrip().replace('File "<ipykernel cell ', "Cell In[").replace('>", line ', "], line ")
    is_magic = isinstance(error, SyntaxError) and (error.text or "").strip().startswith(("%", "!"))
    is_asked = isinstance(error, SyntaxError) and (error.text or "").strip().endswith("?")
    return f"{text}\n{NOT_PYTHON}" if is_magic or is_asked else text


def _method(thing, name):
    return None if isinstance(thing, type) else getattr(thing, name, None)


def set_home(folder: Path, exercises: Mapping[str, list[str]]) -> None:
    """Work in `folder`, where each notebook of the course is known by the names of its exercises, in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    for notebook, names in exercises.items():
        asked = "\n".join(rf"check(\"{name}\")" for name in names)
        (folder / f"{notebook}.ipynb").write_text(asked, encoding="utf-8")
    os.chdir(folder)
