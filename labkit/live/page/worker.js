// The worker of a page: Pyodide with labkit. It is told { start } once, then what `labkit/live/kernel.py` understands.

let answer;

function fetched(address) { // at once: Python waits for a module that it imports
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${address} cannot be loaded`);
  return request.response;
}

async function start({ runtime, record, exercises }) {
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  const lock = fetch(`${runtime}pyodide-lock.json`).then((got) => got.text());
  const python = await loadPyodide({ indexURL: runtime, packages: ["labkit"] });
  const kernel = python.pyimport("labkit.live.kernel");
  const post = (text) => postMessage(text);
  answer = kernel.start(post, (file) => fetched(runtime + file), await lock, record, python.toPy(exercises));
  postMessage(JSON.stringify({ type: "ready" }));
}

onmessage = async ({ data }) => {
  try {
    if (data.start) await start(data.start);
    else answer(data.say);
  } catch (error) {
    postMessage(JSON.stringify({ type: "failed", text: String(error.message || error) }));
  }
};
