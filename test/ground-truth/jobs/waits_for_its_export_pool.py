#!/usr/bin/python3
"""Segmentation: each volume's scores go to a pool that brings them back to the scan's own size, class by class, slowly.

No more than two may wait for it, and so the loop looks every 0.1 s whether it may hand over the next one. With --fixed
scores are brought to that size by taking the nearest one.

After https://github.com/MIC-DKFZ/nnUNet/issues/2540 and https://github.com/MIC-DKFZ/nnUNet/issues/2014.
"""

import multiprocessing
import os
import sys
import tempfile
import time

# A wait that spins would keep one of two CPUs from the pool.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import zlib

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

CASES = 36
WINDOWS = 6
CLASSES = 8
SHAPE = (24, 40, 40)
ORIGINAL = (84, 192, 192)
QUEUED = 2


def positions_of(size, original):
    """For each new place along an axis: the two old ones, and how far it lies from the first to the second."""
    places = numpy.linspace(0, size - 1, original)
    before = places.astype(numpy.int64).clip(0, size - 2)
    return before, before + 1, (places - before).astype(numpy.float32)


def resize_linear(volume, shape):
    for axis, original in enumerate(shape):
        before, after, part = positions_of(volume.shape[axis], original)
        part = part.reshape([-1 if other == axis else 1 for other in range(3)])
        volume = volume.take(before, axis) * (1 - part) + volume.take(after, axis) * part
    return volume


def resize_nearest(volume, shape):
    nearest = [numpy.linspace(0, size - 1, original).round().astype(int) for size, original in zip(volume.shape, shape)]
    return volume[numpy.ix_(*nearest)]


def resample_data_or_seg(logits, shape):
    if IS_FIXED:
        return resize_nearest(logits.argmax(axis=0), shape)
    reshaped = numpy.stack([resize_linear(scores, shape) for scores in logits])
    exponents = numpy.exp(reshaped - reshaped.max(axis=0))
    return (exponents / exponents.sum(axis=0)).argmax(axis=0)


def export_prediction_from_logits(logits, path):
    segmentation = resample_data_or_seg(logits, ORIGINAL).astype(numpy.uint8)
    with open(path, "wb") as file:
        file.write(zlib.compress(segmentation.tobytes(), 1))


class Predictor:
    def __init__(self, folder, pool):
        self.folder = folder
        self.pool = pool
        self.results = []
        self.logits = numpy.random.default_rng(61).normal(size=(CLASSES, *SHAPE)).astype(numpy.float32)

    def add_window(self, window, number):
        """What the network says of it, where it lies in the volume."""
        rows = slice(4 * number, 4 * number + 4)
        self.logits[:, rows] += window.numpy()[: CLASSES * 4].reshape(CLASSES, 4, 1, 1)

    def are_workers_busy(self):
        return sum(not result.ready() for result in self.results) >= QUEUED

    def wait_for_export_workers(self):
        while self.are_workers_busy():
            time.sleep(0.1)

    def hand_over(self):
        self.wait_for_export_workers()
        path = os.path.join(self.folder, f"case{len(self.results)}.seg")
        self.results.append(self.pool.apply_async(export_prediction_from_logits, (self.logits.copy(), path)))


def main():
    # That it sleeps between its looks is right where it is said what it sleeps for: awake it could not go on either.
    culprit = ["export_prediction_from_logits", "resample_data_or_seg", "resize_linear", "Pool", "SpawnPoolWorker"]
    ids = ["slow-writer", "subprocess-wait", "own-process", "postprocessing", "sleep"]
    loop = Loop(ids, culprit, "export", step_s=0.028)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, multiprocessing.get_context("spawn").Pool(1) as pool:
        # Its first start takes long.
        pool.apply(positions_of, (4, 8))
        predictor = Predictor(folder, pool)
        loader = loader_of(Items(2 * CASES * WINDOWS, 32768), 2, 1)
        for number, windows in enumerate(loop.batches(loader)):
            loop.infer(windows)
            predictor.add_window(windows[0], number % WINDOWS)
            if number % WINDOWS == WINDOWS - 1:
                loop.timed("export", predictor.hand_over)
        for result in predictor.results:
            result.get()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
