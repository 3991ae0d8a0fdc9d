#!/usr/bin/python3
"""A worker unpacks the parts of each sample with a pool of threads, and waits for them.

With --fixed they are not packed.
"""

import os
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

PARTS = 4
PART_BYTES = 1 << 18


class Packed(Dataset):
    def __init__(self, part):
        self.part = part
        self.pool = None

    def __len__(self):
        return 1600

    def unpack_part(self, _):
        part = self.part if IS_FIXED else zlib.decompress(self.part)
        return part[:4096]

    def __getitem__(self, index):
        if self.pool is None:
            self.pool = ThreadPoolExecutor(PARTS)
        parts = self.pool.map(self.unpack_part, range(PARTS))
        return torch.frombuffer(bytearray().join(parts), dtype=torch.float32)


def main():
    loop = Loop("slow-getitem", ["unpack_part", "__getitem__"], step_s=0.004)
    loop.also_right += ["workers-to-cores", "thread-oversubscription", "more-workers"]
    part = os.urandom(PART_BYTES // 8) * 8
    for batch in loop.batches(loader_of(Packed(part if IS_FIXED else zlib.compress(part)), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
