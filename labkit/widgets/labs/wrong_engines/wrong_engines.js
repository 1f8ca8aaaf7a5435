// The wrong-engine lab. data: {engines, fits, graphs, runs, words} of `wrong_engines.py`: every engine has run on every graph. `runs` has what is said at
// each of its moments, with the names of its numbers; `texts` has the numbers, and `events` what the engine did, if it can be repeated with other inputs.

const NARROW = 330, TRACK = 38; // px: the least width of a graph with tracks, and the height of each
const shortest = (value) => digits(value, 3);
const bracketed = (words) => (words.startsWith("−") ? `(${words})` : words);
const filledWith = (template, texts) => template.replace(/(× )?\{(\w+)\}/g, (whole, sign, name) => (name in texts ? (sign ? sign + bracketed(texts[name]) : texts[name]) : whole));

// The numbers of a run with other inputs, by their names: the forward pass, the right gradients, and what the engine did.
function numbersOf({ nodes, uses, program, start }, events, inputs) {
  const found = {}, numbers = program.inputs.map((name, i) => inputs[name] ?? start[i]), worth = ({ at }) => (Array.isArray(at) ? asNumber(at[0]) : numbers[at]);
  for (const line of program.lines) numbers.push(resultOf(line, numbers));
  const right = nodes.map((_, i) => Number(i === nodes.length - 1));
  for (let i = nodes.length - 1; i >= 0; i--) for (const use of uses) if (use.node === i) right[use.parent] += right[i] * worth(use);
  let now = nodes.map(() => 0);
  events.forEach((done, step) => {
    now = now.map((gradient, i) => (nodes[i].leaf ? gradient : 0)); // leaves keep theirs
    uses.forEach((use, k) => { found[`s${step}_${k}`] = worth(use); });
    nodes.forEach((node, i) => Object.assign(found, { [`v${step}_${i}`]: worth(node), [`r${step}_${i}`]: right[i], [`h${step}_${i}`]: now[i] }));
    done.forEach(([node, kind, what, use], at) => {
      if (kind !== "visit") {
        const part = kind === "set" ? what : found[`g${step}_${what}`] * found[`s${step}_${use}`];
        Object.assign(found, { [`b${step}_${at}`]: now[node], [`p${step}_${at}`]: part });
        now[node] = kind === "add" ? now[node] + part : part;
      }
      found[`g${step}_${at}`] = now[node];
    });
  });
  return found;
}

const runOf = ({ runs }, { engine, graph }) => runs[`${engine} on ${graph}`];
const momentOf = ({ moments }, step) => clamped(Math.round(step), 0, moments.length - 1);

// What is shown: the numbers as texts, and the wrong nodes of the moment by their index, as the names of the gradients that they passed on.
function shownOf(data, state) {
  const run = runOf(data, state), m = momentOf(run, state.step), { step } = run.moments[m], moved = run.events && Object.keys(state.inputs).length > 0;
  const numbers = moved ? numbersOf(data.graphs[state.graph], run.events, state.inputs) : null, texts = moved ? Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, shortest(value)])) : run.texts;
  const wrong = run.wrong.filter(([of, node, since, got]) => of === step && since <= m && (!moved || texts[got] !== texts[`r${of}_${node}`])), found = run.first !== null && m >= run.first, [first] = run.wrong;
  const happens = found && moved && texts[first[3]] === texts[`r${first[0]}_${first[1]}`];
  const finding = !found ? "" : happens ? filledIn(data.words.equal, { node: data.graphs[state.graph].nodes[first[1]].called }) : filledWith(run.finding, texts);
  return { run, m, moment: run.moments[m], texts, wrong: Object.fromEntries(wrong.map(([, node, , got]) => [node, got])), found: found && !happens, finding };
}
const sentenceOf = (data, state) => { const { run, m, moment, texts } = shownOf(data, state); return `${filledIn(data.words.moment, { m, last: run.moments.length - 1 })} ${filledWith(moment.said, texts)}`; };

function questionOf({ words, graphs }, run, { engine, graph }) {
  const names = graphs[graph].nodes.map(({ called }) => called), answer = run.wrong.length ? names[run.wrong[0][1]] : words.none;
  return { question: filledIn(words.ask, { name: engine }), answer, choices: [...names, words.none], otherwise: words.not, right: filledWith(run.finding || run.moments.at(-1).said, run.texts),
    slips: run.wrong.slice(1).map(([, node]) => [names[node], filledIn(words.later, { node: names[node] })]) };
}

