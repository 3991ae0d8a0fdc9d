#!/usr/bin/python3
"""Satellite images: for each patch a sampler looks through all scenes for those that cover it, and throws most patches away.

They are too cloudy. With --fixed the sampler knows which scenes lie in which square of a grid.

After https://github.com/torchgeo/torchgeo/issues/537 and https://github.com/Toblerity/rtree/pull/210.
"""

import os
import random
import sys
from typing import NamedTuple

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset, Sampler

SCENES = 3000
EXTENT = 400_000.0
SCENE_SIZE = 11_000.0
PATCH = 64
RESOLUTION = 10.0
BATCH = 32
BATCHES = 160
CLEAR_DATES = 2
MAX_CLOUDS = 0.45
MAX_TRIES = 8
PIXELS = 1100


class BoundingBox(NamedTuple):
    minx: float
    maxx: float
    miny: float
    maxy: float

    def intersects(self, other):
        return (
            self.minx <= other.maxx
            and self.maxx >= other.minx
            and self.miny <= other.maxy
            and self.maxy >= other.miny
        )


class Scene:
    """An image of a square on a day, in a strip of the satellite's path."""

    def __init__(self, chosen):
        x, y = chosen.uniform(0, EXTENT - SCENE_SIZE), chosen.uniform(0, EXTENT - SCENE_SIZE)
        self.bounds = BoundingBox(x, x + SCENE_SIZE, y, y + SCENE_SIZE)
        self.clouds = chosen.random()


class SceneList:
    """All scenes, one after the other."""

    def __init__(self, scenes):
        self.scenes = scenes

    def intersection(self, box):
        return [scene for scene in self.scenes if scene.bounds.intersects(box)]


class SceneGrid:
    """Scenes by the squares that they touch."""

    def __init__(self, scenes):
        self.squares = {}
        for scene in scenes:
            for square in self.touched(scene.bounds):
                self.squares.setdefault(square, []).append(scene)

    def touched(self, box):
        columns = range(int(box.minx // SCENE_SIZE), int(box.maxx // SCENE_SIZE) + 1)
        rows = range(int(box.miny // SCENE_SIZE), int(box.maxy // SCENE_SIZE) + 1)
        return [(column, row) for column in columns for row in rows]

    def intersection(self, box):
        near = {id(scene): scene for square in self.touched(box) for scene in self.squares.get(square, ())}
        return [scene for scene in near.values() if scene.bounds.intersects(box)]


class RandomBatchGeoSampler(Sampler):
    """Batches of patches, each anywhere in a scene, if enough clear images cover it."""

    def __init__(self, scenes, index):
        super().__init__(scenes)
        self.scenes = scenes
        self.index = index
        self.chosen = random.Random(19)

    def __len__(self):
        return BATCHES

    def get_random_bounding_box(self, scene):
        size = PATCH * RESOLUTION
        x = self.chosen.uniform(scene.bounds.minx, scene.bounds.maxx - size)
        y = self.chosen.uniform(scene.bounds.miny, scene.bounds.maxy - size)
        return BoundingBox(x, x + size, y, y + size)

    def is_clear(self, box):
        covering = self.index.intersection(box)
        return sum(scene.clouds < MAX_CLOUDS for scene in covering) >= CLEAR_DATES

    def sample_patch(self):
        for _ in range(MAX_TRIES):
            box = self.get_random_bounding_box(self.chosen.choice(self.scenes))
            if self.is_clear(box):
                break
        return box

    def __iter__(self):
        for _ in range(len(self)):
            yield [self.sample_patch() for _ in range(BATCH)]


class RasterDataset(Dataset):
    """Cuts patches out of a mosaic in memory; its pixels repeat."""

    def __init__(self):
        self.mosaic = torch.rand(4, PIXELS, PIXELS)

    def __getitem__(self, box):
        column, row = (int(place / RESOLUTION) % (PIXELS - PATCH) for place in (box.minx, box.miny))
        return self.mosaic[:, row : row + PATCH, column : column + PATCH].clone()


def main():
    chosen = random.Random(7)
    scenes = [Scene(chosen) for _ in range(SCENES)]
    index = SceneGrid(scenes) if IS_FIXED else SceneList(scenes)
    culprit = ["intersection", "intersects", "is_clear", "sample_patch", "RandomBatchGeoSampler"]
    loop = Loop("slow-sampler", culprit, step_s=0.035)
    torch.set_num_threads(1)
    sampler = RandomBatchGeoSampler(scenes, index)
    loader = DataLoader(RasterDataset(), batch_sampler=sampler, num_workers=1)
    for patches in loop.batches(loader):
        loop.train(patches)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
