#!/usr/bin/python3
"""Workers share one lock around the decoding of a sample: they take turns. With --fixed there is no lock."""

import multiprocessing
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from torch.utils.data import Dataset

SECONDS_A_SAMPLE = 0.004


def decode():
    # CPU work of a fixed length, whatever else has the CPU.
    end = time.thread_time() + SECONDS_A_SAMPLE
    while time.thread_time() < end:
        pass
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
    loop = Loop("shared-lock", "Decoded.__getitem__")
    lock = None if "--fixed" in sys.argv else multiprocessing.Lock()
    for batch in loop.batches(loader_of(Decoded(lock), 16, 3)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
