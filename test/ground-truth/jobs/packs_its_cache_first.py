#!/usr/bin/python3
"""In the first epoch a worker packs each prepared slice into a cache on the disk before it hands it over.

Preparing takes little, packing 4 ms. With --fixed the cache keeps slices as they are.

After https://github.com/Project-MONAI/MONAI/issues/3843: the first epoch is slow, since what is cached is saved meanwhile.
"""

import gzip
import hashlib
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

SIDE = 96
SLICES = 16 * 250


class Compose:
    def __init__(self, *transforms):
        self.transforms = transforms

    def __call__(self, item):
        for transform in self.transforms:
            item = transform(item)
        return item


def load_slice(item):
    """As a scanner measures it: whole numbers, most of which are like the one before."""
    along = numpy.linspace(item["phase"], item["phase"] + 9, SIDE)
    noise = numpy.random.default_rng(item["number"]).normal(0, 20, (SIDE, SIDE))
    return numpy.round(300 * numpy.outer(numpy.sin(along), numpy.cos(along)) + noise)


def scale_intensity(scan):
    return numpy.clip(scan, -250, 250).astype(numpy.float32)


def flip_at_random(scan):
    return numpy.flip(scan, axis=int(scan[0, 0]) % 2).copy()


class PersistentDataset(Dataset):
    """Prepares an item once, and then takes it from the disk; what is drawn anew each time comes after that."""

    def __init__(self, items, prepare, augment, cache_dir):
        self.items = items
        self.prepare = prepare
        self.augment = augment
        self.cache_dir = cache_dir

    def __len__(self):
        return len(self.items)

    def path_of(self, item):
        key = hashlib.md5(json.dumps(item, sort_keys=True).encode()).hexdigest()
        return os.path.join(self.cache_dir, f"{key}.npy" if IS_FIXED else f"{key}.npy.gz")

    def store_item(self, path, prepared):
        partly = f"{path}.{os.getpid()}"
        with open(partly, "wb") if IS_FIXED else gzip.open(partly, "wb", compresslevel=6) as file:
            file.write(prepared.tobytes())
        os.replace(partly, path)

    def read_item(self, path):
        with open(path, "rb") if IS_FIXED else gzip.open(path) as file:
            return numpy.frombuffer(file.read(), dtype=numpy.float32).reshape(SIDE, SIDE)

    def cached(self, item):
        path = self.path_of(item)
        if os.path.exists(path):
            return self.read_item(path)
        prepared = self.prepare(item)
        self.store_item(path, prepared)
        return prepared

    def __getitem__(self, index):
        return torch.from_numpy(self.augment(self.cached(self.items[index])))


def main():
    items = [{"number": number, "phase": number % 17 / 3} for number in range(SLICES)]
    culprit = ["store_item", "gzip.py", "PersistentDataset"]
    loop = Loop("slow-getitem", culprit, step_s=0.008)
    with tempfile.TemporaryDirectory(prefix="slice-cache-", dir="/var/tmp") as cache_dir:
        slices = PersistentDataset(items, Compose(load_slice, scale_intensity), Compose(flip_at_random), cache_dir)
        for batch in loop.batches(loader_of(slices, 16, 2, shuffle=True)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
