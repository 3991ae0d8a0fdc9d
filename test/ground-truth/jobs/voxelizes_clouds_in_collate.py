#!/usr/bin/python3
"""A detector for laser scans: collate_fn puts the points of each cloud into voxels, point by point in Python.

With --fixed it sorts the points by their voxels in NumPy.

After https://github.com/filaPro/oneformer3d/issues/47 and https://github.com/yanx27/JS3C-Net/issues/17.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

SCANS = 24
POINTS = 5000
BATCHES = 130
BATCH = 8
VOXELS = 3100
POINTS_A_VOXEL = 5
VOXEL_SIZE = numpy.array([0.8, 0.8, 1.0], dtype=numpy.float32)
LOW = numpy.array([0.0, -40.0, -3.0], dtype=numpy.float32)
HIGH = numpy.array([70.4, 40.0, 1.0], dtype=numpy.float32)
GRID = numpy.round((HIGH - LOW) / VOXEL_SIZE).astype(numpy.int64)


def draw_scan(seed):
    """Place and reflectance of points, more of them near the car than far away."""
    drawn = numpy.random.default_rng(seed)
    distance = drawn.gamma(2.0, 9.0, POINTS)
    angle = drawn.uniform(-0.7, 0.7, POINTS)
    height = drawn.uniform(-2.5, 0.5, POINTS)
    return numpy.stack(
        [distance * numpy.cos(angle), distance * numpy.sin(angle), height, drawn.uniform(0, 1, POINTS)], axis=1
    ).astype(numpy.float32)


class LidarScans(Dataset):
    def __init__(self):
        self.scans = [draw_scan(seed) for seed in range(SCANS)]

    def __len__(self):
        return BATCHES * BATCH

    def rotate(self, points, angle):
        sine, cosine = numpy.sin(angle), numpy.cos(angle)
        turned = points.copy()
        turned[:, :2] = points[:, :2] @ numpy.array([[cosine, sine], [-sine, cosine]], dtype=numpy.float32)
        return turned

    def __getitem__(self, index):
        points = self.rotate(self.scans[index % SCANS], (index % 31 - 15) * 0.01)
        return points[((points[:, :3] >= LOW) & (points[:, :3] < HIGH)).all(axis=1)]


class PointToVoxel:
    """Voxels in the order of their first points; of each no more than a few points are kept."""

    def empty(self):
        features = numpy.zeros((VOXELS, POINTS_A_VOXEL, 4), dtype=numpy.float32)
        return features, numpy.full((VOXELS, 3), -1, dtype=numpy.float32)

    def points_to_voxel(self, points):
        features, coordinates = self.empty()
        number_of, counts = {}, []
        for point in points.tolist():
            voxel = tuple(int((place - low) / size) for place, low, size in zip(point, LOW_LIST, SIZE_LIST))
            number = number_of.get(voxel)
            if number is None:
                if len(number_of) == VOXELS:
                    continue
                number = number_of[voxel] = len(counts)
                coordinates[number] = voxel
                counts.append(0)
            if counts[number] < POINTS_A_VOXEL:
                features[number, counts[number]] = point
                counts[number] += 1
        return features, coordinates


class SortingPointToVoxel(PointToVoxel):
    def points_to_voxel(self, points):
        features, coordinates = self.empty()
        voxels = ((points[:, :3] - LOW) / VOXEL_SIZE).astype(numpy.int64)
        flat = (voxels[:, 0] * GRID[1] + voxels[:, 1]) * GRID[2] + voxels[:, 2]
        order = numpy.argsort(flat, kind="stable")
        begins = numpy.flatnonzero(numpy.diff(flat[order], prepend=-1))
        number = numpy.cumsum(numpy.diff(flat[order], prepend=-1) != 0) - 1
        within = numpy.arange(len(order)) - begins[number]
        kept = (within < POINTS_A_VOXEL) & (number < VOXELS)
        features[number[kept], within[kept]] = points[order[kept]]
        coordinates[: len(begins)] = voxels[order[begins[:VOXELS]]]
        return features, coordinates


LOW_LIST, SIZE_LIST = LOW.tolist(), VOXEL_SIZE.tolist()
generator = SortingPointToVoxel() if IS_FIXED else PointToVoxel()


def collate_clouds(clouds):
    voxelized = [generator.points_to_voxel(points) for points in clouds]
    features = numpy.stack([features.reshape(VOXELS, -1) for features, _ in voxelized])
    coordinates = numpy.stack([coordinates for _, coordinates in voxelized])
    return torch.from_numpy(numpy.concatenate([features, coordinates], axis=2))


def main():
    loop = Loop("vector-collate", ["points_to_voxel", "collate_clouds", "PointToVoxel"], step_s=0.03)
    for batch in loop.batches(loader_of(LidarScans(), BATCH, 2, collate_fn=collate_clouds)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
