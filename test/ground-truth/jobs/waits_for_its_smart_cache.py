#!/usr/bin/python3
"""Scans do not fit into memory: a thread prepares half of the cache anew, and each epoch waits until it has done so.

The epochs are shorter than that takes. With --fixed one scan in each epoch is replaced.

After https://github.com/Project-MONAI/MONAI/issues/914 and https://github.com/Project-MONAI/MONAI/issues/1807.
"""

import os
import sys
import threading
import zlib

# A wait that spins would keep one of two CPUs from the thread.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

SHAPE = (64, 144, 144)
SPACING = (3.0, 1.2, 1.2)
PIXDIM = (2.0, 1.5, 1.5)
PATCH = 24
FILES = 6
SCANS = 60
CACHED = 24
REPLACED = 1 if IS_FIXED else 12
EPOCHS = 22
BATCH = 2


def pack_scan(seed):
    drawn = numpy.random.default_rng(seed)
    coarse = drawn.integers(-900, 1200, [side // 8 for side in SHAPE])
    scan = numpy.kron(coarse, numpy.ones((8, 8, 8))) + drawn.integers(-20, 20, SHAPE)
    return zlib.compress(scan.astype(numpy.int16).tobytes(), 1)


def load_image(packed):
    return numpy.frombuffer(zlib.decompress(packed), dtype=numpy.int16).reshape(SHAPE).astype(numpy.float32)


def spacing(volume):
    """Brings it to the same distance between voxels along each axis, by linear interpolation."""
    for axis, (old, new) in enumerate(zip(SPACING, PIXDIM)):
        places = numpy.arange(0, (volume.shape[axis] - 1) * old, new) / old
        before = places.astype(numpy.int64)
        part = (places - before).astype(numpy.float32).reshape([-1 if other == axis else 1 for other in range(3)])
        volume = volume.take(before, axis) * (1 - part) + volume.take(before + 1, axis) * part
    return volume


def scale_intensity_range_percentiles(volume):
    low, high = numpy.percentile(volume, [0.5, 99.5])
    return numpy.clip((volume - low) / (high - low), 0, 1)


class SmartCacheDataset(Dataset):
    """Shows `CACHED` of all scans in an epoch; the next ones are prepared meanwhile."""

    def __init__(self, packed):
        self.packed = packed
        self.cache = [self.load_cache_item(position) for position in range(CACHED)]
        self.replacements = []
        self.next_position = CACHED
        self.update_lock = threading.Lock()
        self.round_started = threading.Semaphore(0)
        self.is_computing = threading.Event()
        threading.Thread(target=self.manage_replacement, name="replacement", daemon=True).start()

    def load_cache_item(self, position):
        volume = load_image(self.packed[position % FILES])
        return scale_intensity_range_percentiles(spacing(volume)).astype(numpy.float32)

    def compute_replacements(self):
        positions = range(self.next_position, self.next_position + REPLACED)
        self.replacements = [self.load_cache_item(position % SCANS) for position in positions]
        self.next_position += REPLACED

    def manage_replacement(self):
        while True:
            self.round_started.acquire()
            with self.update_lock:
                self.is_computing.set()
                self.compute_replacements()

    def start(self):
        """Returns as soon as the thread has the cache's replacements to itself."""
        self.round_started.release()
        self.is_computing.wait()
        self.is_computing.clear()

    def update_cache(self):
        with self.update_lock:
            del self.cache[:REPLACED]
            self.cache.extend(self.replacements)
        self.start()

    def __len__(self):
        return CACHED

    def __getitem__(self, index):
        volume = self.cache[index]
        corner = [torch.randint(side - PATCH, ()).item() for side in volume.shape]
        return torch.from_numpy(volume[tuple(slice(begin, begin + PATCH) for begin in corner)].copy())


def main():
    culprit = ["update_cache", "compute_replacements", "load_cache_item", "spacing", "manage_replacement"]
    culprit += ["load_image", "scale_intensity_range_percentiles", "SmartCacheDataset", "replacement"]
    # It waits for a thread of its own to have its result, and what it waits at is the lock that this one keeps meanwhile.
    loop = Loop(["producer", "thread-lock"], culprit, "updating", step_s=0.022)
    loop.verdicts = ["host-bound", "input-bound"]
    dataset = SmartCacheDataset([pack_scan(seed) for seed in range(FILES)])
    # All of it lies in this process's memory, where workers would not see it replaced.
    loader = loader_of(dataset, BATCH, 0, shuffle=True)
    dataset.start()
    for epoch in range(EPOCHS):
        for patches in loop.batches(loader):
            loop.train(patches)
        if epoch < EPOCHS - 1:
            loop.timed("updating", dataset.update_cache)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
