// A cell's code, to be changed: a field of plain text over its coloured copy. `editor(source, options)` gives
// `{ element, text(), set(source), focus() }`.

const WORDS = "False None True and as assert async await break class continue def del elif else except finally for from global " +
  "if import in is lambda nonlocal not or pass raise return try while with yield";
const TOKEN = new RegExp([
  /(?<c1>#[^\n]*)/, /(?<s1>\b[rbfRBF]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|"""[^]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)/,
  new RegExp(`\\b(?<k>${WORDS.replaceAll(" ", "|")})\\b`), /\b(?<mi>\d[\w.]*)/, /(?<n>[^\W\d]\w*)/, /(?<o>[-+*/%@=<>!&|^~]+)/,
].map((part) => part.source).join("|"), "gu");

export function coloured(source) {
  const pieces = [];
  let from = 0;
  for (const found of source.matchAll(TOKEN)) {
    const kind = Object.entries(found.groups).find(([, text]) => text !== undefined)[0];
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = found[0];
    pieces.push(source.slice(from, found.index), span);
    from = found.index + found[0].length;
  }
  return [...pieces, source.slice(from), "\n"];
}

export function editor(source, { label, run, changed }) {
  const element = document.createElement("div"), copy = document.createElement("pre"), field = document.createElement("textarea");
  element.className = "live-code highlight";
  const inside = document.createElement("div");
  copy.setAttribute("aria-hidden", "true");
  Object.assign(field, { value: source, spellcheck: false, autocomplete: "off", autocapitalize: "off", wrap: "off", rows: 1 });
  field.setAttribute("aria-label", label);
  inside.append(copy, field);
  element.append(inside);
  const draw = () => copy.replaceChildren(...coloured(field.value));
  let leaving = false; // after Escape, Tab leaves the field
  field.addEventListener("input", () => { draw(); changed(field.value); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run(event.shiftKey);
    } else if (event.key === "Enter") {
      event.preventDefault();
      type(field, `\n${indentAfter(field.value.slice(0, field.selectionStart))}`);
    } else if (event.key === "Tab" && !event.shiftKey && !leaving) {
      event.preventDefault();
      type(field, "    ");
    }
    leaving = event.key === "Escape";
  });
  draw();
  return {
    element, field, text: () => field.value, focus: () => field.focus({ preventScroll: true }),
    set(text) { field.value = text; draw(); },
  };
}

function indentAfter(text) {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
}

function type(field, text) { // so that it can be undone
  if (!document.execCommand("insertText", false, text)) {
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input"));
  }
}
