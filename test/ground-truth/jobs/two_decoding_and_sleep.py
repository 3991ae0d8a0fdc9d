#!/usr/bin/python3
"""Two causes: decoding takes both workers too long, and a rate limit sleeps in the main thread.

With --fixed neither.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


def decode_audio():
    compute(0.0004 if IS_FIXED else 0.005)
    return torch.zeros(4096)


class Clips(Dataset):
    def __len__(self):
        return 1920

    def __getitem__(self, index):
        return decode_audio()


def keep_rate():
    time.sleep(0.03)


def main():
    loop = Loop("slow-getitem", ["decode_audio", "Clips.__getitem__"])
    loop.also("sleep", "keep_rate", "sleeping")
    for batch in loop.batches(loader_of(Clips(), 16, 2)):
        if not IS_FIXED:
            loop.timed("sleeping", keep_rate)
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
