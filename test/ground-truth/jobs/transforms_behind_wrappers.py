#!/usr/bin/python3
"""The dataset of a library calls a transform that was bound by functools.partial, below a Subset and a ConcatDataset.

With --fixed the spectra were made when the signals were read.
"""

import functools
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import ConcatDataset, Dataset, Subset

SIGNALS = 60
SAMPLES = 100_000
BATCH = 8
BATCHES = 420


class Compose:
    def __init__(self, *transforms):
        self.transforms = transforms

    def __call__(self, sample):
        for transform in self.transforms:
            sample = transform(sample)
        return sample


def power_spectrum(signal, bins):
    if IS_FIXED:
        return signal
    return numpy.abs(numpy.fft.rfft(signal))[:bins].astype(numpy.float32)


def scaled(signal, by):
    return signal * by


class VisionLikeDataset(Dataset):
    """What the folder datasets of a library have in common."""

    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(self.load(index))


class Signals(VisionLikeDataset):
    def __init__(self, transform):
        super().__init__(transform)
        self.signals = numpy.random.default_rng(1).random((SIGNALS, SAMPLES))
        if IS_FIXED:
            self.signals = numpy.abs(numpy.fft.rfft(self.signals))[:, :2000].astype(numpy.float32)

    def __len__(self):
        return BATCH * BATCHES

    def load(self, index):
        return self.signals[index % SIGNALS]


def main():
    loop = Loop("slow-getitem", ["power_spectrum"], step_s=0.005)
    transform = Compose(functools.partial(power_spectrum, bins=2000), functools.partial(scaled, by=0.5))
    half = BATCH * BATCHES // 2
    data = ConcatDataset([Subset(Signals(transform), range(half)), Subset(Signals(transform), range(half))])
    for batch in loop.batches(loader_of(data, BATCH, 1, shuffle=True)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
