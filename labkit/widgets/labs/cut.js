// Cut an edge. data: {nodes, uses, paths, cuts, runs, flows, program, start, notice, words} of `cut.py`: a number is at a place of the program,
// or is in a list; `runs` has the texts of every run of arrays.

const NARROW = 330, TRACK = 38, BARS = axis(0, 1, 268, 408); // px: the least width of a graph with tracks, and the height of each
const short = (value) => digits(value, 3);
const bracketed = (words) => (words.startsWith("−") ? `(${words})` : words);
const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]);

// Values, local gradients and gradients with a cut. `said` has the gradients as sentences have them: 0 where there is no path.
function runOf(data, { cut, inputs }) {
  const { nodes, uses, program, start, runs } = data, k = Math.max(data.cuts.indexOf(cut), 0);
  if (runs) return { ...runs[k], values: nodes.map(({ value }) => value), results: nodes.map((node) => node.said), slopes: uses.map(({ slope }) => slope) };
  const numbers = program.inputs.map((name, i) => inputs[name] ?? start[i]), alive = uses.map(() => false);
  for (const line of program.lines) numbers.push(resultOf(line, numbers));
  const worth = ({ at }) => (Array.isArray(at) ? asNumber(at[0]) : at === null ? null : numbers[at]), factors = uses.map(worth), needs = nodes.map(({ leaf }) => leaf);
  uses.forEach(({ node, parent }, use) => { if (use !== k - 1 && factors[use] !== null && needs[parent]) needs[node] = true; }); // in the order they ran
  const sums = nodes.map(({ seed }, i) => (needs[i] ? seed : null));
  for (let i = nodes.length - 1; i >= 0; i--) {
    uses.forEach(({ node, parent }, use) => {
      if (node !== i || use === k - 1 || factors[use] === null || sums[i] === null || !needs[parent]) return;
      alive[use] = true;
      sums[parent] = (sums[parent] ?? 0) + sums[i] * factors[use];
    });
  }
  const values = nodes.map((node) => short(worth(node))), said = sums.map((sum) => short(sum ?? 0));
  return { values, results: values, slopes: factors.map((one) => (one === null ? "" : short(one))), cards: sums.map((sum, i) => (sum === null ? null : said[i])), alive, said, sums, factors };
}

function sentenceOf(data, state) {
  const { words, nodes, paths, cuts } = data, run = runOf(data, state), before = runOf(data, { ...state, cut: cuts[0] }), stop = cuts.indexOf(state.cut) - 1;
  const values = listed(nodes.flatMap(({ output, called }, i) => (output ? [`${called} = ${run.results[i]}`] : []))), leaves = nodes.flatMap(({ leaf }, i) => (leaf ? [i] : []));
  if (stop < 0) return filledIn(words.nothing, { values, gradients: listed(leaves.map((i) => `${nodes[i].gradient} = ${run.said[i]}`)) });
  const changed = leaves.filter((i) => run.said[i] !== before.said[i]), [only] = changed, all = paths.filter(({ leaf }) => leaf === only);
  const parts = changed.map((i) => filledIn(words[run.cards[i] === null ? "none" : "changed"], { leaf: nodes[i].title, name: nodes[i].gradient, now: run.said[i], before: before.said[i] }));
  if (changed.length === 1 && run.cards[only] !== null && all.length) parts.push(filledIn(words.left, { leaf: nodes[only].title, count: all.filter((path) => !path.uses.includes(stop)).length, all: all.length }));
  return [...(parts.length ? parts : [words.same]), filledIn(words.values, { values })].join(" ");
}

