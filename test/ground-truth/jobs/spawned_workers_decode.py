#!/usr/bin/python3
"""Workers that are started afresh (spawn) decode their samples too slowly. With --fixed that takes a tenth."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


class Recorded(Dataset):
    def __init__(self, effort_s):
        self.effort_s = effort_s

    def __len__(self):
        return 2400

    def decode_sample(self, index):
        compute(self.effort_s)
        return torch.full((4096,), float(index))

    def __getitem__(self, index):
        return self.decode_sample(index)


def main():
    loop = Loop(["slow-getitem", "more-workers"], ["decode_sample", "__getitem__"], step_s=0.004)
    loop.also_right += ["more-workers", "workers-to-cores", "lazy-init"]
    data = Recorded(0.0003 if IS_FIXED else 0.003)
    for batch in loop.batches(loader_of(data, 16, 2, multiprocessing_context="spawn")):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
