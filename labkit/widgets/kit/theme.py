"""The palettes as CSS, light or dark as the page is."""

from ...palette import PALETTES

# Pages that say they are dark: JupyterLab, VS Code, and the course's own site.
DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", '[data-theme="dark"]')


def palettes() -> str:
    """The palettes as CSS: custom properties, light or dark as the page is."""
    dark = _properties("dark")
    return "\n".join([
        f".labkit, .alone {{{_properties('light')}}}",
        f"{', '.join(f'{page} .labkit' for page in DARK)}, .alone.dark, .alone.dark .labkit {{{dark}}}",
        f"@media (prefers-color-scheme: dark) {{.alone:not(.light), .alone:not(.light) .labkit {{{dark}}}}}",
    ])  # fmt: skip


def _properties(theme):
    return f"color-scheme:{theme};" + "".join(f"--lk-{name}:{colour};" for name, colour in PALETTES[theme].items())
