"""The user's own line, mended: a row that is to be a column, where it is written."""

import ast

TURN = ".unsqueeze(1)"


def as_column(line: str, row: str, view: bool) -> str:
    """An expression in which the row gets a second axis; "" where it is not plain which part that is. `view`: whether it is not
    the variable `row` itself, but a part of it.

    >>> as_column("mse_loss(net(x), y[:, 0])", "y", True), as_column("((p - y) ** 2).mean()", "y", False)
    ('mse_loss(net(x), y[:, 0].unsqueeze(1))', '((p - y.unsqueeze(1)) ** 2).mean()')
    >>> as_column("loss", "y", False), as_column("loss(p, y)", "y", True)
    ('', '')
    """
    try:
        tree = ast.parse(line, mode="eval")
    except SyntaxError:
        return ""
    within = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == row]
    if len(named) != 1 or not line.isascii():
        return ""
    part: ast.AST = named[0]
    while _goes_on(part, within.get(part)):
        part = within[part]
    if not isinstance(part, ast.expr) or view == (part is named[0]):
        return ""
    return f"{line[: part.end_col_offset]}{TURN}{line[part.end_col_offset :]}"


def _goes_on(part, outer):
    """Whether a value is indexed, has an attribute taken of it, or a method called."""
    taken = isinstance(outer, ast.Subscript | ast.Attribute) and outer.value is part
    return taken or (isinstance(outer, ast.Call) and outer.func is part)
