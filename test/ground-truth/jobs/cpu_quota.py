#!/usr/bin/python3
"""The control group may use 60 % of one CPU. With --fixed it may use both."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from limits import run_within
from loop import IS_FIXED, Loop, compute, loader_of

QUOTA_US = 200_000 if IS_FIXED else 60_000


def train():
    import torch
    from torch.utils.data import Dataset

    class Decoded(Dataset):
        def __len__(self):
            return 1600

        def __getitem__(self, index):
            compute(0.0015)
            return torch.zeros(4096)

    loop = Loop("cpu-quota", ["0.6 CPU", "0.6", "60 %"], also_right=["slow-getitem"])
    loop.verdicts = ["input-bound", "compute-bound", "balanced"]
    for batch in loop.batches(loader_of(Decoded(), 16, 1)):
        loop.train(batch)
    loop.report(sys.argv[1])


def main():
    run_within("cpu", (str(QUOTA_US), f"{QUOTA_US} 100000"), train)


if __name__ == "__main__":
    main()
