"""The look of marks: one table of roles, as CSS for the page and as plain attributes for a picture."""

from typing import Any

from ...palette import MONO, PALETTES, SANS

# Pages that say they are dark: JupyterLab, VS Code, and the course's own site.
DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", '[data-theme="dark"]')


def _text(size, colour="$ink", family=SANS, **more):
    return {"fill": colour, "font-size": size, "font-family": family, **more}


_HALO = {"stroke": "$page", "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round"}

RAMP = 6  # colours from the least to the most

# role -> attributes; "$name" is a colour of the palette. Shapes first, then lines, then text.
ROLES: dict[str, dict[str, Any]] = {
    "op": {"fill": "$forward-fill", "stroke": "$forward", "stroke-width": 1.6},
    "loss": {"fill": "$forward-fill", "stroke": "$forward", "stroke-width": 3.4},
    "derived": {"fill": "$backward-fill", "stroke": "$forward", "stroke-width": 1.6},
    "group": {"fill": "$panel", "stroke": "$forward", "stroke-width": 1.6},
    "leaf": {"fill": "$leaf-fill", "stroke": "$leaf", "stroke-width": 1.6},
    "chip": {"fill": "$leaf-fill", "stroke": "$leaf", "stroke-width": 1.4, "stroke-dasharray": "2 3"},
    "back": {"fill": "$backward-fill", "stroke": "$backward", "stroke-width": 1.6, "stroke-dasharray": "5 3"},
    "kept": {"fill": "$saved-fill", "stroke": "$saved", "stroke-width": 1.6},
    "bad": {"fill": "$bad-fill", "stroke": "$bad", "stroke-width": 2.6},
    "area": {"fill": "$panel", "stroke": "$line", "stroke-width": 1},
    "bar": {"fill": "$forward", "stroke": "none"},
    "backbar": {"fill": "$backward", "stroke": "none"},
    "leafbar": {"fill": "$leaf", "stroke": "none"},
    "savedbar": {"fill": "$saved", "stroke": "none"},
    "badbar": {"fill": "$bad", "stroke": "none"},
    "tiles": {"fill": "none", "stroke": "$forward"},
    "backtiles": {"fill": "none", "stroke": "$backward", "stroke-linecap": "round"},
    "badtiles": {"fill": "none", "stroke": "$bad"},
    "zone-subnormal": {"fill": "$leaf-fill", "stroke": "none"},
    "zone-normal": {"fill": "$forward-fill", "stroke": "none"},
    "zone-over": {"fill": "$bad-fill", "stroke": "none"},
    "zone-sound": {"fill": "$saved-fill", "stroke": "none", "pointer-events": "none"},
    "blank": {"fill": "$page", "stroke": "none", "pointer-events": "none"},
    **{
        f"{ramp}{i}": {"fill": f"${ramp}{i}", "stroke": "none", "pointer-events": "none"}
        for ramp in ("norm", "bytes")
        for i in range(RAMP)
    },
    "nil": {"fill": "$line", "stroke": "none", "pointer-events": "none"},
    "cover": {"fill": "$panel", "stroke": "$forward", "stroke-width": 1.6, "vector-effect": "non-scaling-stroke"},
    "cell": {"fill": "transparent", "stroke": "none"},
    "row": {"fill": "none", "stroke": "none"},
    "way": {"fill": "none", "stroke": "none", "pointer-events": "none"},
    "edge": {"fill": "none", "stroke": "$forward", "stroke-width": 1.6},
    "backedge": {"fill": "none", "stroke": "$backward", "stroke-width": 1.6, "stroke-dasharray": "6 4"},
    "backline": {"fill": "none", "stroke": "$backward", "stroke-width": 2},
    "ghost": {"fill": "none", "stroke": "$backward", "stroke-width": 2, "opacity": 0.3, "pointer-events": "none"},
    "ghostdot": {"fill": "$backward", "stroke": "none", "opacity": 0.3, "pointer-events": "none"},
    "ghostring": {"fill": "none", "stroke": "$leaf", "stroke-width": 1.6, "opacity": 0.4, "pointer-events": "none"},
    "saved": {"fill": "none", "stroke": "$saved", "stroke-width": 1.6, "stroke-dasharray": "2 3"},
    "leafline": {"fill": "none", "stroke": "$leaf", "stroke-width": 2},
    "trend": {
        "fill": "none",
        "stroke": "$leaf",
        "stroke-width": 2,
        "stroke-dasharray": "1 6",
        "stroke-linecap": "round",
    },
    "badline": {"fill": "none", "stroke": "$bad", "stroke-width": 2},
    "outline": {"fill": "none", "stroke": "$ink", "stroke-width": 1.4, "stroke-dasharray": "4 3"},
    "axis": {"fill": "none", "stroke": "$muted", "stroke-width": 1},
    "grid": {"fill": "none", "stroke": "$line", "stroke-width": 1},
    "contour": {"fill": "none", "stroke": "$muted", "stroke-width": 1.3, "opacity": 0.7},
    "vector": {"fill": "none", "stroke": "$forward", "stroke-width": 3.2},
    "savedvector": {"fill": "none", "stroke": "$saved", "stroke-width": 3.2},
    "backvector": {"fill": "none", "stroke": "$backward", "stroke-width": 3.2, "stroke-dasharray": "7 4"},
    "inkvector": {"fill": "none", "stroke": "$ink", "stroke-width": 2, "stroke-dasharray": "2 4"},
    "ravine": {"fill": "none", "stroke": "$saved", "stroke-width": 2},
    "inkline": {"fill": "none", "stroke": "$ink", "stroke-width": 1.4},
    "over": {"fill": "$bad-fill", "stroke": "$bad", "stroke-width": 1.6},
    "turn": {"fill": "$backward", "stroke": "none", "opacity": 0.35},
    "veil": {"fill": "$page", "stroke": "none", "opacity": 0.62, "pointer-events": "none"},
    "before": {"fill": "none", "stroke": "$ink", "stroke-width": 2.6},
    "head": {"fill": "$forward", "stroke": "none"},
    "backhead": {"fill": "$backward", "stroke": "none"},
    "inkhead": {"fill": "$ink", "stroke": "none"},
    "token": {"fill": "$backward-fill", "stroke": "$backward", "stroke-width": 2, "pointer-events": "none"},
    "valuetoken": {"fill": "$forward-fill", "stroke": "$forward", "stroke-width": 2, "pointer-events": "none"},
    "heading": _text(18, **{"font-weight": "bold"}),
    "caption": _text(12.5, "$muted", **{"font-weight": "bold"}),
    "verdict": _text(15, "$saved", **{"font-weight": "bold"}, **_HALO),
    "fault": _text(15, "$bad", **{"font-weight": "bold"}, **_HALO),
    "name": _text(12.5, **{"font-weight": "bold"}),
    "value": _text(12, family=MONO),
    "note": _text(11.5, "$muted"),
    "tick": _text(11, "$muted", MONO),
    "level": _text(11, "$muted", MONO, **_HALO),
    "plain": _text(12),
    "code": _text(12, family=MONO),
    "place": _text(15, family=MONO),
    "lost": _text(15, "$backward-ink", MONO),
    "slope": _text(11.5, "$backward-ink", **{"font-weight": "bold"}, **(_HALO | {"stroke-width": 7})),
    "tokentext": _text(12, "$ink", MONO, **{"font-weight": "bold", "pointer-events": "none"}),
    "sum": _text(11.5, "$backward-ink", MONO, **_HALO),
    "forwardtext": _text(12, "$forward-ink", **{"font-weight": "bold"}, **_HALO),
    "leaftext": _text(12, "$leaf-ink", **{"font-weight": "bold"}, **_HALO),
    "savedtext": _text(11, "$saved", **_HALO),
    "covername": {
        "fill": "$ink",
        "stroke": "none",
        "font-family": SANS,
        "font-weight": "bold",
        "pointer-events": "none",
    },
    "badtext": _text(12, "$bad", **{"font-weight": "bold"}, **_HALO),
    "signtext": _text(12, "$bad", **{"font-weight": "bold"}),
}

