#!/usr/bin/python3
"""A picture of the samples is drawn and compressed at every 5th step. With --fixed at every 250th.

After https://github.com/pyannote/pyannote-audio/pull/645, of images that are logged while training.
"""

import os
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of


def draw_grid(batch, path):
    tiles = numpy.tile(batch.numpy().reshape(16, 64, 64), (1, 6, 6))
    shades = (tiles * 255).astype(numpy.uint8)
    with open(path, "wb") as file:
        file.write(zlib.compress(shades.tobytes(), 6))


def main():
    ids = ["host-work", "slow-output", "host-metrics", "checkpoint"]
    loop = Loop(ids, ["draw_grid"], "grid", step_s=0.006)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for step, batch in enumerate(loop.batches(loader_of(Items(8000, 4096), 16, 2))):
            loop.train(batch)
            if step % (250 if IS_FIXED else 5) == 0:
                loop.timed("grid", draw_grid, batch, os.path.join(folder, f"{step}.z"))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
