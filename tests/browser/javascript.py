"""Functions of the page's JavaScript, called from Python."""

import atexit
import json
import subprocess
from functools import cache

from playwright._impl._driver import compute_driver_executable

from labkit.widgets.kit.module import module

ANSWERS = """
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", line => {
  const {code, given} = JSON.parse(line);
  let answer;
  try { answer = {value: (0, eval)(`(${code})`)(...given)}; } catch (error) { answer = {error: String(error)}; }
  console.log(JSON.stringify(answer));
});
"""


def call(function: str, *arguments):
    """What a JavaScript function (its source) returns for arguments, all plain data; it is called in Node."""
    node = engine()
    node.stdin.write(json.dumps({"code": function, "given": arguments}) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    assert "error" not in answer, answer["error"]
    return answer["value"]


def in_page(lab, expression: str, *given):
    """What a function (its source) of `data, ...given` returns in the module of a lab that computes in the page."""
    code = module(lab.path).replace("export default", "const lab =")
    return call(f"(data, ...given) => {{ {code}\nreturn ({expression})(data, ...given); }}", lab.data, *given)


@cache
def engine() -> subprocess.Popen:
    """The Node of Playwright, asked line by line until the tests end."""
    found, _ = compute_driver_executable()
    node = subprocess.Popen([found, "-e", ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(node.communicate)
    return node
