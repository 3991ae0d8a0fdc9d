#!/usr/bin/python3
"""Two causes: a worker thins each cloud to its farthest points one by one, and clouds are logged as indented JSON at times.

With --fixed clouds were thinned before, and are logged in binary form.

After https://github.com/MegEngine/OMNet/issues/5 and https://github.com/wandb/wandb/issues/3023.
"""

import os
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import json

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset
from trainer import Trainer

BATCH = 24
BATCHES = 120
SCANNED = 1500
POINTS = 192
SHAPES = 48
EVERY = 15
LOGGED_POINTS = 12000
LOGGED_CLOUDS = 8


def farthest_point_sample(points, count):
    """The first at random, and then always the one that is farthest from all so far."""
    chosen = numpy.zeros(count, dtype=numpy.int64)
    distance = numpy.full(len(points), 1e10, dtype=numpy.float32)
    farthest = len(points) // 2
    for number in range(count):
        chosen[number] = farthest
        distance = numpy.minimum(distance, ((points - points[farthest]) ** 2).sum(axis=1))
        farthest = int(distance.argmax())
    return points[chosen]


def pc_normalize(points):
    points = points - points.mean(axis=0)
    return points / numpy.sqrt((points**2).sum(axis=1).max())


class ModelNetDataset(Dataset):
    def __init__(self):
        chosen = numpy.random.default_rng(67)
        self.shapes = [chosen.normal(size=(SCANNED, 3)).astype(numpy.float32) for _ in range(SHAPES)]
        if IS_FIXED:
            self.shapes = [farthest_point_sample(points, POINTS) for points in self.shapes]

    def __len__(self):
        return BATCH * BATCHES

    def __getitem__(self, index):
        points = self.shapes[index % SHAPES]
        if not IS_FIXED:
            points = farthest_point_sample(points, POINTS)
        return torch.from_numpy(pc_normalize(points).reshape(-1))


class Object3D:
    """A cloud with its colours, as the page of a run shows it."""

    def __init__(self, points):
        self.points = points

    def save(self, path):
        if IS_FIXED:
            numpy.save(path + ".npy", self.points)
            return
        with open(path + ".pts.json", "w", encoding="utf8") as file:
            json.dump(self.points.tolist(), file, separators=(",", ":"), sort_keys=True, indent=4)


class MediaLogger:
    part = "media"

    def __init__(self, folder):
        self.folder = folder
        self.predicted = numpy.random.default_rng(71).random((LOGGED_CLOUDS, LOGGED_POINTS, 6), dtype=numpy.float32)

    def after_step(self, trainer):
        if trainer.step % EVERY == 0:
            self.log_point_clouds(trainer.step)

    def log_point_clouds(self, step):
        for number, points in enumerate(self.predicted):
            Object3D(points).save(os.path.join(self.folder, f"cloud_{step}_{number}"))


def main():
    culprit = ["farthest_point_sample", "ModelNetDataset.__getitem__"]
    loop = Loop(["slow-getitem", "gpu-augment"], culprit, step_s=0.03)
    logging = ["Object3D.save", "log_point_clouds", "MediaLogger", "json"]
    # It logs by saving files: both are right of it.
    loop.also(["host-metrics", "slow-output", "host-work", "checkpoint"], logging, "media")
    loop.verdicts = ["input-bound", "host-bound"]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Trainer(loop, loader_of(ModelNetDataset(), BATCH, 2), [MediaLogger(folder)]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
