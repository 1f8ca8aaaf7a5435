// The memory curve. data: {layers, run, back, last, runs, words}; runs: moments as words, without and with retain_graph, by number of checkpoints.

const KINDS = { s: "start", f: "forward", t: "turn", a: "again", b: "back", e: "end" };

// The moments of a run: what was done to a layer, when it was done, and how many copies of each result are held then.
function momentsOf({ layers, run, back }, words) {
  const held = Array(layers).fill(0);
  let time = 0;
  return words.split(" ").map((word) => {
    const [, kind, layer, signs] = /^(\w)(\d+)(.*)$/.exec(word);
    time += { f: run, a: run, b: back }[kind] || 0;
    for (const [, sign, k] of signs.matchAll(/([+-])(\d+)/g)) held[k] += sign === "+" ? 1 : -1;
    return { kind: KINDS[kind], layer: Number(layer), time, held: [...held], count: held.reduce((a, b) => a + b) };
  });
}

const runOf = (data, checkpoints, retain) => momentsOf(data, data.runs[Number(retain)][Math.round(checkpoints)]);
const mostOf = (run) => Math.max(...run.map(({ count }) => count));
function momentAt(run, time) {
  const ends = (run.find((moment) => moment.time >= time) || run.at(-1)).time;
  return run.findLast((moment) => moment.time === ends);
}

function sentenceOf(data, { time, checkpoints, retain }) {
  const { words, layers } = data, count = Math.round(checkpoints), [run, plain] = [count, 0].map((k) => runOf(data, k, retain)), moment = momentAt(run, time), least = Math.floor(layers / Math.max(count, 1));
  const keys = moment.kind === "end" ? [count ? "price" : "plain", moment.count === 1 ? "output" : count ? "ends" : "all"] : [!count ? "none" : layers % count ? "unlike" : "alike", ...(retain ? ["retain"] : []), moment.kind, "held"];
  const given = { count, least, more: least + 1, time: moment.time, layer: moment.layer + 1, held: moment.count, most: mostOf(run), plain: mostOf(plain), slower: digits(100 * (run.at(-1).time / plain.at(-1).time - 1), 2) };
  return keys.map((key) => filledIn(words[key], given)).join(" ");
}

// The two questions: how many results are held when all layers have run, and how many at the worst moment.
function questionAt(data, { checkpoints, retain }, second) {
  const { words, layers } = data, count = Math.round(checkpoints), run = runOf(data, count, retain), held = momentAt(run, layers).count, again = count && Math.ceil(layers / count);
  const right = second ? filledIn(words[count ? "worst" : "worst 0"], { count: held, again }) : words[`turn ${count > 1 ? "more" : count}`];
  const slips = second ? [[held, "worst held"], [again, "worst again"], [layers, "turn all"]] : [[layers, "turn all"], [held - 1, "turn fewer"], [held + 1, "turn x"]];
  return { question: second ? filledIn(words["ask worst"], { held }) : words["ask turn"], answer: second ? mostOf(run) : held, tolerance: 0, right, otherwise: filledIn(words.otherwise, { right }),
    slips: slips.map(([value, name]) => [value, words[name]]) };
}

