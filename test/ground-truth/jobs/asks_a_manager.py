#!/usr/bin/python3
"""Workers look each sample up in a dict that a manager process keeps for all of them. With --fixed each has its own.

After https://github.com/ptrblck/pytorch_misc/issues/14, whose data set keeps its samples so.
"""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

SAMPLES = 256


class Shared(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return 4000

    def __getitem__(self, index):
        return torch.tensor(self.samples[index % SAMPLES])


def main():
    ids = ["own-process", "slow-server", "shared-lock"]
    loop = Loop(ids, ["multiprocessing.Manager"], step_s=0.004, also_right=["slow-getitem"])
    made = {number: [float(number)] * 8192 for number in range(SAMPLES)}
    with multiprocessing.Manager() as manager:
        samples = made if IS_FIXED else manager.dict(made)
        for batch in loop.batches(loader_of(Shared(samples), 16, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
