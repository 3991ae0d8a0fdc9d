#!/usr/bin/python3
"""Nothing is wrong: two workers are busy half of the time and wait for each other's lock, but stay ahead of the GPU."""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, compute, loader_of
from torch.utils.data import Dataset

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

BATCH = 16


def read_archive():
    compute(0.0008)


def decode_sample():
    compute(0.0014)
    return torch.zeros(4096)


class Archived(Dataset):
    """Of an archive that one may read at a time."""

    def __init__(self):
        self.lock = multiprocessing.Lock()

    def __len__(self):
        return BATCH * 320

    def __getitem__(self, index):
        with self.lock:
            read_archive()
        return decode_sample()


def main():
    loop = Loop(step_s=0.034)
    for batch in loop.batches(loader_of(Archived(), BATCH, 2, prefetch_factor=4)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
