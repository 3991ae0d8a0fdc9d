#!/usr/bin/python3
"""Nothing is wrong: the loader has no workers, but takes patches from a cache, whose volumes a thread replaces.

It unpacks and smooths scans for half of the time, and is done long before an epoch is.

After https://github.com/Project-MONAI/MONAI/issues/914 and https://github.com/Project-MONAI/MONAI/issues/2794.
"""

import concurrent.futures
import os
import sys
import zlib

# A wait that spins would keep one of two CPUs from the thread.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop, loader_of
from torch.utils.data import Dataset

SCANS = 12
CACHED = 24
REPLACED = 14
SHAPE = (96, 128, 128)
PATCH = (16, 64, 64)
BATCH = 2
STEPS_AN_EPOCH = 20
EPOCHS = 9


def compress_scan(seed):
    """Hounsfield units, of which most of a picture is air."""
    chosen = numpy.random.default_rng(seed)
    scan = numpy.full(SHAPE, -1000, dtype=numpy.int16)
    scan[16:80, 24:104, 24:104] = chosen.normal(40, 12, (64, 80, 80)).astype(numpy.int16)
    return zlib.compress(scan.tobytes(), 1)


def load_scan(packed):
    return numpy.frombuffer(zlib.decompress(packed), dtype=numpy.int16).reshape(SHAPE)


def scale_intensity(scan):
    scaled = (scan.astype(numpy.float32) + 200) / 450
    return numpy.clip(scaled, 0, 1, out=scaled)


def resample_spacing(scan):
    """To slices that are as far from each other as the scanner's, but between them."""
    above = numpy.minimum(numpy.arange(len(scan)) + 1, len(scan) - 1)
    return scan * 0.4 + numpy.take(scan, above, axis=0) * 0.6


def smooth_scan(scan):
    for axis in range(3):
        scan = scan * 0.5 + (numpy.roll(scan, 1, axis) + numpy.roll(scan, -1, axis)) * 0.25
    return scan


def transform_scan(packed):
    return torch.from_numpy(smooth_scan(resample_spacing(scale_intensity(load_scan(packed)))))


class SmartCacheDataset(Dataset):
    """Of the scans, some are in memory; while an epoch runs, a thread prepares those of the next one."""

    def __init__(self):
        self.scans = [compress_scan(seed) for seed in range(SCANS)]
        self.cache = [transform_scan(self.scans[number % SCANS]) for number in range(CACHED)]
        self.pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="smart-cache")
        self.pending = []
        self.started = 0

    def __len__(self):
        return STEPS_AN_EPOCH * BATCH

    def __getitem__(self, index):
        scan = self.cache[index % CACHED]
        at = [(index * 13 + 7 * axis) % (whole - part) for axis, (whole, part) in enumerate(zip(SHAPE, PATCH))]
        return scan[tuple(slice(first, first + part) for first, part in zip(at, PATCH))]

    def start_replacing(self):
        numbers = range(self.started, self.started + REPLACED)
        self.pending = [self.pool.submit(transform_scan, self.scans[number % SCANS]) for number in numbers]
        self.started += REPLACED

    def update_cache(self):
        """Those that were in it longest go first."""
        self.cache = self.cache[REPLACED:] + [replacement.result() for replacement in self.pending]

    def shutdown(self):
        self.pool.shutdown()


def epochs_of(dataset, loader):
    for _ in range(EPOCHS):
        dataset.start_replacing()
        yield from loader
        dataset.update_cache()


def main():
    loop = Loop(step_s=0.045)
    dataset = SmartCacheDataset()
    for patches in loop.batches(epochs_of(dataset, loader_of(dataset, BATCH, 0))):
        loop.train(patches)
    dataset.shutdown()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
