#!/usr/bin/python3
"""Scans are bent at random before they are learned from: spawned workers draw, smooth and apply a field for every other.

With --fixed that is done on the GPU.

After https://github.com/TorchIO-project/torchio/issues/288 and https://github.com/TorchIO-project/torchio/issues/1052.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.nn import functional
from torch.utils.data import Dataset

SCANS = 6
SHAPE = (32, 80, 80)
BATCH = 3
BATCHES = 140
PROBABILITY = 0.5
SIGMA = 3.0
RADIUS = 9
MAGNITUDE = 0.3


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, volume):
        for transform in self.transforms:
            volume = transform(volume)
        return volume


class RandFlip:
    def __call__(self, volume):
        return volume.flip(-1) if torch.rand(()) < 0.5 else volume


class RandGaussianNoise:
    def __call__(self, volume):
        return volume + 0.01 * torch.randn(volume.shape)


class Rand3DElastic:
    """Each voxel is moved by a smooth random field, and read between its eight neighbours."""

    def __init__(self):
        places = torch.arange(-RADIUS, RADIUS + 1, dtype=torch.float32)
        kernel = torch.exp(-0.5 * (places / SIGMA) ** 2)
        self.kernel = kernel / kernel.sum()
        self.grid = functional.affine_grid(torch.eye(3, 4)[None], [1, 1, *SHAPE], align_corners=False)

    def gaussian_filter(self, field):
        for axis in range(3):
            shape = [1] * 3
            shape[axis] = len(self.kernel)
            padding = [0] * 3
            padding[axis] = RADIUS
            weights = self.kernel.view(1, 1, *shape).expand(3, 1, *shape)
            field = functional.conv3d(field, weights, padding=tuple(padding), groups=3)
        return field

    def draw_field(self):
        field = self.gaussian_filter(torch.rand(1, 3, *SHAPE) * 2 - 1)
        return self.grid + MAGNITUDE * field.permute(0, 2, 3, 4, 1)

    def resample(self, volume, grid):
        bent = functional.grid_sample(volume[None], grid, padding_mode="reflection", align_corners=False)
        return bent[0]

    def __call__(self, volume):
        if torch.rand(()) < PROBABILITY:
            volume = self.resample(volume, self.draw_field())
        return volume


class Scans(Dataset):
    def __init__(self, transform):
        self.volumes = torch.randn(SCANS, 1, *SHAPE, generator=torch.Generator().manual_seed(2))
        self.transform = transform

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        return self.transform(self.volumes[index % SCANS])


def main():
    transforms = [RandFlip(), RandGaussianNoise()]
    if not IS_FIXED:
        transforms.append(Rand3DElastic())
    culprit = ["Rand3DElastic", "gaussian_filter", "resample", "draw_field", "__call__", "conv3d", "grid_sample"]
    # PyTorch's own operators are what a library of transforms is elsewhere, and the dataset calls them.
    loop = Loop(["gpu-augment", "slow-getitem"], culprit, step_s=0.03)
    loader = loader_of(Scans(Compose(transforms)), BATCH, 2, multiprocessing_context="spawn")
    for batch in loop.batches(loader):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
