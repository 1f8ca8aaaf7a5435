// The wrong-engine lab. data: {engines, fits, graphs, runs, words} of `wrong_engines.py`: every engine has run on every graph, and `runs` has what is shown
// at each of its moments.

export default { render({ model, el }) {
  const data = model.get("data"), { engines, fits, graphs, runs, words } = data, names = Object.keys(engines), frame = new Frame({ model, el }, ["engine", "graph", "step"], data);
  const runOf = ({ engine, graph }) => runs[`${engine} on ${graph}`], lastOf = (state) => runOf(state).moments.length - 1, at = (state) => clamped(Math.round(state.step), 0, lastOf(state));
  let upright = false, asked = false;

  const go = (step, dragging) => { frame.set({ step: clamped(step, 0, lastOf(frame.state)) }, dragging); };
  frame.player("Play", () => 1300 * lastOf(frame.state), () => at(frame.state) / lastOf(frame.state), (part) => { const step = Math.round(part * lastOf(frame.state)); if (step !== frame.state.step) go(step, true); });
  const back = frame.button("Back", () => go(at(frame.state) - 1)), next = frame.button("Next", () => go(at(frame.state) + 1));
  const list = html("select", { onchange: () => { const engine = names[list.selectedIndex]; close(); frame.set({ engine, graph: fits[engine], step: 0 }); } }, ...names.map((name) => html("option", {}, name)));
  frame.bar.append(html("label", {}, "Engine ", list));
  const graph = html("select", { onchange: () => { close(); frame.set({ graph: graph.value, step: 0 }); } }, ...Object.keys(graphs).map((name) => html("option", {}, name)));
  if (Object.keys(graphs).length > 1) frame.menu.append(html("label", {}, "Graph ", graph));
  const predict = frame.button("Predict first", () => {
    const { ask, first } = runOf(frame.state);
    asked = true;
    frame.set({ step: 0 });
    frame.ask({ ...ask, question: filledIn(words.ask, { name: frame.state.engine }), otherwise: words.otherwise }, () => { asked = false; go(first ?? lastOf(frame.state)); });
  }, frame.menu);
  function close() { asked = false; frame.asking.hidden = true; }

  const plane = frame.panel("", 100, 100), finding = html("p", { class: "engine-finding", role: "status" }), caption = html("figcaption", {}), code = html("pre", { class: "engine-code", tabindex: 0 });
  frame.panels.append(html("figure", { class: "engine" }, finding, caption, code));
  frame.root.insertBefore(frame.said, frame.panels); // next to the graph, however high the panels are
  plane.drawn.prepend(wireHeads());

  // The lines of the engine: those that run, the one at fault, and what belongs there once that shows.
  function drawCode(engine, { fault }, { rows }, found) {
    const { lines, before, fix } = engines[engine], repaired = found && fix.length ? fix.map((line) => html("ins", {}, `+${line}  # ${words.fix}`)) : [];
    const shown = lines.map((line, k) => html("span", { class: `${rows.includes(k) ? "runs" : ""} ${found && k === fault ? "fault" : ""}` }, ` ${line}`));
    code.replaceChildren(...shown.slice(0, before), ...repaired, ...shown.slice(before));
  }

  frame.begin((state) => {
    const run = runOf(state), m = at(state), moment = run.moments[m], { nodes, edges, flows, text } = graphs[state.graph], { boxes, wires, width, height } = flows[Number(upright)], found = !asked && run.first !== null && m >= run.first;
    const along = run.moments.slice(0, m + 1).filter(({ step }) => step === moment.step).flatMap(({ sends }) => sends), sent = (list, edge) => list.some((one) => one[0] === edge[0] && one[1] === edge[1]);
    const hidden = asked ? (look) => (look === "wrong" ? "" : look) : (look) => look;
    list.selectedIndex = names.indexOf(state.engine); graph.value = state.graph;
    [back.disabled, next.disabled, predict.hidden] = [!m, m === lastOf(state), !run.ask];
    plane.figure.firstChild.textContent = text;
    plane.drawn.setAttribute("viewBox", `0 0 ${width} ${height + 10}`);
    Object.assign(plane.figure.style, { maxWidth: `${width}px`, flexBasis: `${width}px` });
    plane.ink.replaceChildren(...wires.map(({ forward }) => wireForward(forward.path)), ...wires.map((wire, use) => wireBack(wire.back.path, sent(along, edges[use]), sent(moment.sends, edges[use]) ? "pointed" : "")),
      ...wires.map(({ spot: [x, y] }, use) => written(x, y + 4, run.slopes[moment.step][use], "slope", "middle")),
      ...nodes.flatMap((node, i) => [...twinCard(boxes[i], node, run.values[moment.step][i], moment.cards[i] ?? "", hidden(moment.looks[i])),
        written(boxes[i][0], boxes[i][1] + CARD.high + 13, asked ? "" : moment.notes[i], moment.looks[i] === "wrong" ? "outcome" : "remark")]));
    caption.textContent = filledIn(words.code, { name: state.engine });
    drawCode(state.engine, run, moment, found);
    finding.textContent = found ? run.finding : "";
    finding.hidden = !found;
    return `${filledIn(words.moment, { m, last: lastOf(state) })} ${asked && m === lastOf(state) ? words.done : moment.said}`;
  });
  new ResizeObserver(() => {
    const [across, down] = graphs[frame.state.graph].flows, turned = across.width > frame.panels.clientWidth && down.width < across.width;
    if (turned !== upright) { upright = turned; frame.redraw(); }
  }).observe(frame.panels);
} };
