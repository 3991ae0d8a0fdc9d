#!/usr/bin/python3
"""Nothing is wrong: a thread looks every 5 ms how much memory the job has, and sleeps in between.

Two workers are busy a third of the time, and ahead of the GPU.

After https://github.com/huggingface/transformers/pull/10937, which finds peaks in this way.
"""

import os
import sys
import threading
import time
import zlib

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop, loader_of
from torch.utils.data import Dataset

STEPS = 420
BATCH = 16
PAUSE_S = 0.005
SHAPE = (64, 64)


class PeakSampler:
    """The most memory that was seen at any time, in pages."""

    def __init__(self):
        self.peak = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch, name="peak-sampler", daemon=True)

    def resident_pages(self):
        with open("/proc/self/statm", encoding="utf8") as file:
            return int(file.read().split()[1])

    def watch(self):
        while not self.is_over.is_set():
            self.peak = max(self.peak, self.resident_pages())
            time.sleep(PAUSE_S)

    def stop(self):
        self.is_over.set()
        self.thread.join()


class Spectra(Dataset):
    def __init__(self):
        values = numpy.random.default_rng(8).normal(0, 20, (40, 9, *SHAPE))
        self.packed = [zlib.compress(numpy.round(part).astype(numpy.float32).tobytes(), 1) for part in values]

    def __len__(self):
        return STEPS * BATCH

    def unpack_spectrum(self, index):
        parts = numpy.frombuffer(zlib.decompress(self.packed[index % len(self.packed)]), dtype=numpy.float32)
        return parts.reshape(9, *SHAPE).mean(axis=0)

    def __getitem__(self, index):
        return torch.from_numpy(self.unpack_spectrum(index))


def main():
    loop = Loop(step_s=0.022)
    sampler = PeakSampler()
    loader = loader_of(Spectra(), BATCH, 2)
    sampler.thread.start()
    for batch in loop.batches(loader):
        loop.train(batch)
    sampler.stop()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
