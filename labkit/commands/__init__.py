"""The commands of `labkit`, one module each.

A module has `add_parser(commands)`, which adds its parser and sets `run`, a function of the parsed arguments that returns
the exit status. A command whose other options go elsewhere sets `passed_on`, too. What a command needs is imported when it
is run: `labkit --help` loads none of it.
"""
