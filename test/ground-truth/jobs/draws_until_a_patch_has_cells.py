#!/usr/bin/python3
"""Patches are drawn anywhere on a slide, prepared, and thrown away unless there are enough cells on them: 19 of 20 are.

With --fixed it is known beforehand where cells are, and each patch that is drawn is kept.

After https://github.com/computational-cell-analytics/micro-sam/issues/701, whose sampler tries up to 500 times for each sample.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import ConcatDataset, Dataset

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

SLIDES = 4
SLIDE_SIDE = 1024
PATCH_SIDE = 128
COLONY_SIDE = 160
SAMPLES_A_SLIDE = 1040
BATCH = 16
MAX_ATTEMPTS = 2000
OFFSETS = [(distance, axis) for distance in (1, 3, 9, 27) for axis in (0, 1)]


class MinForeground:
    """Takes patches of which at least so much is cells."""

    def __init__(self, least):
        self.least = least

    def __call__(self, labels):
        return numpy.count_nonzero(labels) / labels.size >= self.least


class Slide(Dataset):
    def __init__(self, seed, accepts):
        chosen = numpy.random.default_rng(seed)
        self.seed = seed
        self.accepts = accepts
        self.raw = chosen.integers(0, 255, (SLIDE_SIDE, SLIDE_SIDE), dtype=numpy.uint8)
        self.labels = numpy.zeros((SLIDE_SIDE, SLIDE_SIDE), dtype=numpy.int32)
        # One colony of cells, each of them 20 pixels wide.
        row, column = chosen.integers(PATCH_SIDE, SLIDE_SIDE - PATCH_SIDE - COLONY_SIDE, 2)
        cells = numpy.arange(1, (COLONY_SIDE // 20) ** 2 + 1, dtype=numpy.int32).reshape(COLONY_SIDE // 20, -1)
        self.labels[row : row + COLONY_SIDE, column : column + COLONY_SIDE] = cells.repeat(20, 0).repeat(20, 1)
        self.corners = self.corners_with_cells() if IS_FIXED else None

    def __len__(self):
        return SAMPLES_A_SLIDE

    def crop_at(self, row, column):
        place = (slice(row, row + PATCH_SIDE), slice(column, column + PATCH_SIDE))
        return self.raw[place], self.labels[place]

    def corners_with_cells(self):
        every = range(0, SLIDE_SIDE - PATCH_SIDE, 16)
        return [(row, column) for row in every for column in every if self.accepts(self.crop_at(row, column)[1])]

    def draw_corner(self, chosen):
        if self.corners is not None:
            return self.corners[chosen.integers(len(self.corners))]
        return chosen.integers(0, SLIDE_SIDE - PATCH_SIDE, 2)

    def prepare_patch(self, row, column):
        raw, labels = self.crop_at(row, column)
        raw = raw.astype(numpy.float32)
        raw = (raw - raw.mean()) / (raw.std() + 1e-6)
        borders = numpy.stack([labels != numpy.roll(labels, distance, axis) for distance, axis in OFFSETS])
        return raw, labels, borders

    def draw_accepted_patch(self, index):
        chosen = numpy.random.default_rng([self.seed, index])
        for _ in range(MAX_ATTEMPTS):
            raw, labels, borders = self.prepare_patch(*self.draw_corner(chosen))
            if self.accepts(labels):
                return raw, borders
        raise RuntimeError(f"no patch with cells after {MAX_ATTEMPTS} attempts")

    def __getitem__(self, index):
        raw, borders = self.draw_accepted_patch(index)
        return torch.from_numpy(raw), torch.from_numpy(borders.any(axis=0))


def main():
    culprit = ["draw_accepted_patch", "prepare_patch", "MinForeground", "Slide.__getitem__"]
    loop = Loop("slow-getitem", culprit, step_s=0.008)
    slides = ConcatDataset([Slide(seed, MinForeground(0.25)) for seed in range(SLIDES)])
    for patches, _ in loop.batches(loader_of(slides, BATCH, 2, shuffle=True)):
        loop.train(patches)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
