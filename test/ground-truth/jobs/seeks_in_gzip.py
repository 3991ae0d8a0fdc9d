#!/usr/bin/python3
"""Slices of a scan are taken in random order from a compressed volume: to go back, it is unpacked from its start again.

With --fixed the volumes lie there unpacked.

After https://github.com/nipy/nibabel/issues/1058.
"""

import gzip
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

VOLUMES = 3
SLICES = 64
SIDE = 64
BYTES = SIDE * SIDE * 4


class Scans(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.opened = {}

    def __len__(self):
        return 16 * 350

    def open_volume(self, path):
        if path not in self.opened:
            self.opened[path] = open(path, "rb") if IS_FIXED else gzip.open(path)
        return self.opened[path]

    def read_slice(self, path, number):
        volume = self.open_volume(path)
        volume.seek(number * BYTES)
        return bytearray(volume.read(BYTES))

    def __getitem__(self, index):
        number, volume = divmod(index % (VOLUMES * SLICES), VOLUMES)
        return torch.frombuffer(self.read_slice(self.paths[volume], number), dtype=torch.float32)


def write_volumes(folder):
    chosen = numpy.random.default_rng(3)
    for number in range(VOLUMES):
        # Whole numbers, as a scanner measures them.
        scan = chosen.integers(0, 4000, SLICES * SIDE * SIDE).astype(numpy.float32)
        path = os.path.join(folder, f"scan{number}.nii" if IS_FIXED else f"scan{number}.nii.gz")
        with open(path, "wb") if IS_FIXED else gzip.open(path, "wb", compresslevel=1) as file:
            file.write(scan.tobytes())
        yield path


def main():
    culprit = ["read_slice", "gzip.py", "_compression.py"]
    loop = Loop("slow-getitem", culprit, step_s=0.004)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        paths = list(write_volumes(folder))
        for batch in loop.batches(loader_of(Scans(paths), 16, 2, shuffle=True)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
