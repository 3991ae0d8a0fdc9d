#!/usr/bin/python3
"""Four threads read compressed volumes ahead, but the library that reads them has one lock for all: they take turns.

Unpacking does without the interpreter, and the second CPU has nothing to do. With --fixed each file has its own lock.

After https://github.com/h5py/h5py/issues/591, of reads that use one CPU however many threads there are.
"""

import collections
import os
import sys
import tempfile
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

# A wait that spins would keep one of two CPUs from the threads.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 220
THREADS = 4
VOLUMES = 4
CHUNKS = 8
CHUNK = (32, 96, 96)
PATCHES = 10

library_lock = threading.RLock()


class ChunkedFile:
    """Chunks that are compressed one by one, with a table of where they are."""

    def __init__(self, path, table):
        self.file = open(path, "rb")
        self.table = table
        self.lock = threading.RLock() if IS_FIXED else library_lock

    def read_chunk(self, number):
        with self.lock:
            begin, size = self.table[number]
            self.file.seek(begin)
            return numpy.frombuffer(zlib.decompress(self.file.read(size)), numpy.float32).reshape(CHUNK)


class PatchReader:
    """A batch's patches are of one volume, and the next batch's of the next."""

    def __init__(self, volumes):
        self.volumes = volumes

    def read_patch(self, volume, number):
        chunk = volume.read_chunk(number % CHUNKS)
        corner = (number * 7) % 64
        return torch.from_numpy(chunk[:, corner : corner + 32, corner : corner + 32].copy())

    def read_batch(self, step):
        volume = self.volumes[step % len(self.volumes)]
        return torch.stack([self.read_patch(volume, step + patch) for patch in range(PATCHES)])


def read_ahead(reader):
    with ThreadPoolExecutor(THREADS, thread_name_prefix="patch-reader") as pool:
        waiting = collections.deque(pool.submit(reader.read_batch, step) for step in range(THREADS))
        for step in range(STEPS):
            if step + THREADS < STEPS:
                waiting.append(pool.submit(reader.read_batch, step + THREADS))
            yield waiting.popleft().result()


def write_volume(path, chosen):
    table = []
    with open(path, "wb") as file:
        for _ in range(CHUNKS):
            values = numpy.round(chosen.normal(0, 9, CHUNK)).astype(numpy.float32)
            packed = zlib.compress(values.tobytes(), 1)
            table.append((file.tell(), len(packed)))
            file.write(packed)
    return ChunkedFile(path, table)


def main():
    torch.set_num_threads(1)
    ids = ["thread-lock", "producer", "shared-lock", "slow-getitem"]
    culprit = ["read_chunk", "read_patch", "read_batch", "read_ahead", "patch-reader"]
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.022)
    chosen = numpy.random.default_rng(23)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        paths = [os.path.join(folder, f"scan-{number}.chunks") for number in range(VOLUMES)]
        reader = PatchReader([write_volume(path, chosen) for path in paths])
        for batch in loop.batches(read_ahead(reader)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
