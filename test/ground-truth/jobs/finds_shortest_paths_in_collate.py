#!/usr/bin/python3
"""A graph transformer wants the distance of each two atoms, and the collator finds them anew for each molecule of a batch.

With --fixed they were found when the molecules were read.

After https://github.com/microsoft/Graphormer/pull/78, of faster ones, and https://github.com/rampasek/GraphGPS/issues/43.
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

MOLECULES = 400
BATCH = 16
BATCHES = 620
ATOMS = (14, 24)
UNREACHED = 510
FEATURES = 128


class Molecule:
    """A ring and what hangs on it."""

    def __init__(self, chosen):
        self.atoms = int(chosen.integers(*ATOMS))
        self.features = chosen.random((self.atoms, FEATURES), dtype=numpy.float32)
        ring = [(atom, (atom + 1) % 6) for atom in range(6)]
        branches = [(atom, int(chosen.integers(atom))) for atom in range(6, self.atoms)]
        self.bonds = numpy.array(ring + branches)
        self.distances = floyd_warshall(self.adjacency()) if IS_FIXED else None

    def adjacency(self):
        matrix = numpy.zeros((self.atoms, self.atoms), dtype=bool)
        matrix[self.bonds[:, 0], self.bonds[:, 1]] = True
        return matrix | matrix.T


def floyd_warshall(adjacency):
    distances = numpy.where(adjacency, 1, UNREACHED)
    numpy.fill_diagonal(distances, 0)
    for between in range(len(distances)):
        for source in range(len(distances)):
            through = distances[source, between] + distances[between]
            distances[source] = numpy.minimum(distances[source], through)
    return distances


class Molecules(Dataset):
    def __init__(self):
        chosen = numpy.random.default_rng(7)
        self.molecules = [Molecule(chosen) for _ in range(MOLECULES)]

    def __len__(self):
        return BATCH * BATCHES

    def __getitem__(self, index):
        return self.molecules[index % MOLECULES]


class GraphCollator:
    def __call__(self, molecules):
        size = max(molecule.atoms for molecule in molecules)
        nodes = torch.zeros(len(molecules), size, FEATURES)
        spatial = torch.zeros(len(molecules), size, size)
        for row, molecule in enumerate(molecules):
            nodes[row, : molecule.atoms] = torch.from_numpy(molecule.features)
            distances = self.spatial_positions(molecule)
            spatial[row, : molecule.atoms, : molecule.atoms] = torch.from_numpy(distances)
        return nodes, spatial

    def spatial_positions(self, molecule):
        if molecule.distances is not None:
            return molecule.distances
        return floyd_warshall(molecule.adjacency())


def padded(nodes, spatial):
    """Both as the one piece of memory that is copied, as large for each batch."""
    batch = torch.zeros(BATCH, ATOMS[1], FEATURES + ATOMS[1])
    batch[:, : nodes.shape[1], :FEATURES] = nodes
    batch[:, : spatial.shape[1], FEATURES : FEATURES + spatial.shape[2]] = spatial
    return batch


def main():
    loop = Loop("vector-collate", ["floyd_warshall", "GraphCollator", "spatial_positions"], step_s=0.005)
    loader = loader_of(Molecules(), BATCH, 2, collate_fn=GraphCollator())
    for nodes, spatial in loop.batches(loader):
        loop.train(padded(nodes, spatial))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
