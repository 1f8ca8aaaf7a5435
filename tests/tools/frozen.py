"""What every public name of labkit answers, recorded, so that two commits can be compared.

    python tests/tools/frozen.py record FILE                 # values, printed text, nodes, saved sets, errors, signatures
    python tests/tools/frozen.py compare FILE [FILE]         # every difference to a record, or between two
    python tests/tools/frozen.py compare --of CHECKOUT       # between another checkout and this one
    python tests/tools/frozen.py covered FILE                # which names no call could be derived for

`--only TEXT` keeps to the names with this text in them. Names are found by walking labkit (`frozen_names`), calls are derived
(`frozen_calls`, `frozen_arguments`), and `frozen_answers` tells what each answers. Each name is asked in a process of its
own, so that none leaves anything behind for the next. With `--of` it is this tool that asks the other checkout.
"""

import argparse
import gc
import gzip
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CPU_SECONDS = 60  # for one name
NO_COVER = ("face", "made(")  # what can be seen of a name without asking what it computes


def alone(ask):
    """What `ask()` returns, asked in a child that ends with it, in a folder of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            gc.disable()
            secrets.randbits = lambda bits: bits  # the seeds that nobody can foresee
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            with tempfile.TemporaryDirectory() as folder, os.fdopen(writing, "w") as out:
                os.chdir(folder)
                json.dump(ask(), out)
                os.chdir("/")
            status = 0
        except BaseException as error:
            print(type(error).__name__, error, file=sys.__stderr__)
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as told:
        text = told.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else {"": {"error": "this name ended its process"}}


def taken(only=""):
    """The record of the labkit that is imported: `{name: {call: {field: text}}}`."""
    import frozen_calls as calls
    from frozen_names import face, names

    found, aliases = names()
    record = {name: {"face": face(name, thing)} for name, thing in found.items() if only in name}
    record |= {name: {"face": {"is": other}} for name, other in aliases.items() if only in name}
    for dialect in calls.DIALECTS.values():
        calls.Calls(
            dialect, lambda x: x * x
        ).all()  # what is loaded when it is first wanted is loaded here, and not for each name
    gc.freeze()  # the children share what there is
    for name, ask in {**calls.subjects(), **calls.expressions(), **calls.programs()}.items():
        if only in name:
            record[name] = record.get(name, {}) | alone(ask)
    return record


def taken_of(checkout, only):
    """The record of another checkout, taken by this tool in a child."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.gz"
        environment = os.environ | {"PYTHONPATH": str(checkout), "LABKIT_HOME": os.path.join(os.devnull, "labkit")}
        command = [sys.executable, __file__, "record", str(file), "--only", only]
        subprocess.run(command, check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
        return read(file)


def read(file):
    return json.loads(gzip.decompress(Path(file).read_bytes()))


def write(record, file):
    Path(file).write_bytes(gzip.compress(json.dumps(record).encode(), mtime=0))


def whole(record, name):
    """What a name answers; where it is another name of something, what that answers."""
    own = record.get(name)
    return own and record.get(own.get("face", {}).get("is"), {}) | own


def differences(before, after):
    """`(name, call, field, before, after)`; a name or call that only one of them has is one difference."""
    for name in [*before, *(n for n in after if n not in before)]:
        old, new = whole(before, name), whole(after, name)
        if old is None or new is None:
            yield name, "", "", old and "a name", new and "a name"
            continue
        for call in [*old, *(c for c in new if c not in old)]:
            mine, other = old.get(call), new.get(call)
            if mine is None or other is None:
                yield name, call, "", mine and str(mine), other and str(other)
                continue
            for field in [*mine, *(f for f in other if f not in mine)]:
                if mine.get(field) != other.get(field):
                    yield name, call, field, mine.get(field), other.get(field)


def told_differences(before, after):
    """Print them all; how many there are."""
    found = list(differences(before, after))
    for name, call, field, old, new in found:
        print(f"{name}  {call}  {field}".rstrip(), f"    before: {old}", f"    after:  {new}", sep="\n")
    print(f"{len(found)} differences in {len({*before, *after})} names")
    return len(found)


def data_alone(face):
    """Whether a class computes nothing: an exception, an enumeration, a tuple with names."""
    return bool({"Exception", "Enum", "tuple"} & set(face.get("bases", "").split(", ")))


def coverage(record):
    """`{room: (names with a call that went well, those without)}`, of the names that are called at all."""
    rooms = {}
    for name, calls in record.items():
        asked = [fields for label, fields in calls.items() if label != "face"]
        if asked and not name.startswith(("expression", "program", "draws")) and not data_alone(calls.get("face", {})):
            well = any(
                "value" in fields
                for label, fields in calls.items()
                if not label.startswith(NO_COVER) and " all " not in label
            )
            room = rooms.setdefault(".".join(name.split(".")[:2]), ([], []))
            room[not well].append(name)
    return rooms


def told_coverage(record):
    rooms = coverage(record)
    for room, (well, not_well) in sorted(rooms.items()):
        print(f"{room}: {len(well)} of {len(well) + len(not_well)} names; not covered:", ", ".join(not_well) or "none")
    well, all_ = (sum(len(w) for w, _ in rooms.values()), sum(len(w) + len(n) for w, n in rooms.values()))
    calls = sum(len(c) for c in record.values())
    print(f"{well} of {all_} names that can be called are covered, by {calls} calls in all")


def main():
    parser = argparse.ArgumentParser(description="Record what labkit answers, and compare.")
    parser.add_argument("command", choices=["record", "compare", "covered"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--of", type=Path, help="another checkout of labkit")
    parser.add_argument("--only", default="", help="names that contain this")
    given = parser.parse_args()
    now = lambda: taken_of(HERE.parents[1], given.only)
    if given.command == "record":
        record = taken_of(given.of.resolve(), given.only) if given.of else taken(given.only)
        write(record, given.files[0])
        told_coverage(record)
    elif given.command == "covered":
        told_coverage(read(given.files[0]))
    else:
        sides = [read(file) for file in given.files]
        sides = [taken_of(given.of.resolve(), given.only), *sides] if given.of else sides
        sides = [
            {n: c for n, c in side.items() if given.only in n}
            for side in [*sides, *([now()] if len(sides) < 2 else [])]
        ]
        sys.exit(1 if told_differences(*sides) else 0)


if __name__ == "__main__":
    main()