// The paths to each input: what each adds to the sum, where it begins there, and the product in words.
function sumsOf({ nodes, uses, paths, cuts, words }, cut, { factors }) {
  const stop = cuts.indexOf(cut) - 1, groups = [];
  for (const path of paths) {
    if (groups.at(-1)?.leaf !== path.leaf) groups.push({ leaf: path.leaf, parts: [], sum: 0 });
    const group = groups.at(-1), open = !path.uses.includes(stop), along = factors && path.uses.map((use) => factors[use]), seed = nodes[uses[path.uses.at(-1)].node].seed;
    const product = along && (along.includes(null) ? null : along.reduce((all, one) => all * one, seed)), value = (open && product) || 0;
    const said = !along ? path.said : product === null ? "open" : along.length === 1 ? short(product) : `${along.map((one, i) => (i ? bracketed(short(one)) : short(one))).join(" × ")} = ${short(product)}`;
    group.parts.push({ ...path, open, from: group.sum, value, said: open ? said : words.detached });
    group.sum += value;
  }
  return groups;
}

// The question about a cut: what becomes of the first gradient that changes; undefined where that is no single number.
function questionAt(data, state) {
  const { words, nodes, cuts } = data, [before, run] = [{ ...state, cut: cuts[0] }, state].map((at) => runOf(data, at));
  const leaf = run.sums ? nodes.findIndex((node, i) => node.leaf && Number.isFinite(before.sums[i]) && before.said[i] !== run.said[i]) : -1;
  if (leaf < 0) return undefined;
  const was = before.sums[leaf], now = run.sums[leaf] ?? 0, said = { cut: state.cut, leaf: nodes[leaf].title, before: short(was), now: short(now) };
  const slips = [[was, "before slip"], [was - now, "part slip"], [0, "zero slip"]].filter(([value]) => Math.abs(value - now) > 0.03 * Math.abs(now));
  return { question: filledIn(words.ask, said), answer: now, tolerance: 0.02, right: filledIn(words.right, said), slips: slips.map(([value, name]) => [value, words[name]]), otherwise: words.otherwise };
}

