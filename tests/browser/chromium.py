"""A Chromium to test with: the one that is installed, driven through Playwright."""

import contextlib
import importlib.util
import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
QUIET = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")


def missing() -> str:
    """Why no browser can be started, in words; empty if one can."""
    if importlib.util.find_spec("playwright") is None:
        return 'Playwright is not installed: pip install -e ".[test]"'
    if executable() is None:
        return f"no Chromium: expected one of {', '.join(NAMES)}; install one, or run: playwright install chromium"
    return ""


def executable() -> str | None:
    """Where Chromium is: on the PATH, or where `playwright install chromium` has put it."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache" / "ms-playwright"))
        found = next((str(p) for p in sorted(folder.glob("chromium-*/chrome-*/chrome*")) if p.stem == "chrome"), None)
    return found


@contextlib.contextmanager
def browser():
    """A running Chromium. Not for a whole test session: while it runs, this thread counts as being in an event loop."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)  # Chromium refuses its sandbox to root
        running = playwright.chromium.launch(executable_path=executable(), chromium_sandbox=sandbox, args=list(QUIET))
        yield running
        running.close()
