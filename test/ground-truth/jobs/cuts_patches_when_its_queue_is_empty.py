#!/usr/bin/python3
"""Volumes come from two workers, but the main process cuts their patches: 200 at once, when its queue is empty.

The loader that takes from the queue can't have workers of its own. With --fixed the workers of the volumes cut them.

After https://github.com/TorchIO-project/torchio/issues/183, whose reporter moved it into collate_fn, and issue 393 there,
whose GPU rests after every 25 steps.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import DataLoader, Dataset

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

REFILLS = 15
BATCH = 8
PATCHES_A_VOLUME = 40
QUEUE_LENGTH = 200
VOLUME_SIDE = 80
PATCH_SIDE = 32
LEVELS = numpy.linspace(1, 99, 13)
STANDARD = numpy.linspace(-1, 1, 13)


class Subjects(Dataset):
    def __len__(self):
        return REFILLS * QUEUE_LENGTH // PATCHES_A_VOLUME

    def __getitem__(self, index):
        return numpy.random.default_rng(index).integers(0, 2000, (VOLUME_SIDE,) * 3, dtype=numpy.int16)


class UniformSampler:
    """Patches of a volume from anywhere in it, each with its histogram made alike."""

    def __init__(self):
        self.chosen = random.Random(7)

    def standardize_histogram(self, patch):
        landmarks = numpy.percentile(patch, LEVELS)
        alike = numpy.interp(patch, landmarks, STANDARD)
        return ((alike - alike.mean()) / alike.std()).astype(numpy.float32)

    def cut_patches(self, volume):
        patches = numpy.empty((PATCHES_A_VOLUME,) + (PATCH_SIDE,) * 3, dtype=numpy.float32)
        for patch in patches:
            place = tuple(
                slice(first, first + PATCH_SIDE)
                for first in (self.chosen.randrange(VOLUME_SIDE - PATCH_SIDE) for _ in range(3))
            )
            patch[:] = self.standardize_histogram(volume[place])
        return torch.from_numpy(patches)


class PatchQueue(Dataset):
    def __init__(self, sampler):
        self.sampler = sampler
        self.patches = []
        self.subjects = None

    def __len__(self):
        return REFILLS * QUEUE_LENGTH

    def collate_subject(self, volumes):
        return self.sampler.cut_patches(volumes[0]) if IS_FIXED else torch.from_numpy(volumes[0])

    def next_patches(self):
        if self.subjects is None:
            self.subjects = iter(
                DataLoader(Subjects(), num_workers=2, prefetch_factor=3, collate_fn=self.collate_subject)
            )
        taken = next(self.subjects)
        return taken if IS_FIXED else self.sampler.cut_patches(taken.numpy())

    def fill(self):
        while len(self.patches) < QUEUE_LENGTH:
            self.patches.extend(self.next_patches())
        random.shuffle(self.patches)

    def __getitem__(self, _):
        if not self.patches:
            self.fill()
        return self.patches.pop()


def main():
    ids = ["slow-getitem", "host-data-movement", "host-work", "workers-zero"]
    culprit = ["cut_patches", "standardize_histogram", "PatchQueue.fill", "fill"]
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.012)
    # True of the loader that takes from the queue, whoever says it without a name.
    loop.also_right += ["workers-zero"]
    for batch in loop.batches(loader_of(PatchQueue(UniformSampler()), BATCH, 0)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
