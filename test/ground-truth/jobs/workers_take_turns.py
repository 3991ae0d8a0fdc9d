#!/usr/bin/python3
"""Workers share one lock around the decoding of a sample: they take turns. With --fixed there is no lock."""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset

SECONDS_A_SAMPLE = 0.004


def decode():
    compute(SECONDS_A_SAMPLE)
    return torch.zeros(4096)


class Decoded(Dataset):
    def __init__(self, lock):
        self.lock = lock

    def __len__(self):
        return 960

    def __getitem__(self, index):
        if self.lock is None:
            return decode()
        with self.lock:
            return decode()


def main():
    loop = Loop("shared-lock", ["Decoded.__getitem__", "__getitem__"], also_right=["slow-getitem"])
    lock = None if IS_FIXED else multiprocessing.Lock()
    for batch in loop.batches(loader_of(Decoded(lock), 16, 3)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
