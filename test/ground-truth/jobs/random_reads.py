#!/usr/bin/python3
"""Samples are read in random order from one large file that no cache holds. With --fixed it is in the cache.

After https://github.com/phantrdat/cvpr20-scatter-text-recognizer/issues/2.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

ROWS = 20_000
SIZE = 1 << 15


class Tokens(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return ROWS

    def __getitem__(self, index):
        if self.file is None:
            self.file = os.open(self.path, os.O_RDONLY)
            # Kernels read ahead where they take reads for a row of them.
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_RANDOM)
        return torch.frombuffer(bytearray(os.pread(self.file, SIZE, index * SIZE)), dtype=torch.float32)


def main():
    # Small reads from all over the disk are what small-files tells, of one file too.
    loop = Loop(["small-files", "disk-bound"], ["tokens.bin"], also_right=["slow-getitem"])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "tokens.bin")
        with open(path, "wb") as file:
            for _ in range(ROWS // 100):
                file.write(os.urandom(SIZE * 100))
            file.flush()
            os.fsync(file.fileno())
            if not IS_FIXED:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        for batch in loop.batches(loader_of(Tokens(path), 16, 1, shuffle=True)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
