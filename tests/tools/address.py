"""Where the repository is: one setting, `Repository` of `[project.urls]` in pyproject.toml, and all that follows from it.

    python tests/tools/address.py https://github.com/OWNER/NAME     # set it, and rewrite what follows from it
    python tests/tools/address.py                                   # rewrite what follows from the setting
    python tests/tools/address.py --none                            # there is none (yet)

What follows stands in the README and the pages beside it between `<!-- address: PART -->` and `<!-- end of address -->`.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FORM = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+)")
PLACE = re.compile(r"(<!-- address: (\w+) -->\n)(.*?)(<!-- end of address -->\n)", re.DOTALL)
BADGE = "https://mybinder.org/badge_logo.svg"
FIRST = "notebooks/00_start_here.ipynb"

WITHOUT = {
    "clone": "You need Python 3.11 or newer and git. Clone this repository. In the clone, one command sets up everything\n"
    "and opens the first notebook in your browser:\n",
    "try": f"[![Open on Binder]({BADGE})](https://mybinder.org/) Nothing to install it on? At\n"
    "[mybinder.org](https://mybinder.org/), enter the address of this repository and, as the file to open,\n"
    f"`{FIRST}`. There is also a site on which every widget plays, and cells run in your browser:\n"
    "[CONTRIBUTING](CONTRIBUTING.md#the-site) has the command that builds it.\n",
    "report": "On this repository's page at GitHub, open *Security* and choose *Report a vulnerability*.\n",
}
WITH = {
    "clone": "You need Python 3.11 or newer and git. `git clone {address}` brings the files. In the clone,\n"
    "one command sets up everything and opens the first notebook in your browser:\n",
    "try": "[![Open on Binder](" + BADGE + ")](https://mybinder.org/v2/gh/{owner}/{name}/HEAD?urlpath=lab/tree/" + FIRST + ")\n"
    "Nothing to install it on? Binder runs the notebooks for you, and\n"
    "[the site](https://{host}.github.io/{name}/) runs them in your browser, where every widget plays.\n",
    "report": "[Open a private advisory]({address}/security/advisories/new) at GitHub.\n",
}  # fmt: skip


def setting(root: Path = ROOT) -> str | None:
    """The repository's address, None while there is none."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository")


def checked(address: str) -> str:
    """The address without an ending that GitHub does not need. Raises ValueError if it is of another form."""
    short = address.rstrip("/").removesuffix(".git")
    if not FORM.fullmatch(short):
        raise ValueError(f"expected an address like https://github.com/OWNER/NAME, but got {address}")
    return short


def urls(address: str | None) -> str:
    """The table of pyproject.toml, empty without an address."""
    if address is None:
        return ""
    return f'[project.urls]\nRepository = "{address}"\nDocumentation = "{site(address)}"\n\n'


def site(address: str) -> str:
    """Where GitHub Pages puts the site of a repository."""
    owner, name = FORM.fullmatch(address).groups()
    return f"https://{owner.lower()}.github.io/{name}/"


def parts(address: str | None) -> dict[str, str]:
    """The text of each part."""
    if address is None:
        return WITHOUT
    owner, name = FORM.fullmatch(address).groups()
    return {
        part: text.format(address=address, owner=owner, name=name, host=owner.lower()) for part, text in WITH.items()
    }


def rewritten(text: str, address: str | None) -> str:
    """A page with its parts as they follow from the address. Raises KeyError for a part that there is not."""
    known = parts(address)
    return PLACE.sub(lambda found: found[1] + known[found[2]] + found[4], text)


def pages(root: Path = ROOT) -> list[Path]:
    """The README and the pages beside it."""
    return sorted(path for folder in ("", ".github", "notebooks") for path in (root / folder).glob("*.md"))


def write(root: Path, address: str | None) -> list[Path]:
    """Set the address and rewrite what follows from it; the files that were changed."""
    project = root / "pyproject.toml"
    settings = re.sub(r"^\[project\.urls\]\n(?:.+\n)*\n", "", project.read_text(encoding="utf-8"), flags=re.MULTILINE)
    new = {project: settings.replace("[project.scripts]\n", f"{urls(address)}[project.scripts]\n", 1)}
    new |= {path: rewritten(path.read_text(encoding="utf-8"), address) for path in pages(root)}
    changed = [path for path, text in new.items() if text != path.read_text(encoding="utf-8")]
    for path in changed:
        path.write_text(new[path], encoding="utf-8")
    return changed


def main(root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description="Write the repository's address wherever it stands.")
    parser.add_argument("address", nargs="?", type=checked, help="such as https://github.com/OWNER/NAME")
    parser.add_argument("--none", action="store_true", help="there is no address (yet)")
    arguments = parser.parse_args()
    known = setting(root)
    address = None if arguments.none else arguments.address or (known and checked(known))
    for path in write(root, address):
        print(f"rewrote {path.relative_to(root)}")
    print(f"The repository is at {address}." if address else "No address is set.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
