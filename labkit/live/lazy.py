"""Packages of the lock file that are loaded when they are first imported, wherever the import is."""

import hashlib
import importlib
import io
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_NOT_IN_WHEEL = "the wheel of {package} has no {name}"
_INCOMPLETE = "{file} was not downloaded completely: reload the page"


class Packages(MetaPathFinder, Loader):
    """Finds what a package of the lock file is imported as; `fetch(file)` gives a wheel, which is unpacked into `folder`."""

    def __init__(self, packages: Mapping[str, Any], fetch: Callable[[str], bytes], folder: Path) -> None:
        self._packages, self._fetch, self._folder = packages, fetch, folder
        homes = {name: package for package, entry in packages.items() for name in entry["imports"]}
        self._homes = {name: package for name, package in homes.items() if PathFinder.find_spec(name) is None}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for a package that is not here yet; nothing is loaded by looking for it."""
        return ModuleSpec(fullname, self) if path is None and fullname in self._homes else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Unpack the package with what it needs, and give the spec the place that it has now."""
        self._unpack(self._homes[spec.name])
        importlib.invalidate_caches()
        found = PathFinder.find_spec(spec.name)
        if found is None:
            raise ImportError(_NOT_IN_WHEEL.format(package=self._homes[spec.name], name=spec.name), name=spec.name)
        spec.loader, spec.origin, spec.cached = found.loader, found.origin, found.cached
        spec.has_location, spec.submodule_search_locations = found.has_location, found.submodule_search_locations

    def exec_module(self, module: ModuleType) -> None:
        """Run the module by the loader that its spec has by now."""
        found = module.__spec__
        if found is not None and found.loader is not None:
            found.loader.exec_module(module)

    def _unpack(self, package):
        entry = self._packages[package]
        if not self._homes.keys() & set(entry["imports"]):  # it is here
            return
        for needed in entry["depends"]:
            self._unpack(needed)
        wheel = self._fetch(entry["file_name"])
        if hashlib.sha256(wheel).hexdigest() != entry["sha256"]:
            raise ImportError(_INCOMPLETE.format(file=entry["file_name"]), name=package)
        with zipfile.ZipFile(io.BytesIO(wheel)) as held:
            held.extractall(self._folder)
        for name in entry["imports"]:
            self._homes.pop(name, None)


def install(packages: Mapping[str, Any], fetch: Callable[[str], bytes], folder: Path) -> None:
    """Look into these packages for what is not found elsewhere."""
    sys.meta_path.append(Packages(packages, fetch, folder))