export default { render({ model, el }) {
  const data = model.get("data"), { layers, last, words } = data, frame = new Frame({ model, el }, ["time", "checkpoints", "retain"], data);
  const X = axis(0, last, 34, 418), Y = axis(0, layers + 4, 270, 90), K = axis(0, layers, 40, 404), P = axis(0, layers + 4, 200, 20), box = (X.end - X.start) / layers;
  const every = data.runs.map((runs) => runs.map((words) => momentsOf(data, words))); // by retain_graph and number of checkpoints
  frame.player("Play", 7000, () => frame.state.time / last, (part) => frame.set({ time: last * part }, true));
  frame.toggle("retain_graph=True", "retain");
  const question = (second) => ({ ...questionAt(data, frame.state, second), from: { time: layers - 1 + second }, to: { time: second ? last : layers }, next: second ? undefined : () => question(1) });
  frame.predict(() => question(0));

  const curve = frame.panel(words["drag time"], 432, 308), peaks = frame.panel(words["drag count"], 432, 308);
  const nowOf = ({ time, checkpoints, retain }) => { const run = every[Number(retain)][Math.round(checkpoints)]; return { run, time: Math.min(time, run.at(-1).time), moment: momentAt(run, time) }; };
  frame.dial(curve, "Time", "time", [0, last], { at: (state) => { const { time, moment } = nowOf(state); return [X(time), Y(moment.count)]; }, from: (x) => X.inverse(x), step: 1, area: [34, 90, 418, 270] });
  frame.dial(peaks, "Number of checkpoints", "checkpoints", [0, layers], { at: ({ checkpoints }) => [K(checkpoints), P.start], from: (x) => K.inverse(x), step: 1, whole: true, area: [40, 20, 404, 200] });

  const steps = (run) => run.flatMap(({ time, count }, i) => [...(i ? [[X(run[i - 1].time), Y(count)]] : []), [X(time), Y(count)]]);
  frame.begin((state) => {
    const { run, time, moment } = nowOf(state), count = Math.round(state.checkpoints), [plain, ...others] = every[Number(state.retain)], most = mostOf(run), top = run.find((one) => one.count === most);
    const cuts = count ? Array.from({ length: count + 1 }, (_, k) => Math.floor((layers * k) / count)) : [], way = { forward: 1, again: 1, back: -1, end: -1 }[moment.kind] || 0, head = X.start + (moment.layer + 0.5) * box;
    const whole = (one, role) => svg("path", { class: role, d: through(steps(one)) }), shown = [...(count ? [whole(plain, "lab-rim")] : []), whole(run, "lab-saved")];
    curve.ink.replaceChildren(...moment.held.flatMap((copies, k) => [svg("rect", { class: copies ? (k < layers - 1 ? "lab-held" : "lab-output") : "lab-free", x: X.start + k * box + 2, y: 20, width: box - 4, height: 22, rx: 3 }),
      written(X.start + (k + 0.5) * box, 58, `${k + 1}`, "note", "middle"), copies > 1 ? written(X.start + (k + 0.5) * box, 36, `${copies}`, "word", "middle") : ""]),
      ...cuts.map((k) => svg("path", { class: "lab-rim", d: `M${X.start + k * box} 12l0 36` })), way ? svg("path", { class: `lab-${way > 0 ? "fwd" : "bwd"} lab-head`, d: `M${head + 6 * way} 9l${-10 * way} -6l0 12Z` }) : "",
      svg("rect", { class: "lab-area", x: 34, y: 90, width: 384, height: 180 }), ...leftOf(Y, 29, 418, [0, 4, 8, 12, 16]), ...below(X, 286, [0, 16, 32, 48, 64]), svg("path", { class: "lab-rim", d: `M${X(layers)} 84L${X(layers)} 270` }),
      written(X(layers) - 6, 82, "forward pass", "note", "end"), written(X(layers) + 6, 82, "backward pass", "note"), written(418, 303, "time", "note", "end"),
      ...(frame.asked ? [] : [svg("g", { opacity: 0.35 }, ...shown.map((one) => one.cloneNode()))]), svg("svg", { x: 0, y: 0, width: X(time) + 1.5, height: 308 }, ...shown),
      ...(count ? [svg("path", { class: "lab-rim", d: "M34 300l26 0" }), written(66, 304, "no checkpoint", "note")] : []),
      ...(frame.asked ? [] : [svg("circle", { class: "lab-saved", cx: X(top.time), cy: Y(most), r: 6 }), written(clamped(X(top.time), 76, 376), Y(most) - 12, `the most: ${most}`, "savedword", "middle")]));
    const found = others.map(mostOf), least = Math.min(...found), at = found.indexOf(least) + 1, times = [plain, others[0]].map((one) => one.at(-1).time);
    peaks.ink.replaceChildren(svg("rect", { class: "lab-area", x: 40, y: 20, width: 364, height: 180 }), ...leftOf(P, 35, 404, [0, 4, 8, 12, 16]), ...below(K, 224, [0, 1, 2, 4, 8, 12, 16], (k) => (k ? `${k}` : "none")),
      ...(frame.asked ? [] : [svg("path", { class: "lab-rim", d: `M40 ${P(mostOf(plain))}L404 ${P(mostOf(plain))}` }), written(222, P(mostOf(plain)) - 6, `no checkpoint: ${mostOf(plain)}`, "note", "middle"),
        svg("path", { class: "lab-saved", d: through(found.map((value, i) => [K(i + 1), P(value)])) }), ...found.map((value, i) => svg("circle", { class: "lab-saveddot", cx: K(i + 1), cy: P(value), r: 3 })),
        svg("path", { class: "lab-saved", d: `M${K(state.checkpoints)} ${P.start}L${K(count)} ${P(most)}` }), svg("circle", { class: "lab-saveddot", cx: K(count), cy: P(most), r: 6 }),
        written(clamped(K(count) + 12, 40, 380), P(most) + (count === at ? 20 : -8), `${most}`, "savedword"), count === at ? "" : written(K(at), P(least) + 20, `the least: ${least}`, "note", "middle"),
        ...times.flatMap((long, i) => [svg("rect", { style: `fill: var(--lk-forward); fill-opacity: ${i === Number(count > 0) ? 1 : 0.35}`, x: 40, y: 244 + 24 * i, width: 2.5 * long, height: 14 }),
          written(48 + 2.5 * long, 255 + 24 * i, `${i ? "any number" : "no checkpoint"}: time ${long}`, i === Number(count > 0) ? "word" : "note")])]));
    return sentenceOf(data, state);
  });
} };
