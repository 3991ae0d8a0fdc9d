#!/usr/bin/python3
"""Each worker reads an index before its first batch, in each epoch anew. With --fixed it is mapped.

After https://github.com/Lightning-AI/pytorch-lightning/issues/10389.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset


class Indexed(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        return torch.zeros(4096)


def load_index(worker):
    # As unpickling half a gigabyte does.
    compute(0.05 if IS_FIXED else 1.2)


def main():
    ids = ["lazy-init", "persistent-workers"]
    loop = Loop(ids, ["load_index", "persistent_workers"], step_s=0.008)
    loader = loader_of(Indexed(), 16, 2, worker_init_fn=load_index)
    for batch in loop.batches(loader, epochs=4):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