export default { render({ model, el }) {
  const data = model.get("data"), { nodes, uses, cuts, flows, words, start, program } = data, frame = new Frame({ model, el }, ["cut", "inputs"], data);
  let upright = false, next = 0;
  frame.predict((state) => {
    const at = uses.map((_, i) => 1 + ((next + i) % uses.length)).find((k) => questionAt(data, { ...state, cut: cuts[k] }));
    if (!at) return null;
    next = at;
    return { ...questionAt(data, { ...state, cut: cuts[at] }), from: { cut: cuts[at] } };
  });
  if (program.inputs.length) frame.button("Start values", () => frame.set({ inputs: {} }), frame.menu);
  const notice = html("p", { class: "lab-goal" }, data.notice), plane = frame.panel(program.inputs.length ? words.drag : words.graph, 100, 100), groups = sumsOf(data, cuts[0], {});
  const sums = groups.length ? frame.panel(words.paths, 420, groups.reduce((sum, { parts }) => sum + 34 + 38 * parts.length, 4)) : undefined;
  plane.drawn.prepend(wireHeads());
  for (const node of [frame.said, notice]) frame.root.insertBefore(node, frame.panels); // next to the graph, however high the panels are

  function scissors(use, [x, y], slope) {
    const label = cuts[use + 1], said = filledIn(words.detach, { edge: label }), cut = frame.state.cut === label, act = () => frame.set({ cut: cut ? cuts[0] : label });
    return [written(x, y - 17, slope && `×${bracketed(slope)}`, "slope", "middle"),
      svg("g", { class: `cut-scissors ${cut ? "cut" : ""}`, transform: `translate(${x} ${y})`, role: "button", tabindex: 0, "aria-pressed": String(cut), "aria-label": said, "data-key": label, onclick: act,
        onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } } },
      svg("title", {}, said), svg("circle", { r: 13 }), svg("circle", { r: 19, class: "cut-reach" }), svg("path", { d: "M-3.5 -3L7 5M-3.5 3L7 -5" }), svg("circle", { cx: -6, cy: -4.5, r: 2.6 }), svg("circle", { cx: -6, cy: 4.5, r: 2.6 }))];
  }

  const room = () => Math.max(flows[Number(upright)].width, program.inputs.length && NARROW);
  const tracks = frame.tracks(plane, program.inputs, start, (k) => [90, Math.min(room() - 20, 460), flows[Number(upright)].height + 20 + TRACK * k]);

  // Each gradient as a sum: bars one after the other; a path that is pointed at is drawn broad in the graph.
  function drawSums({ cut }, run) {
    const ends = sumsOf(data, cuts[0], run).flatMap(({ parts }) => [1, -1].map((sign) => sign * parts.reduce((all, { value }) => all + (Number.isFinite(value) ? Math.max(sign * value, 0) : 0), 0)));
    const across = axis(Math.min(0, ...ends), Math.max(0, ...ends) || 1, BARS.start, BARS.end), shown = run.factors && !frame.asked;
    const bar = (from, to, y, role) => (shown && [from, to].every(Number.isFinite) && from !== to ? [svg("rect", { class: role, x: Math.min(across(from), across(to)), y, width: Math.abs(across(to) - across(from)), height: 12 })] : []);
    const point = (path) => () => plane.ink.querySelectorAll(".lab-back").forEach((one, use) => one.classList.toggle("pointed", path.includes(use)));
    let y = 4;
    sums.ink.replaceChildren(...sumsOf(data, cut, run).flatMap(({ leaf, parts, sum }) => {
      const top = y;
      y += 34 + 38 * parts.length;
      return [written(8, top + 14, `${nodes[leaf].gradient} = ${frame.asked ? "?" : run.said[leaf]}`, "name"), ...bar(0, sum, top + 4, "cut-sum"), ...(run.factors ? [svg("path", { class: "lab-other", d: `M${across(0)} ${top}L${across(0)} ${y - 6}` })] : []),
        ...parts.map(({ words: name, uses: path, open, said, from, value }, i) => {
          const at = top + 26 + 38 * i, words = frame.asked ? "?" : said;
          return svg("g", { class: open ? "cut-path" : "cut-path cut", tabindex: 0, role: "img", "aria-label": `path ${name}: ${words}`, "data-key": name, onpointerenter: point(path), onpointerleave: point([]), onfocus: point(path), onblur: point([]) },
            svg("rect", { class: "cut-row", x: 4, y: at - 2, width: 412, height: 36 }), written(20, at + 12, name, "word"), written(20, at + 28, words, "note"), ...bar(from, from + value, at + 10, "cut-part"));
        })];
    }));
  }

  frame.begin((state) => {
    const { wires, height } = flows[Number(upright)], run = runOf(data, state), focus = frame.root.contains(document.activeElement) && document.activeElement.dataset?.key;
    notice.hidden = !data.notice || Object.keys(state.inputs).length > 0;
    plane.drawn.setAttribute("viewBox", `0 0 ${room()} ${height + TRACK * program.inputs.length}`);
    Object.assign(plane.figure.style, { maxWidth: `${1.15 * room()}px`, flexBasis: `${room()}px` });
    const card = (node, i) => twinCard(flows[Number(upright)].boxes[i], node, run.values[i], run.cards[i] === null ? words["no path"] : frame.asked ? "?" : run.cards[i], run.cards[i] === null ? "none" : "");
    plane.ink.replaceChildren(...wires.map(({ forward }) => wireForward(forward.path)), ...wires.map(({ back }, use) => wireBack(back.path, run.alive[use])), ...nodes.flatMap(card), ...wires.flatMap(({ spot }, use) => scissors(use, spot, run.slopes[use])), ...tracks(state));
    if (sums) drawSums(state, run);
    if (focus) frame.panels.querySelector(`[data-key="${focus}"]`)?.focus({ preventScroll: true });
    return sentenceOf(data, state);
  });
  new ResizeObserver(() => {
    const turned = flows[0].width > frame.panels.clientWidth && flows[1].width < flows[0].width;
    if (turned !== upright) { upright = turned; frame.redraw(); }
  }).observe(frame.panels);
} };
