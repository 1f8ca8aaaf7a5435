// The call builder. data: {about, call, name, parameters, choices, calls, equals, styles, goal, given}, as calls.py writes it.

const MOST = 6, MANY = 6, TITLES = { position: "grad_position" };

// What it returns when one argument is another: [structure, what to say].
function neighbours({ choices, calls, words }, call) {
  const found = [];
  for (const field of ["weights", "has_aux", "position", "function"]) {
    choices[field].forEach((code, i) => {
      const { structure, result } = calls[keyOf({ ...call, [field]: i })];
      if (i !== call[field] && !result.error) found.push([structure, filledIn(words.other, { code: field === "function" ? code : `${TITLES[field] ?? field}=${code}` })]);
    });
  }
  return found;
}
const keyOf = ({ function: f, position, weights, has_aux: aux }) => [f, position, weights, aux].join(" ");

// Which structure it returns; a wrong choice is what a likely confusion gives, or the call with one argument changed.
function questionOf(data, call) {
  const { structure, result, said, slips } = data.calls[keyOf(call)], { words } = data, answer = result.error ? words.error : structure, known = new Map();
  for (const [wrong, why] of [...slips, ...neighbours(data, call)]) if (wrong !== answer && !known.has(wrong)) known.set(wrong, result.error ? words.look : why);
  const kept = [...known].slice(0, MOST - 1), choices = [...new Set([answer, ...kept.map(([wrong]) => wrong)])].filter((one) => one !== words.error).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return { question: words.ask, answer, choices: [...choices, words.error], slips: kept, otherwise: words.look, right: said.replace(filledIn(words.returns, { structure: answer }), "").trim() };
}

// A result as boxes in boxes, each with the index that leads to it.
function boxOf(tree, path) {
  if (tree.error) return html("div", { class: "lab-box lab-lost" }, html("strong", {}, tree.error), ` ${tree.message} `, html("small", {}, tree.when));
  if (Array.isArray(tree)) {
    const [name, value, kind, source, role] = tree;
    return html("div", { class: `lab-box lab-${role === "back" ? "gradient" : "output"}`, title: kind }, html("strong", {}, name), " ", html("code", {}, value), ...(path ? [html("code", { class: "lab-path" }, path)] : []), ...(source && path ? [html("small", {}, source)] : []));
  }
  const indexed = ["tuple", "list"].includes(tree.kind), rest = tree.parts.length - MANY;
  return html("div", { class: "lab-box" }, indexed ? `${tree.kind} of ${tree.parts.length}` : tree.kind, ...(path ? [html("code", { class: "lab-path" }, path)] : []),
    ...tree.parts.slice(0, MANY).map((part, i) => boxOf(part, indexed && path ? `${path}[${i}]` : "")), ...(rest > 0 ? [html("small", {}, `… and ${rest} more`)] : []));
}

export default { render({ model, el }) {
  const data = model.get("data"), { choices, calls, equals, styles, words } = data;
  const frame = new Frame({ model, el }, ["function", "position", "weights", "has_aux", "compared"], { title: data.title, about: data.about });
  if (equals.length) frame.select(words.compare, "compared", [0, 1, 2], undefined, (i) => (i ? `PyTorch: ${styles[i - 1]}` : words.nothing));
  let predicting = false, answered = "", asked = "";
  const predict = frame.button("Predict first", () => { predicting = !predicting; asked = answered = ""; frame.asking.hidden = true; frame.redraw(); });

  // The call as code: every value that an argument may have is a button.
  const values = (field, after) => html("span", { class: "lab-values", role: "group", "aria-label": TITLES[field] ?? field },
    ...choices[field].map((code, i) => {
      const made = html("button", { type: "button", onclick: () => frame.set({ [field]: i }) }, code);
      frame.controls.push(() => made.setAttribute("aria-pressed", frame.state[field] === i));
      return i < choices[field].length - 1 ? made : html("span", {}, made, after);
    }));
  const line = (...parts) => html("div", {}, ...parts), goal = html("p", { class: "lab-goal" }), code = html("pre", {}), said = html("small", {});
  const result = html("div", {}), other = html("div", {});
  const figure = (caption, wide, ...inside) => frame.panels.append(html("figure", { style: `flex-basis: ${wide}px; max-width: 640px` }, html("figcaption", {}, caption), ...inside));
  figure(words.click, 360, html("div", { class: "lab-code lab-box" }, ...(data.parameters ? [line(`params = ${data.name}.trainable_params()`)] : []),
    line("result = ", values("function", `(${data.name},`)), ...["position", "weights", "has_aux"].map((field) => line(html("span", { class: "lab-argument" }, `${TITLES[field] ?? field}=`), values(field, ","))), line(`)${data.call.slice(data.name.length)}`)),
    ...data.given.map((given) => line(html("small", {}, given))), goal);
  const compared = html("div", {}, html("small", {}, "PyTorch"), other, code, said);
  figure(words.results, 480, html("div", { style: "display: grid; grid-template-columns: repeat(auto-fit, minmax(215px, 1fr)); gap: 12px" }, html("div", {}, html("small", {}, "MindSpore"), result), compared));

  frame.begin((state) => {
    const key = keyOf(state), { structure, said: sentence, result: tree } = calls[key], equal = state.compared ? equals[state.compared - 1][key.slice(2)] : null, hidden = predicting && answered !== key;
    predict.setAttribute("aria-pressed", predicting);
    if (hidden && asked !== key) { asked = key; frame.ask(questionOf(data, state), () => { answered = key; frame.redraw(); }); }
    result.replaceChildren(hidden ? html("div", { class: "lab-box lab-unknown" }, "?") : boxOf(tree, "result"));
    goal.textContent = filledIn(words[structure === data.goal && !hidden ? "found" : "find"], data);
    compared.hidden = !equal;
    if (equal) { code.textContent = equal.code.join("\n"); other.replaceChildren(hidden ? "" : boxOf(equal.result, "")); said.textContent = hidden ? "" : equal.said; }
    return hidden ? words.hidden : sentence;
  });
} };
