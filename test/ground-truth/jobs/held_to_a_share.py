#!/usr/bin/python3
"""Somebody holds the job to a share of a CPU as cpulimit does: it is stopped and let go on, ten times a second.

With --fixed it is left alone.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of


def main():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "job.part"), "w", encoding="utf8") as file:
        file.write(str(os.getpid()))
    os.rename(file.name, file.name.removesuffix(".part"))
    loop = Loop("stopped", ["cpulimit"], "step", step_s=0.01)
    loop.verdicts = ["host-bound", "balanced", "input-bound"]
    for batch in loop.batches(loader_of(Items(8000, 4096), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
