#!/usr/bin/python3
"""A process outside the job, with a real-time priority, takes most of both CPUs. With --fixed it is not there."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, compute, loader_of
from torch.utils.data import Dataset


class Decoded(Dataset):
    def __len__(self):
        return 1920

    def __getitem__(self, index):
        compute(0.0015)
        return torch.zeros(4096)


def main():
    loop = Loop(["noisy-neighbour", "priority"], "packet-capture", also_right=["slow-getitem"])
    # Of what is left of the CPUs the loop's own work waits too, not only its input.
    loop.verdicts = ["input-bound", "balanced"]
    for batch in loop.batches(loader_of(Decoded(), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
