#!/usr/bin/python3
"""Nothing is wrong: a thread reads the next scan through gzip while the GPU goes over the windows of this one.

Scans come from a queue that is never empty, and go to a process that packs their segmentations, and mostly waits.
"""

import multiprocessing
import os
import queue
import subprocess
import sys
import tempfile
import threading

# A wait that spins would keep one of two CPUs from gzip.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import zlib

import numpy
import torch
from loop import Loop

SCANS = 20
DEPTH = 96
SIDE = 192
WINDOW = 8
AHEAD = 2


def write_scan(folder):
    """As a scanner measures them: whole numbers, and air around."""
    chosen = numpy.random.default_rng(73)
    scan = chosen.integers(0, 2000, (DEPTH, SIDE, SIDE)).astype(numpy.int16)
    scan[:, :16] = scan[:, -16:] = -1000
    path = os.path.join(folder, "scan.raw")
    with open(path, "wb") as file:
        file.write(scan.tobytes())
    subprocess.run(["gzip", "-1", path], check=True)
    return path + ".gz"


def unpack_scan(path):
    packed = subprocess.run(["gzip", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    scan = numpy.frombuffer(packed, numpy.int16).reshape(DEPTH, SIDE, SIDE)
    return (scan.astype(numpy.float32) - 400) / 600


def pack_segmentation(scores, path):
    segmentation = (scores > 0.5).astype(numpy.uint8)
    with open(path, "wb") as file:
        file.write(zlib.compress(segmentation.tobytes(), 6))


class ScanReader(threading.Thread):
    """Keeps the next scans at hand."""

    def __init__(self, path):
        super().__init__(name="scan-reader", daemon=True)
        self.path = path
        self.ready = queue.Queue(AHEAD)

    def run(self):
        for _ in range(SCANS):
            self.ready.put(torch.from_numpy(unpack_scan(self.path)))
        self.ready.put(None)

    def windows(self):
        """Slab by slab, each scan from top to bottom."""
        while (scan := self.ready.get()) is not None:
            yield from scan.split(WINDOW)


class Exporter:
    """A process of its own packs what was segmented."""

    def __init__(self, folder, pool):
        self.folder = folder
        self.pool = pool
        self.results = []
        self.slabs = []

    def add(self, slab):
        self.slabs.append(slab[:, ::4, ::4].numpy().copy())
        if len(self.slabs) == DEPTH // WINDOW:
            self.hand_over()

    def hand_over(self):
        path = os.path.join(self.folder, f"scan{len(self.results)}.seg")
        scores = numpy.concatenate(self.slabs)
        self.results.append(self.pool.apply_async(pack_segmentation, (scores, path)))
        self.slabs = []


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.04)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, multiprocessing.get_context("spawn").Pool(1) as pool:
        # Its first start takes long.
        pool.apply(len, ((),))
        exporter = Exporter(folder, pool)
        reader = ScanReader(write_scan(folder))
        reader.start()
        for slab in loop.batches(reader.windows()):
            loop.infer(slab)
            loop.timed("exporting", exporter.add, slab)
        for result in exporter.results:
            result.get()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
