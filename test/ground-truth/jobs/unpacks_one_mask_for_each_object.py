#!/usr/bin/python3
"""All objects of an image share one mask, which is kept as runs, and a worker unpacks it anew for each of them.

With --fixed it is unpacked once for each image.

After https://github.com/facebookresearch/detectron2/issues/2758.
"""

import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 520
BATCH = 8
IMAGES = 24
OBJECTS = 40
SIDE = 256
RUNS = 400


def decode_runs(runs):
    """A mask from the lengths of its runs, which are of background and of objects in turn."""
    mask = numpy.zeros(SIDE * SIDE, dtype=numpy.uint8)
    at = 0
    for number, run in enumerate(runs):
        if number % 2:
            mask[at : at + run] = 1
        at += run
    return mask.reshape(SIDE, SIDE)


def encode_image(seed):
    chosen = random.Random(seed)
    runs = [chosen.randrange(100, 220) for _ in range(RUNS)]
    boxes = [(chosen.randrange(SIDE - 64), chosen.randrange(SIDE - 64)) for _ in range(OBJECTS)]
    return {"runs": runs, "boxes": boxes}


class Annotated(Dataset):
    def __init__(self):
        self.images = [encode_image(seed) for seed in range(IMAGES)]

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        image = self.images[index % IMAGES]
        target = numpy.zeros((64, 64), dtype=numpy.float32)
        mask = decode_runs(image["runs"]) if IS_FIXED else None
        for top, left in image["boxes"]:
            whole = mask if IS_FIXED else decode_runs(image["runs"])
            target += whole[top : top + 64, left : left + 64]
        return torch.from_numpy(target)


def main():
    loop = Loop("slow-getitem", ["decode_runs", "Annotated.__getitem__"], step_s=0.004)
    for batch in loop.batches(loader_of(Annotated(), BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
