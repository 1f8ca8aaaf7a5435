"""The colours and fonts of all that labkit draws, by what they are for, in light and in dark.

The colours are those of Okabe and Ito (2008), which stay apart for every kind of colour vision; identity is also carried
by dash and shape, never by colour alone. What ends in a digit is a ramp, from the least to the most.
"""

PALETTES: dict[str, dict[str, str]] = {
    "light": {
        "page": "#ffffff", "ink": "#1f2328", "muted": "#59636e", "line": "#d1d9e0", "panel": "#f6f8fa",
        "forward": "#0072b2", "forward-fill": "#dcecf5", "backward": "#d55e00", "backward-fill": "#fbe9df",
        "backward-ink": "#a84800", "leaf": "#b37a00", "leaf-fill": "#fcefd2", "saved": "#007a59", "saved-fill": "#d9f0e8",
        "bad": "#b3003c", "bad-fill": "#fbdfe7", "lit": "#fff3c4", "forward-ink": "#005f96", "leaf-ink": "#805800",
        "norm0": "#fdf3e9", "norm1": "#fbe3cc", "norm2": "#fac897", "norm3": "#f6a962", "norm4": "#ee8838", "norm5": "#e2681f",
        "bytes0": "#eef1f4", "bytes1": "#d3eae1", "bytes2": "#b0ddce", "bytes3": "#8bcfb9", "bytes4": "#64c1a3",
        "bytes5": "#3fb08a",
    },
    "dark": {
        "page": "#111417", "ink": "#e6edf3", "muted": "#9aa7b4", "line": "#3a424b", "panel": "#1b2026",
        "forward": "#56b4e9", "forward-fill": "#12303f", "backward": "#ff8a3d", "backward-fill": "#3d2415",
        "backward-ink": "#ffa266", "leaf": "#e69f00", "leaf-fill": "#3b2f0d", "saved": "#2fc79a", "saved-fill": "#10352a",
        "bad": "#ff6b93", "bad-fill": "#45121f", "lit": "#403710", "forward-ink": "#56b4e9", "leaf-ink": "#e69f00",
        "norm0": "#2a201a", "norm1": "#3b2a1e", "norm2": "#53311b", "norm3": "#6f3919", "norm4": "#8e4218", "norm5": "#ad4c17",
        "bytes0": "#1b2229", "bytes1": "#18352e", "bytes2": "#164539", "bytes3": "#145745", "bytes4": "#126850",
        "bytes5": "#0f7858",
    },
}  # fmt: skip

MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
