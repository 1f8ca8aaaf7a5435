"""Wheels of the installed pure Python packages, for a Python that has no installer."""

import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from .. import __version__
from ..messages.install_hints import DISTRIBUTION

PACKAGE = Path(__file__).parents[1]
STAMP = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel
_NOT_PURE = "{name}: expected a pure Python package, but it has code compiled for this machine"


def labkit_wheel(folder: Path) -> Path:
    """Write labkit as it is imported here, without notebooks, as a wheel into `folder`."""
    files = {f"labkit/{path.relative_to(PACKAGE).as_posix()}": path for path in _of_package()}
    described = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n"
    return _wheel(folder, DISTRIBUTION, __version__, described, files)


def installed_wheel(name: str, folder: Path) -> Path:
    """Write an installed distribution as a wheel into `folder`.

    Raises ModuleNotFoundError where it is not installed, ValueError where it is not of Python alone.
    """
    found = metadata.distribution(name)
    listed = [file for file in found.files or () if ".." not in file.parts and "__pycache__" not in file.parts]
    if "Root-Is-Purelib: true" not in (found.read_text("WHEEL") or ""):
        raise ValueError(_NOT_PURE.format(name=name))
    files = {str(file): Path(str(found.locate_file(file))) for file in listed if ".dist-info" not in file.parts[0]}
    return _wheel(folder, name, found.version, found.read_text("METADATA") or "", files)


def _of_package() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
            yield path


def _wheel(folder, name, version, described, files):
    stem = f"{name.replace('-', '_')}-{version}"
    target, info = folder / f"{stem}-py3-none-any.whl", f"{stem}.dist-info"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        texts = {"METADATA": described, "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        contents = {place: path.read_bytes() for place, path in files.items()}
        contents |= {f"{info}/{place}": text.encode() for place, text in texts.items()}
        contents[f"{info}/RECORD"] = "".join(f"{place},,\n" for place in [*contents, f"{info}/RECORD"]).encode()
        for place, content in contents.items():
            wheel.writestr(zipfile.ZipInfo(place, STAMP), content, zipfile.ZIP_DEFLATED)
    return target
