"""Run the code cells of a notebook as a kernel does, and write what each shows; runs under the browser's Python as well.

python cells.py NOTEBOOK OUT

NOTEBOOK and OUT are files; OUT is the notebook with the outputs of this run.
"""

import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import TextIOBase

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

shown: list = []  # the outputs of the running cell


class Stream(TextIOBase):
    def __init__(self, name):
        self.name = name

    def write(self, text):
        last = shown[-1] if shown else {}
        if last.get("name") == self.name:
            last["text"] += text
        elif text:
            shown.append({"output_type": "stream", "name": self.name, "text": text})
        return len(text)


class Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, **_):
        shown.append({"output_type": "display_data", "data": dict(data), "metadata": dict(metadata or {})})


class Hook(DisplayHook):
    def quiet(self):
        return False

    def __call__(self, result=None):
        if result is not None:
            self.update_user_ns(result)
            data, metadata = self.shell.display_formatter.format(result)
            if data:
                count = self.shell.execution_count
                shown.append(
                    {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": metadata}
                )


class Compiler(CachingCompiler):
    def get_code_name(self, raw_code, transformed_code, number):
        return f"/tmp/ipykernel_1/{number}.py"  # as a notebook's kernel calls its cells


class Shell(InteractiveShell):
    display_pub_class, displayhook_class, compiler_class = Publisher, Hook, Compiler
    kernel = True  # what tells a notebook from a terminal

    def _showtraceback(self, kind, value, lines):
        shown.append({"output_type": "error", "ename": kind.__name__, "evalue": str(value), "traceback": lines})

    def enable_gui(self, gui=None):
        """A notebook has no event loop of its own."""


def main(notebook, out):
    with open(notebook, encoding="utf-8") as file:
        held = json.load(file)
    os.chdir(os.path.dirname(notebook))
    os.environ["LABKIT_HOME"] = os.path.join(os.devnull, "labkit")  # nobody's answers
    shell = Shell.instance(colors="NoColor")
    for cell in held["cells"]:
        if cell["cell_type"] == "code":
            with redirect_stdout(Stream("stdout")), redirect_stderr(Stream("stderr")):
                shell.run_cell("".join(cell["source"]), store_history=True)
            cell["outputs"] = shown[:]
            shown.clear()
    with open(out, "w", encoding="utf-8") as file:
        json.dump(held, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
