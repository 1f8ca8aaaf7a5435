"""Texts are spelled right (codespell, which needs no network) and use the terms of the field (`glossary.toml`)."""

import ast
import os
import re
import subprocess
import sys
import tomllib

import course

GLOSSARY = tomllib.loads((course.ROOT / "tests" / "glossary.toml").read_text(encoding="utf-8"))
HOME_MADE = re.compile(rf"\b({'|'.join(w for words in GLOSSARY['instead_of'].values() for w in words)})\b", re.I)
EXEMPT = ("labkit/torch/", "labkit/mindspore/")  # mostly the frameworks' own texts, word for word
PAGES = [*course.ROOT.glob("*.md"), *course.FOLDER.glob("*.md")]


def text_in(path):
    """All text of a Python source without its code: docstrings, messages, hints."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return "\n".join(n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def texts():
    """The text of every page, notebook and source, by its path."""
    found = {path: path.read_text(encoding="utf-8") for path in PAGES}
    found |= {path: course.markdown(path) for path in course.NOTEBOOKS}
    found |= {path: text_in(path) for path in sorted((course.ROOT / "labkit").rglob("*.py"))}
    return {path.relative_to(course.ROOT).as_posix(): text for path, text in found.items()}


TEXTS = texts()


def misspelled(folder, texts):
    """What codespell finds in these texts: `file: wrong ==> right`."""
    for name, text in texts.items():
        (folder / name.replace("/", ".")).write_text(text, encoding="utf-8", errors="backslashreplace")
    config = course.ROOT / "pyproject.toml"
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--toml", str(config), "--disable-colors", str(folder)],
        capture_output=True, text=True, env=os.environ | {"PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode in (0, 65) and not done.stderr, done.stderr
    return [re.sub(r".*?([\w.]+):\d+: ", r"\1: ", line) for line in done.stdout.splitlines()]


def home_made(text, allowed=()):
    return [found[0] for found in HOME_MADE.finditer(text) if found[0].lower() not in allowed]


def test_texts_are_spelled_right(tmp_path):
    assert misspelled(tmp_path, TEXTS) == []


def test_texts_use_the_terms_of_the_field():
    found = {name: home_made(text, GLOSSARY["allowed"].get(name, ())) for name, text in TEXTS.items()}
    for place, most in GLOSSARY["pending"].items():
        words = [word for name in list(found) if name.startswith(place) for word in found.pop(name)]
        assert len(words) <= most, (place, words)
    assert {name: words for name, words in found.items() if words} == {}


def interpolated(source):
    """The lines of f-strings with words in what a source raises, warns of or prints, which nobody could extract and translate."""
    for node in ast.walk(ast.parse(source)):
        called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Raise) or called in ("warn", "warn_user", "add_note", "print", "refuse"):
            for part in (part for part in ast.walk(node) if isinstance(part, ast.JoinedStr)):
                if re.search("[A-Za-z]{2}", "".join(v.value for v in part.values if isinstance(v, ast.Constant))):
                    yield part.lineno


def test_messages_are_templates_with_named_placeholders():
    sources = {path.relative_to(course.ROOT).as_posix(): path for path in (course.ROOT / "labkit").rglob("*.py")}
    found = {name: list(interpolated(path.read_text("utf-8"))) for name, path in sources.items()}
    assert {name: lines for name, lines in found.items() if lines and not name.startswith(EXEMPT)} == {}
    assert list(interpolated('raise KeyError("no {name}".format(name=name))\nraise KeyError(f"no {name}")')) == [2]


def test_wrong_words_are_found(tmp_path):
    texts = {"a.md": "The gradiant of teh loss, recieved.", "b.md": "The colour of a numerical behaviour."}
    assert [line.split(" ==>")[0] for line in misspelled(tmp_path, texts)] == [
        "a.md: gradiant", "a.md: teh", "a.md: recieved",
    ]  # fmt: skip
    assert home_made("The fault was mended. Besides, it walks back.", ("mended",)) == ["walks back"]
