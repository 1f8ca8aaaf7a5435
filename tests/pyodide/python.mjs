// Run a script of Python under Pyodide, as `python SCRIPT ARGUMENTS` would:
//
//     node python.mjs RUNTIME BESIDE SCRIPT [ARGUMENTS]
//
// RUNTIME is a folder that `labkit.live.lay` has filled, BESIDE one with more packages, unpacked. The script sees this
// machine's files below /machine. Its output is this process's; an exception ends it with 1.
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, beside, script, ...given] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.resolve(runtime, "pyodide.mjs")));
const line = (stream) => (text) => stream.write(`${text}\n`);
const python = await loadPyodide({
  indexURL: path.resolve(runtime), packages: ["labkit", "matplotlib", "ipython"],
  stdout: line(process.stdout), stderr: line(process.stderr),
});
python.FS.mkdir("/machine");
python.FS.mount(python.FS.filesystems.NODEFS, { root: "/" }, "/machine");
const seen = (place) => `/machine${path.resolve(place)}`;
python.globals.set("given", python.toPy([seen(script), ...given]));
python.globals.set("beside", seen(beside));
try {
  await python.runPythonAsync(`
import runpy, sys
sys.dont_write_bytecode = True
sys.path.append(beside)
sys.argv = list(given)
runpy.run_path(sys.argv[0], run_name="__main__")
`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
