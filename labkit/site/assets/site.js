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

// ---- a link to what a widget shows: page.html#widget=NAME&at.step=3 ----

function widgetOf(frame) { return (frame.dataset.src || frame.src).split(/[?#]/)[0].split("/").pop().replace(/\.html$/, ""); }

function goToWidget() {
  const link = new URLSearchParams(location.hash.slice(1)), name = link.get("widget");
  document.querySelector(".site-link")?.remove();
  if (name === null) return;
  const frame = [...document.querySelectorAll("iframe.labkit-page")].find((one) => widgetOf(one) === name);
  const live = document.querySelector(`[data-widget="${CSS.escape(name.replace(/-\d+$/, ""))}"] .labkit`);
  if (frame) show(frame, link);
  else if (live) live.scrollIntoView({ block: "center" }); // which follows the link itself
  else tellNoWidget(name);
}

function show(frame, link) {
  for (const ofPage of ["widget", "code", "changed"]) link.delete(ofPage);
  const [waiting, loaded] = [frame.dataset.src, frame.getAttribute("src")];
  const address = `${(waiting || loaded).split("#")[0]}#${link}`;
  if (waiting) frame.dataset.src = address; // the page loads it when it is seen
  if (loaded) frame.src = address;
  frame.loading = "eager";
  const folded = frame.closest("details");
  if (folded) folded.open = true;
  frame.scrollIntoView({ block: "center" });
  frame.classList.add("site-linked");
}

function tellNoWidget(name) {
  const words = document.createElement("p");
  words.className = "site-link";
  words.setAttribute("role", "status");
  words.textContent = `The link leads to a widget called \u201c${name.slice(0, 60)}\u201d, which this page does not have (any more). Here is the page itself.`;
  (document.querySelector("h1") || document.body.firstElementChild).after(words);
}

addEventListener("hashchange", goToWidget);

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
  goToWidget();
  document.addEventListener("toggle", reach, true);
  dark.addEventListener("change", follow);
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-theme"] });
});

if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // a browser may not read other files
