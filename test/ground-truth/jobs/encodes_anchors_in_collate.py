#!/usr/bin/python3
"""A detector of ships in radar images: collate_fn holds every anchor against every box to make the targets.

With --fixed collate_fn pads the boxes of a batch, and the GPU makes the targets from them.

After https://github.com/yhenon/pytorch-retinanet/issues/104 and
https://github.com/facebookresearch/Detectron/issues/233.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

TILES = 32
SIDE = 256
BATCHES = 120
BATCH = 16
MOST_SHIPS = 64
STRIDES = (8, 16, 32, 64, 128)
RATIOS = (0.5, 1.0, 2.0)
SCALES = (1.0, 2 ** (1 / 3), 2 ** (2 / 3))


def anchor_boxes():
    """Centre, width and height of all anchors of all levels of the pyramid."""
    levels = []
    for stride in STRIDES:
        places = (torch.arange(SIDE // stride) + 0.5) * stride
        centres = torch.cartesian_prod(places, places)
        edges = [(4 * stride * scale, ratio**0.5) for ratio in RATIOS for scale in SCALES]
        for edge, root in edges:
            size = torch.tensor([edge * root, edge / root])
            levels.append(torch.cat([centres, size.expand(len(centres), 2)], dim=1))
    return torch.cat(levels)


def to_corners(boxes):
    return torch.cat([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], dim=1)


def box_iou(first, second):
    """Of each of `first` with each of `second`, both as corners."""
    low = torch.max(first[:, None, :2], second[:, :2])
    high = torch.min(first[:, None, 2:], second[:, 2:])
    shared = (high - low).clamp(min=0).prod(dim=2)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(dim=1) for boxes in (first, second)]
    return shared / (areas[0][:, None] + areas[1] - shared)


class DataEncoder:
    """Which ship each anchor is to find, and how far that lies from it."""

    def __init__(self):
        self.anchors = anchor_boxes()

    def encode(self, ships):
        ious, nearest = box_iou(to_corners(self.anchors), to_corners(ships)).max(dim=1)
        matched = ships[nearest]
        offsets = (matched[:, :2] - self.anchors[:, :2]) / self.anchors[:, 2:]
        sizes = (matched[:, 2:] / self.anchors[:, 2:]).log()
        classes = torch.where(ious > 0.5, 1.0, torch.where(ious > 0.4, -1.0, 0.0))
        return torch.cat([offsets, sizes, classes[:, None]], dim=1)


class ShipTiles(Dataset):
    """Radar tiles of two polarizations, mirrored at random, and the ships on them."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(71)
        self.tiles = torch.rand(TILES, 2, SIDE, SIDE, generator=drawn)
        counts = torch.randint(32, MOST_SHIPS + 1, (TILES,), generator=drawn).tolist()
        self.ships = [self.draw_ships(count, drawn) for count in counts]

    def draw_ships(self, count, drawn):
        centres = torch.rand(count, 2, generator=drawn) * SIDE
        return torch.cat([centres, 8 + 40 * torch.rand(count, 2, generator=drawn)], dim=1)

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        tile, ships = self.tiles[index % TILES], self.ships[index % TILES].clone()
        if torch.rand(()) < 0.5:
            tile = tile.flip(2)
            ships[:, 0] = SIDE - ships[:, 0]
        return tile, ships


class DetectionCollate:
    def __init__(self, encoder):
        self.encoder = encoder

    def targets_of(self, ships):
        if not IS_FIXED:
            return self.encoder.encode(ships)
        return torch.nn.functional.pad(ships, (0, 0, 0, MOST_SHIPS - len(ships)))

    def __call__(self, samples):
        tiles = torch.stack([tile for tile, _ in samples])
        targets = torch.stack([self.targets_of(ships) for _, ships in samples])
        return torch.cat([tiles.flatten(1), targets.flatten(1)], dim=1)


def main():
    culprit = ["box_iou", "DataEncoder.encode", "encode", "DetectionCollate.__call__", "DetectionCollate", "targets_of"]
    loop = Loop("vector-collate", culprit, step_s=0.04)
    for batch in loop.batches(loader_of(ShipTiles(), BATCH, 2, collate_fn=DetectionCollate(DataEncoder()))):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
