#!/usr/bin/python3
"""One worker makes the batches while the other CPU has nothing to do. With --fixed there are two."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


def decode_image(index):
    compute(0.003)
    return torch.zeros(4096)


class Images(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        return decode_image(index)


def main():
    loop = Loop("more-workers", "num_workers", step_s=0.004, also_right=["slow-getitem"])
    for batch in loop.batches(loader_of(Images(), 16, 2 if IS_FIXED else 1)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
