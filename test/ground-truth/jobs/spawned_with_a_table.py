#!/usr/bin/python3
"""Workers are spawned for each epoch, and the data set with its table of a million words is pickled for each.

With --fixed they persist.

After https://github.com/meta-pytorch/data/issues/1226.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset


class Words(Dataset):
    def __init__(self):
        self.table = [(f"word-{number}", number) for number in range(1_000_000)]

    def __len__(self):
        return 960

    def __getitem__(self, index):
        return torch.full((4096,), float(self.table[index][1]))


def main():
    ids = ["lazy-init", "persistent-workers"]
    loop = Loop(ids, ["pickle", "spawn", "persistent_workers", "Words"], step_s=0.008)
    loader = loader_of(Words(), 16, 1, persistent_workers=IS_FIXED, multiprocessing_context="spawn")
    for batch in loop.batches(loader, epochs=3):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
