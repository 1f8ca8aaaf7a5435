// Python in a worker: it says how far it has come, then answers each message with the same `id`.

self.onmessage = async ({ data }) => {
  self.onmessage = null;
  const runtime = `${data.runtime.replace(/\/$/, "")}/`;
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  self.postMessage({ stage: "Python" });
  const python = await loadPyodide({ indexURL: runtime, packages: ["labkit"] });
  const answer = python.runPython(`
import json
from labkit.widgets.playground import Session
session = Session()
lambda text: json.dumps(session.answer(json.loads(text)))
`);
  self.onmessage = ({ data: { id, message } }) => self.postMessage({ id, answer: JSON.parse(answer(JSON.stringify(message))) });
  self.postMessage({ ready: true });
};
