"""Ops that only rearrange numbers, drawn with the op that they belong to; and the parts of attention by their names."""

from collections.abc import Iterator, Mapping, Sequence

from .story import Node

MOVES = {
    "t", "transpose", "permute", "swapaxes", "view", "reshape", "unsafe_view", "reshape_alias", "flatten", "unflatten", "expand",
    "unsqueeze", "squeeze", "expand_dims", "clone", "contiguous", "alias", "select", "slice", "split", "chunk", "unbind",
    "basic", "getitem",
}  # fmt: skip
PRODUCTS = {"mm", "bmm", "matmul", "@", "batch_matmul"}
SCALES = {"mul", "div", "add", "sub", "multiply", "divide", "true_divide", "masked_fill", "where"}  # before softmax
SOFTMAX = {"softmax", "safe_softmax"}
SCORES, OUTPUT = "scores: Q·Kᵀ", "output: softmax·V"
WHOLE = "softmax(Q·Kᵀ)·V"  # of one op that does all of it
Users = Mapping[int, Sequence[int]]


def groups(ops: Sequence[int], nodes: Sequence[Node], users: Users, moves: bool) -> Iterator[tuple[list[int], str]]:
    """`(ops, title)` of each group, by its last op: `ops` are those of one call, in their order. `moves`: not of attention alone.

    An op joins its only user, so no group makes a cycle.
    """
    within, roles, joins, upward = set(ops), attention(ops, nodes, users), dict[int, int](), set[int]()
    for i in ops:
        (before, *more), after = nodes[i].parents, set(users.get(i, ()))
        user = next(iter(after)) if len(after) == 1 else -1
        if role := roles.get(i):
            if role == roles.get(user):
                joins[i] = user
        elif nodes[i].op == "array" and not more and user in within:  # np.array wraps each number before it joins them
            joins[i] = user
        elif moves and nodes[i].op in MOVES and not more:
            first = nodes[before].op not in MOVES or before in upward
            if before in within and not roles.get(before) and set(users[before]) == {i} and first:
                joins[before] = i
                upward.add(i)
            elif user in within:
                joins[i] = user
    members: dict[int, list[int]] = {}
    for i in ops:
        last = i
        while last in joins:
            last = joins[last]
        members.setdefault(last, []).append(i)
    for last, found in sorted(members.items()):
        main = [i for i in found if nodes[i].op not in MOVES]
        title = nodes[main[-1] if main else last].title
        yield found, roles.get(last) or ("linear" if title == "addmm" and len(found) > 1 else title)


def attention(ops: Sequence[int], nodes: Sequence[Node], users: Users) -> dict[int, str]:
    """What ops are in attention: Q, K, V, scores, softmax or output."""
    within, roles = set(ops), dict[int, str]()

    def back(i: int, past: set[str]) -> list[int]:
        """Ops from `i` back that do no more than `past`, and the one before these."""
        found = [i]
        while i in within and nodes[i].op in past and len(set(users.get(i, ()))) == 1:
            i = next((p for p in nodes[i].parents if p in within), nodes[i].parents[0])
            found.append(i)
        return found

    def mark(role: str, i: int) -> None:
        *moved, before = back(i, MOVES | SCALES)
        if len(set(users.get(before, ()))) > 1:  # one of several parts of a projection
            roles.update(dict.fromkeys(moved, role))

    for i in ops:
        if nodes[i].op.startswith("scaled_dot_product"):
            roles[i] = WHOLE
            for role, parent in zip("QKV", nodes[i].parents, strict=False):
                mark(role, parent)
        if nodes[i].op not in SOFTMAX:
            continue
        *moved, product = back(nodes[i].parents[0], MOVES | SCALES)
        paths = [[user] for user in users.get(i, ()) if user in within]
        for path in paths:
            while nodes[path[-1]].op in MOVES | SCALES and len(set(users.get(path[-1], ()))) == 1:
                path.append(users[path[-1]][0])
        *masked, output = next((path for path in paths if path[-1] in within and nodes[path[-1]].op in PRODUCTS), [-1])
        if product not in within or nodes[product].op not in PRODUCTS or output < 0:
            continue
        roles |= dict.fromkeys([product, *moved], SCORES) | dict.fromkeys([i, *masked], "softmax")
        mark("Q", nodes[product].parents[0])
        mark("K", nodes[product].parents[1])
        mark("V", nodes[output].parents[1])
        while output in within:
            roles[output] = OUTPUT
            after = set(users.get(output, ()))
            output = after.pop() if len(after) == 1 else -1
            if output not in within or nodes[output].op not in MOVES:
                break
    return roles
