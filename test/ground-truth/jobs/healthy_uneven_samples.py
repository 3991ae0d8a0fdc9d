#!/usr/bin/python3
"""Nothing is wrong: samples take 0 to 6 ms to decode, but two workers are ahead of the GPU all the same."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, compute, loader_of
from torch.utils.data import Dataset


class Uneven(Dataset):
    def __len__(self):
        return 3200

    def __getitem__(self, index):
        compute((index * 2654435761 % 7) / 7 * 0.003)
        return torch.zeros(4096)


def main():
    loop = Loop(step_s=0.032)
    for batch in loop.batches(loader_of(Uneven(), 16, 2, prefetch_factor=4)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
