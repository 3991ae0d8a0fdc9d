#!/usr/bin/python3
"""Two causes: gc.collect() at every step, and lines into a pipe that is read slowly. With --fixed neither.

After https://github.com/huggingface/peft/pull/2894.
"""

import gc
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

READER = """import os, time
while os.read(0, 16384): time.sleep(0.01)"""


def release_memory():
    gc.collect()


def print_samples(pipe, batch):
    pipe.write(str(batch[:8].tolist()).encode())
    pipe.flush()


def main():
    kept = [[number] for number in range(400_000)]
    reader = subprocess.Popen([sys.executable, "-c", READER], stdin=subprocess.PIPE)
    loop = Loop("garbage-collection", ["release_memory", "gc.collect"], "collecting", step_s=0.008)
    loop.also(["slow-output", "slow-writer"], ["print_samples", f"pid {reader.pid}"], "printing")
    for step, batch in enumerate(loop.batches(loader_of(Items(2400, 512), 16, 2))):
        loop.train(batch)
        if not IS_FIXED:
            loop.timed("collecting", release_memory)
            loop.timed("printing", print_samples, reader.stdin, batch)
    assert len(kept) == 400_000
    loop.report(sys.argv[1])
    reader.kill()


if __name__ == "__main__":
    main()