export default { render({ model, el }) {
  const data = model.get("data"), { engines, fits, graphs, words } = data, names = Object.keys(engines), frame = new Frame({ model, el }, ["engine", "graph", "step", "inputs"], data);
  const last = () => runOf(data, frame.state).moments.length - 1, at = () => momentOf(runOf(data, frame.state), frame.state.step);
  let upright = false;

  const go = (step) => frame.set({ step: clamped(step, 0, last()) });
  const choose = (changes) => { frame.asked = null; frame.asking.hidden = true; const run = runOf(data, { ...frame.state, ...changes }); frame.set({ ...changes, inputs: {}, step: run.first ?? run.moments.length - 1 }); };
  const back = frame.button("Back", () => go(at() - 1)), next = frame.button("Next", () => go(at() + 1));
  const list = html("select", { onchange: () => choose({ engine: names[list.selectedIndex], graph: fits[names[list.selectedIndex]] }) }, ...names.map((name) => html("option", {}, name)));
  frame.bar.append(html("label", {}, "Engine ", list));
  const graph = html("select", { onchange: () => choose({ graph: graph.value }) }, ...Object.keys(graphs).map((name) => html("option", {}, name)));
  if (Object.keys(graphs).length > 1) frame.menu.append(html("label", {}, "Graph ", graph));
  frame.predict((state) => { const run = runOf(data, state); return run.asked && { ...questionOf(data, run, state), from: { step: 0, inputs: {} }, to: { step: run.first ?? run.moments.length - 1 } }; });

  const plane = frame.panel("", 100, 100), finding = html("p", { class: "engine-finding", role: "status" }), caption = html("figcaption", {}), code = html("pre", { class: "engine-code", tabindex: 0 });
  frame.panels.append(html("figure", { class: "engine" }, caption, code));
  for (const node of [finding, frame.said]) frame.root.insertBefore(node, frame.panels); // next to the graph, however high the panels are
  plane.drawn.prepend(wireHeads());
  const tracks = Object.entries(graphs).filter(([, { program }]) => program).map(([name, { program, start, flows }]) => frame.tracks(plane, program.inputs, start, (k) => {
    const { width, height } = flows[Number(upright)];
    return frame.state.graph === name && runOf(data, frame.state).events && !frame.asked ? [90, Math.min(Math.max(width, NARROW) - 20, 460), height + 28 + TRACK * k] : undefined;
  }));

  frame.begin((state) => {
    const { run, m, moment, texts, wrong, found, finding: cause } = shownOf(data, state), { nodes, uses, flows, text, program } = graphs[state.graph], { boxes, wires, width, height } = flows[Number(upright)], step = moment.step, shown = found && !frame.asked;
    const along = run.moments.slice(0, m + 1).filter((one) => one.step === step).flatMap(({ sends }) => sends);
    list.selectedIndex = names.indexOf(state.engine); graph.value = state.graph;
    [back.disabled, next.disabled, frame.predictor.disabled] = [!m, m === last(), !run.asked];
    plane.figure.firstChild.textContent = text;
    const high = tracks.flatMap((draw) => draw(state)), room = height + 10 + TRACK * (high.length / 2);
    plane.drawn.setAttribute("viewBox", `0 0 ${Math.max(width, high.length && NARROW)} ${room}`);
    Object.assign(plane.figure.style, { maxWidth: `${1.15 * Math.max(width, NARROW)}px`, flexBasis: `${Math.max(width, NARROW)}px` });
    const look = (i, card) => (i in wrong && !frame.asked ? "wrong" : moment.node === i || moment.sends.some((k) => uses[k].parent === i) ? "now" : card ? "" : "none");
    plane.ink.replaceChildren(...wires.map(({ forward }) => wireForward(forward.path)),
      ...wires.map(({ back }, k) => { const bad = shown && uses[k].parent in wrong && run.bad.includes(k); return wireBack(back.path, bad || along.includes(k), `${bad ? "bad" : ""} ${moment.sends.includes(k) ? "pointed" : ""}`); }),
      ...wires.map(({ spot: [x, y] }, k) => { const slope = texts[`s${step}_${k}`]; return slope ? written(x, y + 4, `×${bracketed(slope)}`, "slope", "middle") : ""; }),
      ...nodes.flatMap((node, i) => { const card = texts[moment.cards[i]] ?? "", right = texts[`r${step}_${i}`], got = texts[wrong[i]];
        return [...twinCard(boxes[i], node, texts[`v${step}_${i}`], card, look(i, card)), i in wrong && !frame.asked ? written(boxes[i][0], boxes[i][1] + CARD.high + 13, filledIn(card === got ? words.should : words.passed, { got, right }), "outcome") : ""]; }), ...high);
    caption.textContent = filledIn(words.code, { name: state.engine });
    code.replaceChildren(...engines[state.engine].map((line, k) => html("span", { class: `${moment.rows.includes(k) ? "runs" : ""} ${shown && k === run.fault ? "fault" : ""}` }, ` ${line}`)));
    finding.textContent = frame.asked ? "" : cause;
    finding.hidden = !finding.textContent;
    return sentenceOf(data, state);
  });
  new ResizeObserver(() => {
    const [across, down] = graphs[frame.state.graph].flows, turned = across.width > frame.panels.clientWidth && down.width < across.width;
    if (turned !== upright) { upright = turned; frame.redraw(); }
  }).observe(frame.panels);
} };
