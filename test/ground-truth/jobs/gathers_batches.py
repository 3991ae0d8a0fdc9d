#!/usr/bin/python3
"""Batches are taken 16 at a time and then computed on for long: two a worker are ready by then, and no more.

With --fixed 16 are.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

TAKEN = 16


class Images(Dataset):
    def __len__(self):
        return 1024 * 4

    def __getitem__(self, index):
        # As a store answers.
        time.sleep(0.0015)
        return torch.zeros(4096)


def main():
    loop = Loop("prefetch", "prefetch_factor", step_s=0.012, also_right=["slow-getitem"])
    factor = 2 * TAKEN if IS_FIXED else 2
    taken = []
    for batch in loop.batches(loader_of(Images(), 4, 1, prefetch_factor=factor)):
        taken.append(batch)
        if len(taken) == TAKEN:
            for each in taken:
                loop.train(each)
            taken.clear()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
