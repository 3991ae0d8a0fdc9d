#!/usr/bin/python3
"""mpirun binds each process that it starts to one core, and so are the two workers that this one starts, and its own thread.

They all take turns on that one while the other CPU has nothing to do. With --fixed it binds to none.

After https://github.com/horovod/horovod/issues/614, whose command has that option.
"""

import os
import sys
import zlib

# A wait that spins would keep the CPU from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

CORE = max(os.sched_getaffinity(0))
if "--fixed" not in sys.argv:
    # Before anything else, as whoever starts the program does.
    os.sched_setaffinity(0, {CORE})

import numpy
import torch
from loop import Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 260
BATCH = 16
SHAPE = (160, 512)


class Tiles(Dataset):
    """Heights of the ground, rounded to metres."""

    def __init__(self):
        chosen = numpy.random.default_rng(14)
        tiles = [numpy.cumsum(chosen.integers(-2, 3, SHAPE), axis=1) for _ in range(12)]
        self.packed = [zlib.compress(tile.astype(numpy.float32).tobytes(), 1) for tile in tiles]

    def __len__(self):
        return BATCHES * BATCH

    def inflate_tile(self, index):
        return numpy.frombuffer(zlib.decompress(self.packed[index % len(self.packed)]), numpy.float32).reshape(SHAPE)

    def __getitem__(self, index):
        return torch.from_numpy(self.inflate_tile(index)[::8, ::2].copy())


def main():
    # Who has to share one CPU waits for it.
    also_right = ["slow-getitem", "cpu-wait"]
    loop = Loop("affinity", ["1 CPU", "1 more CPU", f"CPU {CORE}"], also_right=also_right, step_s=0.004)
    loop.verdicts = ["input-bound", "balanced"]
    for batch in loop.batches(loader_of(Tiles(), BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
