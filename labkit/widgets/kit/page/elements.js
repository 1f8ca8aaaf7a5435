// Elements of the page, made in one call.

export const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z", previous: "M11 3v10L4 8z", play: "M4 3l9 5-9 5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3l7 5-7 5z", last: "M3 3l7 5-7 5zM11 3h2v10h-2z", left: "M10 3v10L4 8z", right: "M6 3l6 5-6 5z",
};

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function iconButton(icon, label, press) {
  const button = make("button", { type: "button", className: "lk-button", title: label, "aria-label": label, onclick: press });
  button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  return button;
}

export function lessMotion() { return matchMedia("(prefers-reduced-motion: reduce)").matches; }

// The px that a panel may be high: in a frame of another page, which follows the height of its contents, a fixed number.
export function tallest() { return document.documentElement.classList.contains("framed") ? 560 : 0.66 * innerHeight; }
