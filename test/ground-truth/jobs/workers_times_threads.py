#!/usr/bin/python3
"""Each worker computes with as many threads as there are CPUs. With --fixed with one.

After https://github.com/pytorch/pytorch/issues/25010.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset


class Filtered(Dataset):
    def __init__(self):
        self.image = torch.rand(70_000)

    def __len__(self):
        return 320

    def __getitem__(self, index):
        return self.sharpen()[:4096].clone()

    def sharpen(self):
        image = self.image
        for _ in range(60):
            image = image * 1.01 - 0.005
        return image


def use_threads(worker):
    torch.set_num_threads(1 if IS_FIXED else 4)


def main():
    culprit = ["use_threads", "set_num_threads", "OMP_NUM_THREADS", "one thread"]
    loop = Loop("thread-oversubscription", culprit, also_right=["slow-getitem", "workers-to-cores"])
    for batch in loop.batches(loader_of(Filtered(), 8, 2, worker_init_fn=use_threads)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
