#!/usr/bin/python3
"""Each step takes a batch of labelled and one of unlabelled samples, from a loader each; the unlabelled ones are slow.

With --fixed these are fast too.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, compute, loader_of
from torch.utils.data import Dataset


class Unlabelled(Dataset):
    def __len__(self):
        return 3200

    def augment_strongly(self, index):
        if not IS_FIXED:
            compute(0.003)
        return torch.full((4096,), float(index))

    def __getitem__(self, index):
        return self.augment_strongly(index)


def main():
    ids = ["slow-getitem", "more-workers"]
    loop = Loop(ids, ["augment_strongly", "__getitem__"], step_s=0.008)
    loop.also_right += ["more-workers", "workers-to-cores"]
    labelled = iter(loader_of(Items(3200, 4096), 16, 1))
    for batch in loop.batches(loader_of(Unlabelled(), 16, 1)):
        first = loop.timed("input", next, labelled)
        loop.train(torch.cat([first, batch]))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
