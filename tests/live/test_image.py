"""What a page begins with: one file of packages, and the memory of a Python that has imported them, which Node makes."""

import gzip
import json
import sys
import zipfile

import pytest

from labkit.live import ImageError, image, make_image, runtime, warm

FILES = {
    "labkit": {"labkit/a.py": b"a = 1", "labkit/a.pyi": b"a: int"},
    "numpy": {"numpy/b.py": b"b = 2", "numpy/b.pyi": b"b: int", "numpy/f2py/c.py": b"", "numpy/d.so": b"\0asm"}
    | {"numpy/linalg/lapack_lite.so": b""},
}


@pytest.fixture
def folder(tmp_path):
    """A runtime of two packages that are needed at once, and one for later."""
    lock = {"packages": {}}
    for name, needs in (("labkit", ["numpy"]), ("numpy", []), ("matplotlib", ["numpy"])):
        with zipfile.ZipFile(tmp_path / f"{name}.whl", "w") as wheel:
            for place, content in FILES.get(name, {}).items():
                wheel.writestr(place, content)
        lock["packages"][name] = {"file_name": f"{name}.whl", "depends": needs}
    for name in runtime.CORE:
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / runtime.LOCK).write_text(json.dumps(lock))
    return tmp_path


def node(monkeypatch, folder, script):
    """Let a Python script stand for Node and what it runs."""
    monkeypatch.setattr(image.shutil, "which", lambda name: sys.executable)
    monkeypatch.setattr(image, "SCRIPT", folder / "script.py")
    (folder / "script.py").write_text(script)


def test_what_is_needed_at_once_lies_in_one_file_without_what_compilers_need(folder, monkeypatch):
    monkeypatch.setattr(image.shutil, "which", lambda name: None)
    lock = make_image(folder)
    assert lock == json.loads((folder / runtime.LOCK).read_text()) and set(lock["packages"]) == {"matplotlib"}
    assert lock["packages"]["matplotlib"]["depends"] == []
    assert lock["at_once"] == {"files": "packages.bin", "code": "code.bin", "libraries": []}
    held = gzip.decompress((folder / "packages.bin").read_bytes())
    at = 4 + int.from_bytes(held[:4], "little")
    found = {}
    for name, length in json.loads(held[4:at]):
        found[name], at = held[at : at + length], at + length
    assert found == FILES["labkit"] | {name: FILES["numpy"][name] for name in ("numpy/b.py", "numpy/d.so")}
    assert at == len(held) and {path.name for path in folder.glob("*.whl")} == {"matplotlib.whl"}
    assert gzip.decompress((folder / "code.bin").read_bytes()) == b"pyodide.asm.wasm"
    assert all((folder / name).is_file() for name in image.files_at_once(lock))


def test_where_node_is_there_the_memory_is_kept_with_what_belongs_to_it(folder, monkeypatch):
    node(
        monkeypatch,
        folder,
        "import sys; open(sys.argv[1] + '/memory.bin', 'w'); print('{\"libraries\": [\"d.so\"], \"table\": 7}')",
    )
    lock = make_image(folder)
    assert lock["at_once"]["memory"] == "memory.bin" and lock["at_once"]["table"] == 7
    assert image.files_at_once(lock)[-1] == "memory.bin" and (folder / "memory.bin").is_file()


def test_what_node_says_when_it_fails_is_passed_on(folder, monkeypatch):
    node(monkeypatch, folder, "import sys; sys.exit('there is no room')")
    with pytest.raises(ImageError, match="the memory image could not be made: there is no room"):
        make_image(folder)


def test_a_first_graph_that_cannot_be_drawn_is_told(monkeypatch):
    monkeypatch.setattr(warm, "FIRST", {"numpy": "x +"})
    with pytest.raises(RuntimeError, match=r"the first graph of numpy was not drawn: .*SyntaxError"):
        warm.warm()
