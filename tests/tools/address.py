"""Everything that follows from the repository's address, `Repository` of `[project.urls]` in pyproject.toml.

    python tests/tools/address.py    # after an edit of the setting: rewrite the README and the pages next to it

It stands between `<!-- address: PART -->` and `<!-- end of address -->`. Without an address, nothing leads to a server.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FORM = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+)")
PLACE = re.compile(r"(<!-- address: (\w+) -->\n)(.*?)(<!-- end of address -->\n)", re.DOTALL)
FIRST = "notebooks/01_first_gradient.ipynb"

WITHOUT = {
    "badges": "",
    "clone": "You need Python 3.11 or newer, git, and a clone of this repository (`git clone --depth 1` is enough).\n",
    "try": "You can also build a site whose notebooks and labs run in the browser: see "
    "[CONTRIBUTING](CONTRIBUTING.md#the-site).\n",
    "report": "On this repository's page on GitHub, open *Security* and choose *Report a vulnerability*.\n",
}
WITH = {
    "badges": "[![Tests]({address}/actions/workflows/tests.yml/badge.svg)]({address}/actions/workflows/tests.yml)\n"
    "[![Open on Binder](https://mybinder.org/badge_logo.svg)]({binder})\n[Site]({site})\n",
    "clone": "You need Python 3.11 or newer and git.\n\n```bash\ngit clone --depth 1 {address}\ncd {name}\n```\n\n",
    "try": "To try labkit without installing it, open the notebooks on [Binder]({binder}), or run them in your browser on\n"
    "[the site]({site}).\n",
    "report": "[Open a private advisory]({address}/security/advisories/new) at GitHub.\n",
}


def setting(root: Path = ROOT) -> str:
    """The repository's address, empty while it has none. Raises ValueError for an address of another form."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project.get("urls", {}).get("Repository", "")
    if address and not FORM.fullmatch(address):
        raise ValueError(f"expected an address like https://github.com/OWNER/NAME, but got {address}")
    return address


def site(address: str) -> str:
    """Where GitHub Pages puts the site of the repository; empty without an address."""
    owner, name = FORM.fullmatch(address).groups() if address else ("", "")
    return owner and f"https://{owner.lower()}.github.io/{name}/"


def parts(address: str) -> dict[str, str]:
    """The text of each part."""
    if not address:
        return WITHOUT
    owner, name = FORM.fullmatch(address).groups()
    binder = f"https://mybinder.org/v2/gh/{owner}/{name}/HEAD?urlpath=lab/tree/{FIRST}"
    return {
        part: text.format(address=address, name=name, binder=binder, site=site(address)) for part, text in WITH.items()
    }


def rewritten(text: str, address: str) -> str:
    """A page with its parts as they follow from the address. Raises KeyError for an unknown part."""
    known = parts(address)
    return PLACE.sub(lambda found: found[1] + known[found[2]] + found[4], text)


def pages(root: Path = ROOT) -> list[Path]:
    """The README and the pages next to it."""
    return sorted(path for folder in ("", ".github", "notebooks") for path in (root / folder).glob("*.md"))


if __name__ == "__main__":
    for page in pages():
        page.write_text(rewritten(page.read_text(encoding="utf-8"), setting()), encoding="utf-8")
