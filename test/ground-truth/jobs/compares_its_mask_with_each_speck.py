#!/usr/bin/python3
"""Segmentation of cells: each step works out Dice without small specks, and compares the whole mask for each.

What is predicted is full of specks in the beginning. With --fixed every 40th batch is scored.

After https://github.com/Lightning-AI/pytorch-lightning/issues/3050.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

STEPS = 240
BATCH = 6
SIDE = 112
SMALLEST = 40
SCORE_EVERY = 40 if IS_FIXED else 1


def draw_cells(seed):
    """How likely each pixel is one of a cell: round spots of some sizes."""
    drawn = numpy.random.default_rng(seed)
    rows, columns = numpy.mgrid[0:SIDE, 0:SIDE].astype(numpy.float32)
    spots = numpy.zeros((SIDE, SIDE), dtype=numpy.float32)
    for row, column, radius in zip(*drawn.uniform(0, SIDE, (2, 14)), drawn.uniform(4, 9, 14)):
        spots = numpy.maximum(spots, numpy.exp(-((rows - row) ** 2 + (columns - column) ** 2) / (2 * radius**2)))
    return spots


class Cells(Dataset):
    def __init__(self):
        self.images = numpy.stack([draw_cells(seed) for seed in range(24)])

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        return torch.from_numpy(self.images[index % len(self.images)])


class SegmentationModel:
    """Its answers are noise at first, and become clear."""

    def __init__(self, loop):
        self.loop = loop
        self.drawn = numpy.random.default_rng(89)

    def training_step(self, images, step):
        self.loop.train(images)
        noise = self.drawn.normal(scale=0.05 + 0.45 * 0.985**step, size=images.shape)
        return images.numpy() + noise.astype(numpy.float32)


def spread_lowest(labels, mask):
    """Each pixel takes the lowest label of its neighbours."""
    spread = labels.copy()
    numpy.minimum(spread[1:], labels[:-1], out=spread[1:])
    numpy.minimum(spread[:-1], labels[1:], out=spread[:-1])
    numpy.minimum(spread[:, 1:], labels[:, :-1], out=spread[:, 1:])
    numpy.minimum(spread[:, :-1], labels[:, 1:], out=spread[:, :-1])
    return numpy.where(mask, spread, mask.size)


def connected_components(mask):
    """How many there are with the background, which is 0, and the number of each pixel's."""
    labels = numpy.where(mask, numpy.arange(mask.size, dtype=numpy.int32).reshape(mask.shape), mask.size)
    while True:
        spread = spread_lowest(labels, mask)
        if (spread == labels).all():
            break
        labels = spread
    lowest, numbers = numpy.unique(labels[mask], return_inverse=True)
    components = numpy.zeros(mask.shape, dtype=numpy.int32)
    components[mask] = numbers + 1
    return len(lowest) + 1, components


def post_process(probability, threshold, min_size):
    """The mask without components that are smaller."""
    count, components = connected_components(probability > threshold)
    predictions = numpy.zeros(probability.shape, dtype=numpy.float32)
    for number in range(1, count):
        component = components == number
        if component.sum() > min_size:
            predictions[component] = 1
    return predictions


class DiceWithoutSpecks:
    def __init__(self):
        self.sums = []

    def dice_of(self, probability, truth):
        predicted = post_process(probability, 0.5, SMALLEST)
        return 2 * (predicted * truth).sum() / (predicted.sum() + truth.sum() + 1e-6)

    def update(self, probabilities, truths):
        self.sums.append(sum(map(self.dice_of, probabilities, truths)) / len(truths))


def main():
    culprit = ["post_process", "connected_components", "DiceWithoutSpecks", "DiceWithoutSpecks.update", "dice_of"]
    loop = Loop(["host-metrics", "host-work"], culprit, "dice", step_s=0.025)
    model, dice = SegmentationModel(loop), DiceWithoutSpecks()
    for step, images in enumerate(loop.batches(loader_of(Cells(), BATCH, 1))):
        probabilities = model.training_step(images, step)
        if step % SCORE_EVERY == 0:
            loop.timed("dice", dice.update, probabilities, images.numpy() > 0.5)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
