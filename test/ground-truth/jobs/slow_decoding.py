#!/usr/bin/python3
"""Decoding a sample takes both workers 4 ms of a CPU. With --fixed it takes a tenth."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


def decode_image(index):
    compute(0.0004 if IS_FIXED else 0.004)
    return torch.zeros(4096)


class Images(Dataset):
    def __len__(self):
        return 2400

    def __getitem__(self, index):
        return decode_image(index)


def main():
    loop = Loop("slow-getitem", ["decode_image", "Images.__getitem__"])
    for batch in loop.batches(loader_of(Images(), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
