#!/usr/bin/python3
"""collate_fn leaves a batch of images an array of NumPy: 12 MB go through the workers' pipe and are put together again.

Of a tensor only the name of its shared memory would. With --fixed it is one.

After https://github.com/pytorch/pytorch/issues/3830 and https://github.com/meta-pytorch/data/issues/1089.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset, default_collate

SIDE = 256
TILES = 24
BATCH = 16
BATCHES = 320


class Tiles(Dataset):
    """Cut from large aerial images, which are in memory."""

    def __init__(self):
        chosen = numpy.random.default_rng(3)
        self.images = chosen.random((3, SIDE, SIDE * TILES), dtype=numpy.float32)

    def __len__(self):
        return BATCH * BATCHES

    def __getitem__(self, index):
        left = index * 37 % (SIDE * (TILES - 1))
        return {"image": self.images[:, :, left : left + SIDE], "tile": index}


def stack_arrays(tiles):
    image = numpy.stack([tile["image"] for tile in tiles])
    numbers = numpy.array([tile["tile"] for tile in tiles])
    return {"image": image, "tile": numbers}


def main():
    also_right = ["slow-getitem", "vector-collate", "more-workers"]
    loop = Loop("unpickle", ["ndarray", "numpy", "stack_arrays"], also_right=also_right, step_s=0.008)
    loader = loader_of(Tiles(), BATCH, 2, collate_fn=default_collate if IS_FIXED else stack_arrays)
    seen = 0
    for batch in loop.batches(loader):
        loop.train(torch.as_tensor(batch["image"]))
        seen += len(batch["tile"])
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
