#!/usr/bin/python3
"""Runs Python snippets from standard input (JSON: [{name, code}]), each after SETUP in names of its own.

Where a snippet makes a `loader`, one batch is taken from it. Prints JSON: {name: traceback}.
"""

import json
import os
import sys
import tempfile
import traceback
import types
import warnings

warnings.filterwarnings("ignore", message="This DataLoader will create")


def run(name, setup, code):
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    exec(setup, module.__dict__)
    exec(compile(code, name, "exec"), module.__dict__)
    loader = getattr(module, "loader", None)
    if loader is not None:
        next(iter(loader))


def main():
    with open(sys.argv[1], encoding="utf8") as file:
        setup = compile(file.read(), sys.argv[1], "exec")
    failures = {}
    stdout, sys.stdout = sys.stdout, sys.stderr
    for snippet in json.load(sys.stdin):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                run(snippet["name"], setup, snippet["code"])
            except BaseException:
                failures[snippet["name"]] = traceback.format_exc()
            os.chdir("/")
    json.dump(failures, stdout)


main()
