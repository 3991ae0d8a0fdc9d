#!/usr/bin/python3
"""Two causes: a worker warps mosaics of four images, and the boxes of each layer are matched in Python.

With --fixed mosaics were made beforehand, and a row of the costs is looked through for all images at once.

After https://github.com/meituan/YOLOv6/issues/473 and https://github.com/facebookresearch/detr/issues/562.
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

STEPS = 160
BATCH = 8
SIDE = 192
LAYERS = 2
QUERIES = 100
TARGETS = 12


def put_together(images):
    return numpy.vstack((numpy.hstack(images[:2]), numpy.hstack(images[2:])))


def warp_affine(picture, turn, shift):
    """Bilinear, back to the size of one image."""
    rows, columns = numpy.mgrid[0:SIDE, 0:SIDE].astype(numpy.float32)
    x = numpy.clip(turn[0] * columns - turn[1] * rows + shift[0], 0, 2 * SIDE - 2)
    y = numpy.clip(turn[1] * columns + turn[0] * rows + shift[1], 0, 2 * SIDE - 2)
    left, top = x.astype(numpy.int64), y.astype(numpy.int64)
    right_part = (x - left).astype(numpy.float32)[..., None]
    low_part = (y - top).astype(numpy.float32)[..., None]
    above = picture[top, left] * (1 - right_part) + picture[top, left + 1] * right_part
    below = picture[top + 1, left] * (1 - right_part) + picture[top + 1, left + 1] * right_part
    return above * (1 - low_part) + below * low_part


class MosaicDetection(Dataset):
    def __init__(self):
        chosen = numpy.random.default_rng(29)
        self.images = [chosen.random((SIDE, SIDE, 3), dtype=numpy.float32) for _ in range(16)]
        self.made = [self.load_mosaic(index) for index in range(8)] if IS_FIXED else None

    def __len__(self):
        return STEPS * BATCH

    def load_mosaic(self, index):
        chosen = numpy.random.default_rng(index)
        picture = put_together([self.images[number] for number in chosen.integers(0, 16, 4)])
        angle = chosen.uniform(-0.2, 0.2)
        turn = numpy.float32(numpy.cos(angle)), numpy.float32(numpy.sin(angle))
        return warp_affine(picture, turn, chosen.uniform(16, 80, 2).astype(numpy.float32))

    def __getitem__(self, index):
        mosaic = self.made[index % 8] if IS_FIXED else self.load_mosaic(index)
        return torch.from_numpy(mosaic.transpose(2, 0, 1).copy())


def assign_boxes(costs):
    """A query for each target, so that all together cost least: the shortest augmenting paths."""
    targets, queries = len(costs), len(costs[0])
    of_target, of_query = [0.0] * (targets + 1), [0.0] * (queries + 1)
    taken, before = [0] * (queries + 1), [0] * (queries + 1)
    for target in range(1, targets + 1):
        taken[0], query = target, 0
        least, seen = [float("inf")] * (queries + 1), [False] * (queries + 1)
        while taken[query]:
            seen[query] = True
            row, step, following = taken[query], float("inf"), 0
            for other in range(1, queries + 1):
                if seen[other]:
                    continue
                cost = costs[row - 1][other - 1] - of_target[row] - of_query[other]
                if cost < least[other]:
                    least[other], before[other] = cost, query
                if least[other] < step:
                    step, following = least[other], other
            for other in range(queries + 1):
                if seen[other]:
                    of_target[taken[other]] += step
                    of_query[other] -= step
                else:
                    least[other] -= step
            query = following
        while query:
            taken[query], query = taken[before[query]], before[query]
    return [query - 1 for query, target in enumerate(taken) if query and target]


def choose_boxes(costs):
    """For all images at once, target by target the query that is left and costs least."""
    costs = costs.copy()
    every = numpy.arange(len(costs))
    chosen = []
    for target in range(TARGETS):
        best = costs[:, target].argmin(axis=1)
        costs[every, :, best] = numpy.inf
        chosen.append(best)
    return numpy.stack(chosen, axis=1)


class HungarianMatcher:
    def __init__(self):
        self.costs = numpy.random.default_rng(31).random((LAYERS, BATCH, TARGETS, QUERIES))

    def match_layer(self, costs):
        return choose_boxes(costs) if IS_FIXED else [assign_boxes(image.tolist()) for image in costs]


class SetCriterion:
    """The boxes of each decoder layer are matched, and not of the last one alone."""

    def __init__(self, matcher):
        self.matcher = matcher

    def match_boxes(self):
        return [self.matcher.match_layer(costs) for costs in self.matcher.costs]


def main():
    culprit = ["warp_affine", "put_together", "load_mosaic", "MosaicDetection.__getitem__"]
    loop = Loop(["slow-getitem", "gpu-augment"], culprit, also_right=["more-workers"], step_s=0.01)
    matching = ["assign_boxes", "match_layer", "match_boxes", "HungarianMatcher"]
    loop.also(["host-work", "host-metrics"], matching, "matching")
    loop.verdicts = ["host-bound", "input-bound", "balanced"]
    criterion = SetCriterion(HungarianMatcher())
    for batch in loop.batches(loader_of(MosaicDetection(), BATCH, 1)):
        loop.train(batch)
        loop.timed("matching", criterion.match_boxes)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
