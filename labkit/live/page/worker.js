// The worker of a page: Pyodide with labkit. It is told { start } once, then what `labkit/live/kernel.py` understands.

const QUIET = { messageCallback() {}, errorCallback() {} };
let answer, python, turn = Promise.resolve();

async function start({ runtime, packages, record, exercises }) {
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  python = await loadPyodide({ indexURL: runtime, packages });
  answer = python.pyimport("labkit.live.kernel").start((text) => postMessage(text), record, python.toPy(exercises));
  postMessage(JSON.stringify({ type: "ready" }));
}

async function say(text) {
  const { run } = JSON.parse(text);
  if (run) await python.loadPackagesFromImports(run, QUIET).catch(() => {}); // Python names what it does not find, and mistakes
  answer(text);
}

onmessage = ({ data }) => {
  turn = turn.then(() => (data.start ? start(data.start) : say(data.say))).catch((error) => {
    postMessage(JSON.stringify({ type: "failed", text: String(error.message || error) }));
  });
};
