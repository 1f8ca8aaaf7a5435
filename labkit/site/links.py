"""Checks where the links of finished pages lead."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The names of the places in a page, and where it leads or what it loads: `(tag, address)`."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str | None] = set()
        self.addresses: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the name of an element, and the addresses in it."""
        given = dict(attrs)
        self.places |= {given.get("id"), given.get("name")}
        self.addresses += [(tag, address) for key in ("href", "src", "srcset") if (address := given.get(key))]


def faults(html: Path) -> list[str]:
    """Links that lead nowhere, and what would be loaded from another host, as lines of text."""
    pages = {path: Page(path) for path in sorted(html.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for tag, address in page.addresses:
            parts = urlsplit(address)
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme == "data" or (tag == "a" and parts.netloc):
                continue
            if parts.netloc:
                found.append(f"{path.name}: {tag} loads {address}")
            elif not there.is_file():
                found.append("{file}: there is no {address}".format(file=path.name, address=address))
            elif _named(parts.fragment) and there in pages and unquote(parts.fragment) not in pages[there].places:
                found.append("{file}: the link {address} is broken".format(file=path.name, address=address))
    return found


def _named(fragment):
    """Whether what follows the # names a place, and not what a page is to show: `case=two-outputs&dialect=torch`."""
    return fragment and "=" not in fragment
