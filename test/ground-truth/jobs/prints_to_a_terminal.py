#!/usr/bin/python3
"""The progress bar and each sample's loss are printed at every step, to a terminal at the end of a slow link.

With --fixed every 100th step.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

LINK = """import os, sys, time
while os.read(0, 1024): time.sleep(0.008)"""


def print_progress(terminal, step, losses):
    terminal.write("".join(f"step {step} sample {at} loss {loss:.4f}\n" for at, loss in enumerate(losses)))
    terminal.flush()


def main():
    ours, theirs = os.openpty()
    link = subprocess.Popen([sys.executable, "-c", LINK], stdin=ours)
    os.close(ours)
    loop = Loop(["slow-output", "slow-writer"], ["print_progress", f"pid {link.pid}"], "printing", step_s=0.008)
    with open(theirs, "w", encoding="utf8") as terminal:
        for step, batch in enumerate(loop.batches(loader_of(Items(19200, 1024), 64, 1))):
            loop.train(batch)
            if not IS_FIXED or step % 100 == 0:
                loop.timed("printing", print_progress, terminal, step, [float(row[0]) for row in batch])
        link.kill()
        link.wait()
        loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
