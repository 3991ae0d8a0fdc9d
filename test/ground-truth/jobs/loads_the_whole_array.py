#!/usr/bin/python3
"""For each sample the whole file of its shard is loaded, and one row of it is taken. With --fixed it is mapped.

After https://github.com/open-mmlab/mmskeleton/pull/39.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

SHARDS = 4
ROWS = 400


class Sharded(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return SHARDS * ROWS

    def load_shard(self, shard):
        return numpy.load(self.paths[shard], mmap_mode="r" if IS_FIXED else None)

    def __getitem__(self, index):
        row = self.load_shard(index % SHARDS)[index // SHARDS]
        return torch.from_numpy(numpy.array(row))


def main():
    loop = Loop(["slow-getitem", "more-workers"], ["load_shard"], step_s=0.004)
    loop.also_right += ["more-workers", "workers-to-cores"]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"shard{shard}.npy") for shard in range(SHARDS)]
        for path in paths:
            numpy.save(path, numpy.zeros((ROWS, 4096), dtype=numpy.float32))
        for batch in loop.batches(loader_of(Sharded(paths), 16, 2, shuffle=True)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
