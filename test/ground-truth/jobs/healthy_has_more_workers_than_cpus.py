#!/usr/bin/python3
"""Nothing is wrong: six workers on two CPUs, of which PyTorch warns, and of a low priority; but what they do is little.

Batches lie ready long before the loop asks for them. Two workers would do as well.

After https://github.com/AILab-CVC/YOLO-World/issues/413, whose log shows that warning.
"""

import os
import sys
import zlib

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 260
BATCH = 16
WORKERS = 2 if IS_FIXED else 6


class Crops(Dataset):
    def __init__(self):
        chosen = numpy.random.default_rng(15)
        crops = [numpy.cumsum(chosen.integers(-2, 3, (64, 512)), axis=1) for _ in range(12)]
        self.packed = [zlib.compress(crop.astype(numpy.float32).tobytes(), 1) for crop in crops]

    def __len__(self):
        return BATCHES * BATCH

    def unpack_crop(self, index):
        crop = zlib.decompress(self.packed[index % len(self.packed)])
        return numpy.frombuffer(crop, numpy.float32).reshape(64, 512)

    def __getitem__(self, index):
        return torch.from_numpy(self.unpack_crop(index)[::4, ::2].copy())


def give_way(worker):
    os.nice(5)


def main():
    loop = Loop(step_s=0.026)
    for batch in loop.batches(loader_of(Crops(), BATCH, WORKERS, worker_init_fn=give_way)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
