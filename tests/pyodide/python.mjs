// Run a script of Python under Pyodide, as `python SCRIPT ARGUMENTS` would:
//
//     node python.mjs RUNTIME SCRIPT [ARGUMENTS]
//
// RUNTIME is a folder that `labkit.live.runtime` has filled. The script sees this machine's files below /machine, and imports
// labkit from this clone. Its standard output is this process's, and an exception ends it with 1.
import { pathToFileURL } from "node:url";
import path from "node:path";

const PACKAGES = ["numpy", "autograd", "matplotlib", "ipython", "ipywidgets", "anywidget", "tqdm"];
const ROOT = path.resolve(import.meta.dirname, "../..");

const [runtime, script, ...given] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")));
const python = await loadPyodide({
  indexURL: runtime, packages: PACKAGES,
  stdout: (line) => process.stdout.write(`${line}\n`), stderr: (line) => process.stderr.write(`${line}\n`),
});
python.FS.mkdirTree("/machine");
python.FS.mount(python.FS.filesystems.NODEFS, { root: "/" }, "/machine");
const seen = (file) => path.posix.join("/machine", path.resolve(file));
python.globals.set("given", python.toPy([seen(script), ...given]));
try {
  await python.runPythonAsync(`
import runpy, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "/machine${ROOT}")
sys.argv = list(given)
runpy.run_path(sys.argv[0], run_name="__main__")
`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
