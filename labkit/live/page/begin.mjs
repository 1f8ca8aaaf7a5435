// Starts Python. Where the runtime's folder has a memory image, Python is not started but goes on from there: its modules are
// imported. `labkit/live/image.py` makes the image, and says in the lock file (`at_once`) what belongs to it.

const SITE = "/lib/python3.12/site-packages/";
const MADE = 1e12; // when all files were made, in ms: what was compiled of them stays valid

// Python in this worker; `runtime` is the address of the runtime's folder and ends in a slash.
export async function begun(runtime) {
  const { at_once: kept } = await (await fetch(`${runtime}pyodide-lock.json`)).json();
  if (!kept) return begin(runtime, { packages: ["labkit"] });
  unzipCode(runtime, kept.code);
  const files = unzipped(runtime + kept.files);
  if (kept.memory) {
    try {
      return await begin(runtime, {}, { ...kept, files, memory: unzipped(runtime + kept.memory) });
    } catch (error) {
      console.warn(`the memory image cannot be used here, so Python starts anew: ${error}`);
    }
  }
  return begin(runtime, {}, { files, libraries: [] });
}

// Python with Pyodide's own `options`, and with `files` of packages (a promise of their bytes). `libraries`: those of them that
// are loaded before anything else, so that they lie in `memory` where they lay when that was kept; `table` is how many functions
// there were then.
export async function begin(runtime, options, { files, memory, libraries, table } = {}) {
  for (const own of ["Suspending", "promising", "Function"]) delete WebAssembly[own]; // not every browser has them, nor Node
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  if (!files) return loadPyodide({ indexURL: runtime, ...options });
  await import(`${runtime}pyodide.asm.js`);
  const create = globalThis._createPyodideModule;
  const failed = new Promise((_, reject) => {
    globalThis._createPyodideModule = (settings) => {
      globalThis._createPyodideModule = create;
      settings.preRun.push((module) => {
        module.addRunDependency("packages");
        prepare(module, files, libraries, table).then(() => module.removeRunDependency("packages"), reject);
      });
      return create(settings);
    };
  });
  const python = loadPyodide({ indexURL: runtime, ...options, ...(memory && { _loadSnapshot: memory }) });
  return Promise.race([python, failed]);
}

async function prepare(module, files, libraries, table) {
  const { FS, API, wasmTable } = module, { restoreSnapshot } = API;
  lay(FS, await files);
  wasmTable.grow(-wasmTable.length & 63); // where the libraries' functions begin: the browsers differ by one or two before
  for (const name of libraries) {
    await module.loadDynamicLibrary(SITE + name, { loadAsync: true, nodelete: true, global: false, allowUndefined: true, fs: FS }, {});
  }
  const length = wasmTable.length, fresh = freshMemory(module);
  if (table && length !== table) throw new Error(`there are ${length} compiled functions here, and ${table} where it was made`);
  module.atFirst = { table: length, fresh };
  API.restoreSnapshot = (image) => {
    differ(image.subarray(new Uint32Array(image.buffer, image.byteOffset, 2)[1]), fresh);
    const state = restoreSnapshot(image);
    module.HEAP32[counter(module) >> 2] = module._PyEM_CountArgsPtr;
    return state;
  };
}

// One number in memory is each browser's own: which function counts the arguments of a function.
function counter({ HEAP32, __PyRuntime: runtime, __PyEM_EMSCRIPTEN_COUNT_ARGS_OFFSET: offset }) {
  return runtime + HEAP32[offset >> 2];
}

// What memory holds once the compiled code is loaded, before any of it has run: the image is kept as what differs from it.
function freshMemory(module) {
  const fresh = module.HEAPU8.slice(0, module.GOT.__heap_base.value);
  new Int32Array(fresh.buffer)[counter(module) >> 2] = 0;
  return fresh;
}

// What of `memory` differs from `fresh`, in place; done once more, it is as it was.
export function differ(memory, fresh) {
  const words = new Int32Array(memory.buffer, memory.byteOffset), first = new Int32Array(fresh.buffer);
  for (let i = 0; i < first.length; i++) words[i] ^= first[i];
}

// The files of `packages.bin`: the length of a list of [name, length], the list as JSON, then the files.
function lay(FS, bytes) {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), folders = new Set();
  let at = 4 + size;
  for (const [name, length] of JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)))) {
    const path = SITE + name, folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, bytes.subarray(at, at + length), { canOwn: true });
    FS.utime(path, MADE, MADE);
    at += length;
  }
}

async function stream(address) {
  const got = await fetch(address);
  if (!got.ok) throw new Error(`${address} cannot be loaded`);
  return got.body.pipeThrough(new DecompressionStream("gzip"));
}

async function unzipped(address) { return new Uint8Array(await new Response(await stream(address)).arrayBuffer()); }

// Pyodide asks for its compiled code by a name of its own; what it gets is the compressed file.
function unzipCode(runtime, file) {
  const { fetch } = globalThis, headers = { "content-type": "application/wasm" };
  globalThis.fetch = async (asked, ...more) => {
    if (!String(asked).endsWith("pyodide.asm.wasm")) return fetch(asked, ...more);
    return new Response(await stream(runtime + file), { headers });
  };
}
