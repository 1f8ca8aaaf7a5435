"""A Chromium to test with: the one that is installed, driven through Playwright."""

import contextlib
import os

import programs

QUIET = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")


@contextlib.contextmanager
def browser():
    """A running Chromium. Not for a whole test session: while it runs, this thread counts as being in an event loop."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)  # Chromium refuses its sandbox to root
        path = programs.find("chromium")
        running = playwright.chromium.launch(executable_path=path, chromium_sandbox=sandbox, args=list(QUIET))
        yield running
        running.close()
