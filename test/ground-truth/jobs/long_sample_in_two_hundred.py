#!/usr/bin/python3
"""One recording in two hundred is far longer than the others, and batches come in order. With --fixed it is cut.

After https://github.com/pytorch/pytorch/issues/105203.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset

LONG_S = 0.001 if IS_FIXED else 0.3


def decode_recording(index):
    compute(LONG_S if index % 200 == 77 else 0.001)
    return torch.zeros(4096)


class Recordings(Dataset):
    def __len__(self):
        return 9600

    def __getitem__(self, index):
        return decode_recording(index)


def main():
    # More batches ahead are a remedy too, and another than cutting it.
    right = ["prefetch"]
    loop = Loop(["head-of-line", "slow-getitem"], "decode_recording", also_right=right, step_s=0.012)
    for batch in loop.batches(loader_of(Recordings(), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