# A mark's state at a moment, put over its role. "" is its plain look.
STATES: dict[str, dict[str, Any]] = {
    "": {},
    "pending": {"opacity": 0.4},
    "now": {"stroke-width": 4},
    "nowtext": {"text-decoration": "underline"},
    "dim": {"opacity": 0.45},
    "released": {"fill": "none", "stroke": "$muted", "stroke-dasharray": "1.5 3"},
    "nil": {"fill": "none", "stroke": "$muted", "stroke-dasharray": "1.5 4"},  # nothing but 0 goes there
    "lit": {"fill": "$lit"},
    "wrong": {"fill": "$bad-fill", "stroke": "$bad", "stroke-width": 3.4},
    "wrongtext": {"fill": "$bad"},
    "coarse": {"fill": "$leaf"},
    "hole": {"fill": "$page", "stroke": "$backward", "stroke-width": 1},
    "over": {"fill": "$page", "stroke": "$bad", "stroke-width": 1.2},
    "hidden": {"display": "none"},
    "asked": {"display": "none"},  # seen in the page alone, while the reader predicts
    "answer": {},  # what would give an answer away: out of sight while the reader predicts
}
# Of these states, texts have a look of their own, for they stay legible: another colour instead of a faint one.
OF_TEXTS: dict[str, dict[str, Any]] = {state: {"fill": "$muted"} for state in ("pending", "dim", "nil")} | {
    "released": {
        "fill": "$muted",
        "text-decoration": "line-through",
        "stroke-width": 0,
    },  # a rim would be struck through, too
    "coarse": {"fill": "$leaf-ink"},
    "hole": {"fill": "$backward-ink"},
    "over": {"fill": "$bad"},
}


