#!/usr/bin/python3
"""Each sample is a small file of its own that no cache holds. With --fixed one large file holds them all in order.

After https://github.com/autonomousvision/transfuser/issues/154.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

COUNT = 12000
SIZE = 4 * 4096


def write_cold(path, data):
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fdatasync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Files(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.shard = None

    def __len__(self):
        return COUNT

    def read_file(self, index):
        with open(os.path.join(self.folder, f"{(index * 2654435761) % COUNT}.bin"), "rb") as file:
            return file.read()

    def read_shard(self, index):
        if self.shard is None:
            self.shard = open(os.path.join(self.folder, "all.bin"), "rb")
        self.shard.seek(index * SIZE)
        return self.shard.read(SIZE)

    def __getitem__(self, index):
        data = self.read_shard(index) if IS_FIXED else self.read_file(index)
        return torch.frombuffer(bytearray(data), dtype=torch.float32)


def main():
    loop = Loop("small-files", ["read_file", "samples-"], also_right=["disk-bound"])
    with tempfile.TemporaryDirectory(prefix="samples-", dir="/var/tmp") as folder:
        if IS_FIXED:
            write_cold(os.path.join(folder, "all.bin"), os.urandom(SIZE) * COUNT)
        else:
            for index in range(COUNT):
                write_cold(os.path.join(folder, f"{index}.bin"), os.urandom(SIZE))
        for batch in loop.batches(loader_of(Files(folder), 16, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
