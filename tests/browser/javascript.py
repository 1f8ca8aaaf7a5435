"""Functions of the page's JavaScript, called from Python."""

import json
import shutil
import subprocess

import chromium
import pytest

IN_NODE = "process.stdout.write(JSON.stringify(({})(...JSON.parse(require('fs').readFileSync(0)))))"


def call(function: str, *arguments):
    """What a JavaScript function (its source) returns for arguments, all plain data. Runs in Node, else in Chromium."""
    node = shutil.which("node")
    if node:
        done = subprocess.run(
            [node, "-e", IN_NODE.replace("{}", function, 1)],
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    if chromium.missing():
        pytest.skip(f"no Node, and {chromium.missing()}")
    with chromium.browser() as browser:
        return json.loads(browser.new_page().evaluate(f"a => JSON.stringify(({function})(...a))", list(arguments)))
