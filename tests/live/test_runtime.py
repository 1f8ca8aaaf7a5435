"""The folder that runs labkit in a browser: files of one distribution, checked, with labkit in the lock file."""

import hashlib
import json
import zipfile

import pytest

from labkit.live import RuntimeFileError, lay, runtime, wheels

KNOWN = {
    "numpy": [], "traitlets": [], "matplotlib": ["numpy", "pytz", "six"], "six": [], "pytz": [], "other": [],
}  # fmt: skip


def digest(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A small distribution in two folders: the runtime in one, its packages in the other."""
    core, packages = tmp_path / "core", tmp_path / "packages"
    core.mkdir()
    packages.mkdir()
    known = {}
    for name, depends in KNOWN.items():
        (packages / f"{name}-1.whl").write_bytes(name.encode())
        known[name] = {"depends": depends, "file_name": f"{name}-1.whl", "sha256": digest(name.encode())}
    files = {name: name.encode() for name in runtime.CORE}
    files[runtime.LOCK] = json.dumps({"info": {}, "packages": known}).encode()
    for name, content in files.items():
        (core / name).write_bytes(content)
    monkeypatch.setattr(runtime, "CORE", {name: digest(content) for name, content in files.items()})
    return [core, packages]


def test_the_lock_file_names_labkit_and_all_that_it_needs(tmp_path, sources):
    lay(tmp_path / "runtime", sources)
    whole = json.loads((tmp_path / "runtime" / runtime.LOCK).read_text())
    lock = whole["packages"]
    assert lock["numpy"]["file_name"] in runtime.files_at_once(whole)
    assert set(lock) == {"numpy", "traitlets", "matplotlib", "six", "autograd", "labkit"}
    assert lock["matplotlib"]["depends"] == ["numpy", "six"]
    assert {name for entry in lock.values() for name in entry["depends"]} <= set(lock)
    for entry in lock.values():
        assert digest((tmp_path / "runtime" / entry["file_name"]).read_bytes()) == entry["sha256"]


@pytest.mark.parametrize("spoilt", ["pyodide.asm.wasm", "six-1.whl"])
def test_a_file_that_differs_or_is_missing_is_named(tmp_path, sources, spoilt):
    place = next(source / spoilt for source in sources if (source / spoilt).exists())
    place.write_bytes(b"another")
    with pytest.raises(RuntimeFileError, match=rf"{spoilt} is not the file of Pyodide .*SHA-256 differs"):
        lay(tmp_path / "runtime", sources)
    place.unlink()
    with pytest.raises(RuntimeFileError, match=rf"there is no {spoilt} in .*packages"):
        lay(tmp_path / "runtime", sources)


def test_without_a_folder_the_files_come_from_the_distribution(tmp_path, sources, monkeypatch):
    for file in sources[1].iterdir():
        (sources[0] / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(runtime, "DISTRIBUTION", sources[0].as_uri())
    assert "labkit" in lay(tmp_path / "runtime")["packages"]
    monkeypatch.setattr(runtime, "DISTRIBUTION", (tmp_path / "nowhere").as_uri())
    with pytest.raises(RuntimeFileError, match=r"cannot be downloaded: .* If a folder has it: --pyodide DIR"):
        lay(tmp_path / "runtime")


def test_a_wheel_of_labkit_has_its_code_and_data_and_is_the_same_each_time(tmp_path):
    wheel = wheels.labkit_wheel(tmp_path)
    first = wheel.read_bytes()
    with zipfile.ZipFile(wheel) as held:
        names = held.namelist()
    info = f"labkit_autodiff-{wheel.name.split('-')[1]}.dist-info"
    assert {
        "labkit/engine/boxes.py",
        "labkit/imports/exports.py",
        "labkit/widgets/__init__.pyi",
        f"{info}/METADATA",
    } <= set(names)
    assert not [name for name in names if name.endswith((".pyc", ".ipynb"))]
    assert wheels.labkit_wheel(tmp_path).read_bytes() == first


def test_what_was_compiled_for_this_machine_is_refused(tmp_path):
    with pytest.raises(ValueError, match="numpy: expected a pure Python package"):
        wheels.installed_wheel("numpy", tmp_path)
