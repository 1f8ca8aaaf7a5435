"""A step of hatchling: the notebooks go into the wheel, for `labkit lab` without a clone; their pictures do not."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Notebooks(BuildHookInterface):
    """Each notebook as a file of the environment's `share` folder."""

    def initialize(self, version, build_data):
        if version == "standard":  # an editable install finds them in the clone
            for path in sorted(Path(self.root, "notebooks").glob("*.ipynb")):
                build_data["shared_data"][str(path)] = f"share/labkit/notebooks/{path.name}"
