"""Benchmarks run only when named, in one process: `pytest -n0 --benchmark-enable tests/benchmarks/bench_*.py`."""

from statistics import median, quantiles

import pytest

TABLE, FIGURES = pytest.StashKey[list](), pytest.StashKey[list]()


@pytest.fixture
def alternate(request):
    """Time several ways by turns, so that all meet the same weather; add their medians and ratios to the table.

    `alternate(title, {name: function returning seconds}, rounds, base)` returns `{name: median / median of base}`.
    """

    def run(title, ways, rounds, base):
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                times[name].append(way())
        medians = {name: median(t) for name, t in times.items()}
        ratios = {name: m / medians[base] for name, m in medians.items()}
        request.config.stash.setdefault(TABLE, []).append((title, medians, ratios))
        return ratios

    return run


@pytest.fixture
def figures(request):
    """`figures(title, {name: seconds measured})`: add the median and the 90th percentile of each to a table."""

    def add(title, times):
        rows = {name: (median(t), quantiles(t, n=10, method="inclusive")[-1]) for name, t in times.items()}
        request.config.stash.setdefault(FIGURES, []).append((title, rows))

    return add


def pytest_terminal_summary(terminalreporter, config):
    for title, rows in config.stash.get(FIGURES, []):
        terminalreporter.section(title)
        for name, (middle, high) in rows.items():
            terminalreporter.write_line(f"{name:<60}{middle * 1e3:9.1f} ms, nine of ten in{high * 1e3:9.1f} ms")
    for title, medians, ratios in config.stash.get(TABLE, []):
        terminalreporter.section(title)
        for name, seconds in medians.items():
            shown = f"{seconds * 1e3:10.1f} ms" if seconds > 1e-2 else f"{seconds * 1e6:10.1f} us"
            terminalreporter.write_line(f"{name:<44}{shown}   x {ratios[name]:.2f}")
