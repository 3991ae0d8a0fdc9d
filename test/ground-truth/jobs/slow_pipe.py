#!/usr/bin/python3
"""The main thread logs each step into a pipe that its reader empties slowly; the loader is fine.

With --fixed the reader is fast.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

READER = """import os, sys, time
while os.read(0, 8192): time.sleep(float(sys.argv[1]))"""


def log_step(pipe, batch):
    # What a step logs is more than the pipe holds: the write lasts until the reader has taken it.
    pipe.write(b"%r\n" % batch[0, :4].tolist() * 1000)
    pipe.flush()


def main():
    loader = loader_of(Items(1280, 4096), 16, 2)
    pause = "0" if IS_FIXED else "0.01"
    reader = subprocess.Popen([sys.executable, "-c", READER, pause], stdin=subprocess.PIPE)
    loop = Loop(["slow-output", "slow-writer"], ["log_step", f"pid {reader.pid}"], "pipe")
    for batch in loop.batches(loader):
        loop.train(batch)
        loop.timed("pipe", log_step, reader.stdin, batch)
    loop.report(sys.argv[1])
    reader.kill()


if __name__ == "__main__":
    main()
