#!/usr/bin/python3
"""An inference loop reads and prepares each frame, then waits for the GPU. With --fixed a thread does so beside it.

After https://github.com/pytorch/serve/issues/2898.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy
import torch
from loop import IS_FIXED, Loop

FRAMES = 900
PIXELS = 480 * 640


def prepare_frame(file):
    file.seek(0)
    pixels = numpy.frombuffer(file.read(PIXELS), numpy.uint8).astype(numpy.float32)
    for _ in range(8):
        pixels = numpy.tanh((pixels - pixels.mean()) / (pixels.std() + 1e-6))
    return torch.from_numpy(pixels)


def frames(file):
    for _ in range(FRAMES):
        yield prepare_frame(file)


def frames_ahead(file):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(prepare_frame, file)
        for _ in range(FRAMES):
            ready = waiting.result()
            waiting = pool.submit(prepare_frame, file)
            yield ready


def main():
    torch.set_num_threads(1)
    ids = ["host-data-movement", "workers-zero", "slow-getitem", "host-metrics", "host-work"]
    loop = Loop(ids, "prepare_frame", verdicts=["input-bound", "host-bound"], step_s=0.012)
    with tempfile.TemporaryFile(dir="/var/tmp") as file:
        file.write(os.urandom(PIXELS))
        for frame in loop.batches(frames_ahead(file) if IS_FIXED else frames(file)):
            loop.infer(frame)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
