#!/usr/bin/python3
"""Poses of several people: a worker draws the heatmap of each joint and the field along each limb pixel by pixel in Python.

With --fixed the maps of each picture were drawn before.

After https://github.com/tensorlayer/HyperPose/issues/150 and
https://github.com/microsoft/human-pose-estimation.pytorch/issues/31.
"""

import math
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

PICTURES = 48
BATCH = 10
BATCHES = 130
MAP_SIDE = 46
STRIDE = 8
JOINTS = 17
LIMBS = [(joint, joint + 1) for joint in range(JOINTS - 1)] + [(0, 5), (0, 11), (5, 11)]
SIGMA = 8.0
# Below exp(-this) nothing is drawn.
THRESHOLD = 4.6052
LIMB_WIDTH = 1.0


def draw_people(seed):
    """Where each joint of each person lies in the picture, in pixels: some pictures show a crowd."""
    drawn = numpy.random.default_rng(seed)
    people = drawn.integers(3, 10)
    centres = drawn.uniform(60, STRIDE * MAP_SIDE - 60, (people, 1, 2))
    return centres + drawn.normal(0, 22, (people, JOINTS, 2))


def put_heatmap(heatmap, plane, centre, sigma):
    """A bump around a joint; where those of two people overlap, the higher one is seen."""
    centre_x, centre_y = centre
    reach = math.sqrt(2 * THRESHOLD) * sigma
    x0, x1 = int(max(0, centre_x - reach)), int(min(STRIDE * MAP_SIDE - 1, centre_x + reach))
    y0, y1 = int(max(0, centre_y - reach)), int(min(STRIDE * MAP_SIDE - 1, centre_y + reach))
    for y in range(y0 // STRIDE, y1 // STRIDE + 1):
        for x in range(x0 // STRIDE, x1 // STRIDE + 1):
            apart = (x * STRIDE - centre_x) ** 2 + (y * STRIDE - centre_y) ** 2
            exponent = apart / 2 / sigma / sigma
            if exponent > THRESHOLD:
                continue
            heatmap[plane, y, x] = min(max(heatmap[plane, y, x], math.exp(-exponent)), 1.0)


def put_vectormap(vectormap, counts, plane, start, end):
    """The direction of a limb at each place that lies near the line between its joints."""
    (start_x, start_y), (end_x, end_y) = start / STRIDE, end / STRIDE
    length = math.hypot(end_x - start_x, end_y - start_y)
    if length == 0:
        return
    along_x, along_y = (end_x - start_x) / length, (end_y - start_y) / length
    x0, x1 = max(0, int(min(start_x, end_x) - 1)), min(MAP_SIDE - 1, int(max(start_x, end_x) + 1))
    y0, y1 = max(0, int(min(start_y, end_y) - 1)), min(MAP_SIDE - 1, int(max(start_y, end_y) + 1))
    for y in range(y0, y1 + 1):
        for x in range(x0, x1 + 1):
            apart = abs((x - start_x) * along_y - (y - start_y) * along_x)
            if apart > LIMB_WIDTH:
                continue
            counts[plane, y, x] += 1
            vectormap[2 * plane, y, x] += along_x
            vectormap[2 * plane + 1, y, x] += along_y


class Normalize:
    def __call__(self, results):
        results["img"] = (results["img"].astype(numpy.float32) / 127.5 - 1).transpose(2, 0, 1)
        return results


class GenerateTargets:
    def heatmaps(self, people):
        heatmap = numpy.zeros((JOINTS, MAP_SIDE, MAP_SIDE), numpy.float32)
        for person in people:
            for joint, centre in enumerate(person):
                put_heatmap(heatmap, joint, centre, SIGMA)
        return heatmap

    def vectormaps(self, people):
        vectormap = numpy.zeros((2 * len(LIMBS), MAP_SIDE, MAP_SIDE), numpy.float32)
        counts = numpy.zeros((len(LIMBS), MAP_SIDE, MAP_SIDE), numpy.float32)
        for person in people:
            for plane, (first, second) in enumerate(LIMBS):
                put_vectormap(vectormap, counts, plane, person[first], person[second])
        return vectormap / numpy.maximum(counts, 1).repeat(2, axis=0)

    def __call__(self, results):
        if "target" not in results:
            people = results["keypoints"]
            results["target"] = numpy.concatenate([self.heatmaps(people), self.vectormaps(people)])
        return results


class CocoKeypoints(Dataset):
    def __init__(self, pipeline):
        drawn = numpy.random.default_rng(17)
        side = STRIDE * MAP_SIDE // 4
        self.pictures = drawn.integers(0, 256, (PICTURES, side, side, 3), dtype=numpy.uint8)
        self.keypoints = [draw_people(seed) for seed in range(PICTURES)]
        self.pipeline = pipeline
        self.drawn_before = [GenerateTargets()(self.load(index)) for index in range(PICTURES)] if IS_FIXED else []

    def __len__(self):
        return BATCHES * BATCH

    def load(self, index):
        return {"img": self.pictures[index], "keypoints": self.keypoints[index]}

    def __getitem__(self, index):
        results = self.load(index % PICTURES)
        if IS_FIXED:
            results["target"] = self.drawn_before[index % PICTURES]["target"]
        for transform in self.pipeline:
            results = transform(results)
        return torch.from_numpy(numpy.concatenate([results["img"].reshape(-1), results["target"].reshape(-1)]))


def main():
    drawing = ["put_heatmap", "put_vectormap", "GenerateTargets", "heatmaps", "vectormaps", "CocoKeypoints.__getitem__"]
    # It is one of the transforms of a picture, and others who had the same moved it to the GPU.
    loop = Loop(["slow-getitem", "gpu-augment"], drawing, step_s=0.05)
    for batch in loop.batches(loader_of(CocoKeypoints([Normalize(), GenerateTargets()]), BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
