#!/usr/bin/python3
"""The control group may read 12 MB/s of the disk, and the shards are read through once.

With --fixed it may read as fast as the disk can.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from limits import disk_of, run_within
from loop import IS_FIXED, Loop, loader_of

ROWS = 4800
FEATURES = 4096
LIMIT = 12_000_000


def train():
    import torch
    from torch.utils.data import Dataset

    class Shard(Dataset):
        def __init__(self, path):
            self.path = path
            self.file = None

        def __len__(self):
            return ROWS

        def __getitem__(self, index):
            if self.file is None:
                self.file = os.open(self.path, os.O_RDONLY)
            row = bytearray(os.pread(self.file, 4 * FEATURES, index * 4 * FEATURES))
            return torch.frombuffer(row, dtype=torch.float32)

    loop = Loop(["io-limit", "disk-bound"], ["train.shard"], also_right=["slow-getitem"])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "train.shard")
        with open(path, "wb") as file:
            file.write(os.urandom(4 * FEATURES * ROWS))
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        for batch in loop.batches(loader_of(Shard(path), 32, 1)):
            loop.train(batch)
    loop.report(sys.argv[1])


def main():
    if IS_FIXED:
        return train()
    disk = disk_of("/var/tmp")
    run_within("reads", (f"{disk} {LIMIT}", f"{disk} rbps={LIMIT}"), train)


if __name__ == "__main__":
    main()