def attributes(role: str, state: str, theme: str) -> dict[str, Any]:
    """The SVG attributes of a role in a state, with the colours of `theme` ("light" or "dark") filled in."""
    if role not in ROLES or state not in STATES:
        raise KeyError(f"expected a role and a state of labkit.widgets.theme, but got {role!r} and {state!r}")
    colours = PALETTES[theme]
    states = OF_TEXTS if state in OF_TEXTS and "font-family" in ROLES[role] else STATES
    merged = ROLES[role] | states[state]
    return {k: colours[v[1:]] if isinstance(v, str) and v.startswith("$") else v for k, v in merged.items()}


# In fonts whose letters are all alike wide raised digits stand apart, "2⁻ ¹ ²": these come from one in which they do not.
RAISED = (
    "@font-face {font-family:lk-raised;src:"
    + ",".join(f"local('{font}')" for font in ("Segoe UI", "DejaVu Sans", "Lucida Grande", "Noto Sans", "Roboto"))
    + ";unicode-range:U+B2-B3,U+B9,U+2070-207E;}"
)


def palettes() -> str:
    """The palettes as CSS: custom properties, light or dark as the page is."""
    dark = _properties("dark")
    return "\n".join([
        f".labkit, .alone {{{_properties('light')}}}",
        f"{', '.join(f'{page} .labkit' for page in DARK)}, .alone.dark, .alone.dark .labkit {{{dark}}}",
        f"@media (prefers-color-scheme: dark) {{.alone:not(.light), .alone:not(.light) .labkit {{{dark}}}}}",
    ])  # fmt: skip


def css() -> str:
    """The same tables as CSS: the palettes, and a class for each role and state."""
    rules = [
        RAISED,
        palettes(),
        *(f".labkit .lk-{role} {{{_declarations(look)}}}" for role, look in ROLES.items()),
        ".labkit .lk-code {--lk-least:0px;}",  # the lines of a program are as long as their panel allows
        *(
            f".labkit .is-{state}{':not(text)' if state in OF_TEXTS else ''} {{{_declarations(look)}}}"
            for state, look in STATES.items()
            if state
        ),
        *(f".labkit text.is-{state} {{{_declarations(look)}}}" for state, look in OF_TEXTS.items()),
    ]
    return "\n".join(rules)


def _properties(theme):
    return f"color-scheme:{theme};" + "".join(f"--lk-{name}:{colour};" for name, colour in PALETTES[theme].items())


def _declarations(look):
    def css_value(key, value):
        if isinstance(value, str) and value.startswith("$"):
            return f"var(--lk-{value[1:]})"
        if value == MONO:
            return f"lk-raised, {MONO}"
        return f"max({value}px,var(--lk-least,0px))" if key == "font-size" else value

    return "".join(f"{key}:{css_value(key, value)};" for key, value in look.items())
