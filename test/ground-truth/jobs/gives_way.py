#!/usr/bin/python3
"""The job was started with nice 19, and whoever else computes on the machine goes first. With --fixed nobody does."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, compute, loader_of
from torch.utils.data import Dataset


class Decoded(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        compute(0.0012)
        return torch.zeros(4096)


def main():
    os.nice(19)
    loop = Loop(["noisy-neighbour", "priority"], "video-encoder", also_right=["slow-getitem"])
    loop.verdicts = ["input-bound", "balanced"]
    for batch in loop.batches(loader_of(Decoded(), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
