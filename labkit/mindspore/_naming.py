"""What graph mode says of a name that has no value: it looks at the source, and so knows why."""

import ast
import re
from contextlib import contextmanager

from ..program import is_user
from ._source import definition

_UNKNOWN = "The name '{}' is not defined, or not supported in graph mode."
_ONE_SIDE = "The local variable '{}' is not defined in {} branch, but defined in {} branch.\nIn file {}:{}"


@contextmanager
def as_graph_mode_says(recorder):
    """While open, the error for a name of the user's code that has no value is the one of graph mode."""
    try:
        yield
    except NameError as error:
        name = re.search("'([^']*)'", str(error))
        code, line = _place(error.__traceback__)
        if name is None or code is None:
            raise
        told = recorder.undefined.get(name[1]) or _on_one_side(code, line, name[1])
        raise (UnboundLocalError(told) if told else NameError(_UNKNOWN.format(name[1]))) from None


def _place(traceback):
    """The code and line that an error comes from, if they are the user's."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return (code if is_user(code) else None), traceback.tb_lineno


def _on_one_side(code, line, name):
    """What is said where one side of an `if` above gives the name a value and the other does not; None for any other reason."""
    function = definition(code)
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.If) and (node.end_lineno or 0) < line:
            given = [any(_assigns(part, name) for part in side) for side in (node.body, node.orelse)]
            if any(given) and not all(given):
                sides = ("false", "true") if given[0] else ("true", "false")
                return _ONE_SIDE.format(name, *sides, code.co_filename, node.lineno)
    return None


def _assigns(part, name):
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(part))
