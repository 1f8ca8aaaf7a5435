// What the pages of the site do: the frames of widgets get the height that they ask for, and they and the pictures follow
// the theme that the reader chooses.

const dark = matchMedia("(prefers-color-scheme: dark)");

function theme() {
  const chosen = document.body.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

function tell(page, asks = false) { // asks: how high it is, which it may have said before anyone listened
  page.postMessage({ labkit: { theme: theme(), asks } }, "*");
}

function follow() {
  document.documentElement.dataset.theme = theme(); // where the style of cells looks for it
  for (const frame of document.querySelectorAll("iframe.labkit-page")) tell(frame.contentWindow, true);
  for (const source of document.querySelectorAll("picture > source[srcset*='_dark']")) {
    source.media = theme() === "dark" ? "all" : "not all";
  }
}

addEventListener("message", ({ source, data }) => {
  const frame = [...document.querySelectorAll("iframe.labkit-page")].find((one) => one.contentWindow === source);
  if (!frame || !data.labkit) return;
  frame.style.height = `${data.labkit.height}px`;
  tell(source);
});

// What the theme leaves to a screen reader and to the keyboard.
function label() {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.setAttribute("aria-level", "2");
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "The site");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "This page");
  reach();
}

// Long lines are scrolled to by keyboard; those of a folded answer once they are seen.
function reach() {
  for (const code of document.querySelectorAll("pre")) if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
}

addEventListener("DOMContentLoaded", () => {
  follow();
  label();
  document.addEventListener("toggle", reach, true);
  dark.addEventListener("change", follow);
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-theme"] });
});

if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // a browser may not read other files
