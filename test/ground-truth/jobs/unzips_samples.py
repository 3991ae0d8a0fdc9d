#!/usr/bin/python3
"""Samples lie compressed in one archive, and each worker unpacks them anew. With --fixed they are stored as they are.

After https://github.com/openclimatefix-archives/nowcasting_dataset/issues/57, of chunks that are unpacked whole.
"""

import io
import os
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset


class Archive(Dataset):
    def __init__(self):
        raw = numpy.random.default_rng(7).normal(size=160_000).astype(numpy.float32).tobytes()
        self.packed = zlib.compress(raw, 1)
        self.raw = raw

    def __len__(self):
        return 2400

    def unpack_row(self, index):
        stored = self.raw if IS_FIXED else zlib.decompress(self.packed)
        return numpy.frombuffer(io.BytesIO(stored).getbuffer()[: 4096 * 4], numpy.float32) + index

    def __getitem__(self, index):
        return torch.from_numpy(self.unpack_row(index))


def main():
    loop = Loop("slow-getitem", ["unpack_row", "Archive.__getitem__"])
    for batch in loop.batches(loader_of(Archive(), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
