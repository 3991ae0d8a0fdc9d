#!/usr/bin/python3
"""A library that is imported first leaves the workers one CPU. With --fixed they may use all.

After https://github.com/pytorch/pytorch/issues/101850.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


class Decoded(Dataset):
    def __len__(self):
        return 1920

    def __getitem__(self, index):
        compute(0.003)
        return torch.zeros(4096)


def stay_on_one_cpu(worker):
    if not IS_FIXED:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main():
    loop = Loop("affinity", ["1 CPU", "1 more CPU", "CPU 0"], also_right=["slow-getitem"])
    for batch in loop.batches(loader_of(Decoded(), 16, 2, worker_init_fn=stay_on_one_cpu)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
