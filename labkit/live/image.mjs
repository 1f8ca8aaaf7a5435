// Makes the memory image of a runtime's folder: `node image.mjs FOLDER` reads `packages.bin`, writes `memory.bin`, and prints
// the compiled libraries that belong to it and how many functions there are with them, as JSON.
//
// Python is started twice: first to see which libraries it loads and to compile its modules, then with these in place
// from the start, where they are found again by who loads the image.

import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { pathToFileURL } from "node:url";
import path from "node:path";

process.on("uncaughtException", (error) => { // by itself, Node would print Pyodide's one long line
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

const folder = path.resolve(process.argv[2]), SITE = "/lib/python3.12/site-packages/", PAGE = 65536;
const { begin, differ } = await import(pathToFileURL(path.join(folder, "begin.mjs")));
const packages = gunzipSync(readFileSync(path.join(folder, "packages.bin")));

async function warm(libraries, compiled) {
  const quiet = { stdout: () => {}, stderr: (text) => process.stderr.write(`${text}\n`) };
  const python = await begin(`${folder}/`, { _makeSnapshot: true, ...quiet }, { files: packages.slice(), libraries });
  for (const [name, bytes] of compiled) {
    python.FS.mkdirTree(path.posix.dirname(name));
    python.FS.writeFile(name, bytes);
  }
  python.runPython(`
import sys
sys.dont_write_bytecode = False
import labkit.live.kernel
labkit.live.kernel.standins.install_anywidget()
from labkit.live import warm
warm.warm()
sys.dont_write_bytecode = True
del warm
`);
  return python;
}

function* bytecode(FS, place) {
  for (const name of FS.readdir(place).filter((one) => one !== "." && one !== "..")) {
    const path = `${place}${name}`;
    if (FS.isDir(FS.stat(path).mode)) yield* bytecode(FS, `${path}/`);
    else if (name.endsWith(".pyc")) yield [path, FS.readFile(path)];
  }
}

// What was freed still holds what was there. Once it is zero, it weighs nothing.
function clear(module) {
  const end = module._sbrk(0), held = [];
  for (let size = 1 << 20; size >= 16; size >>= 1) {
    for (;;) {
      const place = module._PyMem_RawMalloc(size);
      held.push(place);
      if (place + size > end) break;
      module.HEAPU8.fill(0, place, place + size);
    }
  }
  held.forEach((place) => module._free(place));
}

const first = await warm([], []);
const loaded = Object.keys(first._module.LDSO.loadedLibsByName).filter((name) => name.startsWith(SITE));
const libraries = loaded.map((name) => name.slice(SITE.length));
const python = await warm(libraries, [...bytecode(first.FS, SITE)]);
clear(python._module);
for (const name of Object.keys(python.loadedPackages)) delete python.loadedPackages[name];
const snapshot = python.makeMemorySnapshot();
const head = snapshot.length - python._module.HEAPU8.length;
const { table, fresh } = python._module.atFirst;
differ(snapshot.subarray(head), fresh);
const used = head + Math.ceil(python._module._sbrk(0) / PAGE) * PAGE;
writeFileSync(path.join(folder, "memory.bin"), gzipSync(snapshot.subarray(0, used), { level: 9 }));
process.stdout.write(JSON.stringify({ libraries, table }));
