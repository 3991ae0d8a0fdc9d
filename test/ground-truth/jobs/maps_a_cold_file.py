#!/usr/bin/python3
"""Rows are taken in random order from a file that is mapped into memory, and that no cache holds.

With --fixed it is in the cache.

After https://github.com/p-lambda/wilds/issues/12.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import mmap

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

ROWS = 16_000
FEATURES = 8192


class Mapped(Dataset):
    def __init__(self, path):
        self.path = path
        self.rows = None

    def __len__(self):
        return ROWS

    def read_row(self, index):
        if self.rows is None:
            self.rows = numpy.memmap(self.path, numpy.float32, "r", shape=(ROWS, FEATURES))
            self.rows._mmap.madvise(mmap.MADV_RANDOM)
        return numpy.array(self.rows[index])

    def __getitem__(self, index):
        return torch.from_numpy(self.read_row(index))


def main():
    loop = Loop("disk-bound", ["features.bin", "read_row"], also_right=["small-files", "slow-getitem"])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "features.bin")
        with open(path, "wb") as file:
            for _ in range(ROWS // 100):
                file.write(os.urandom(FEATURES * 4 * 100))
            file.flush()
            os.fsync(file.fileno())
            if not IS_FIXED:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        for batch in loop.batches(loader_of(Mapped(path), 16, 1, shuffle=True)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
