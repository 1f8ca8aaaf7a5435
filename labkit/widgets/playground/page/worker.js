// Python in a worker: it says how far it has come, then answers each message with the same `id`.

self.onmessage = async ({ data }) => {
  self.onmessage = null;
  const runtime = `${data.runtime.replace(/\/$/, "")}/`;
  const { begun } = await import(`${runtime}begin.mjs`);
  self.postMessage({ stage: "Python" });
  const python = await begun(runtime);
  const answer = python.runPython(`
import json
from labkit.live.warm import awake
from labkit.widgets.playground import Session
awake()
session = Session()
lambda text: json.dumps(session.answer(json.loads(text)))
`);
  self.onmessage = ({ data: { id, message } }) => self.postMessage({ id, answer: JSON.parse(answer(JSON.stringify(message))) });
  self.postMessage({ ready: true });
};
