#!/usr/bin/python3
"""Each batch becomes frames of a video, written into the input of an encoder that is slower than the GPU.

With --fixed the encoder is fast.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

ENCODER = """import os, sys, time
while True:
    frame = sys.stdin.buffer.read(1 << 16)
    if not frame:
        break
    end = time.thread_time() + float(sys.argv[1])
    while time.thread_time() < end:
        pass"""


def write_frames(encoder, batch):
    encoder.stdin.write(batch.numpy().tobytes())
    encoder.stdin.flush()


def main():
    effort = "0" if IS_FIXED else "0.006"
    encoder = subprocess.Popen([sys.executable, "-S", "-c", ENCODER, effort], stdin=subprocess.PIPE)
    loop = Loop("slow-output", ["write_frames", f"pid {encoder.pid}"], "frames", step_s=0.006)
    # It computes on a CPU that the loader wants too.
    loop.also_right += ["own-process"]
    for batch in loop.batches(loader_of(Items(4000, 4096), 16, 2)):
        loop.infer(batch)
        loop.timed("frames", write_frames, encoder, batch)
    loop.report(sys.argv[1])
    encoder.stdin.close()
    encoder.wait()


if __name__ == "__main__":
    main()
