"""How long a page takes until something is shown, in CPU seconds of all of the browser's processes.

    python tests/tools/page_seconds.py FOLDER playground/index.html "performance.getEntriesByName('labkit-shown').length"
    python tests/tools/page_seconds.py FOLDER notebooks/00_start_here.html EXPRESSION --click .live-start

FOLDER is a site. It is served from here and opened in a fresh profile (cold), then once more in the same one (warm).
"""

import argparse
import sys
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from chromium import browser
from live_site import served


def spent():
    """CPU seconds of Chromium's processes below this one, those that have ended included."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            if "node" not in process.name():
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
        except psutil.Error:  # it ended meanwhile: its parent has its seconds
            pass
    return total


def main(folder, place, shown, click):
    with served(folder) as address, browser() as running:
        context = running.new_context(reduced_motion="reduce")
        for visit in ("cold", "warm"):
            time.sleep(2)
            cpu, began = spent(), time.monotonic()
            page = context.new_page()
            page.set_default_timeout(600_000)
            page.goto(f"{address}/{place}")
            if click:
                page.click(click)
            page.wait_for_function(shown, polling=200)  # ms; to look at each frame costs more than many a page
            print(f"{visit}: {spent() - cpu:.1f} CPU s, {time.monotonic() - began:.1f} s on the clock")
            page.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("place")
    parser.add_argument("shown", help="JavaScript that is true once it is there")
    parser.add_argument("--click", default="")
    main(**vars(parser.parse_args()))
