#!/usr/bin/python3
"""Molecular dynamics with learned forces: which atoms are near each other is worked out anew on the host for each step.

With --fixed the list reaches a bit further than the network looks, and is made again once an atom has moved by half of that.

After https://github.com/ACEsuit/mace/issues/1296 and https://github.com/atomistic-machine-learning/schnetpack/issues/571.
"""

import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 220
ATOMS = 1000
BOX = 21.5
CUTOFF = 4.2
SKIN = 1.0
EDGES = 96_000
# Ångström a step, as atoms of water at 300 K move in a third of a femtosecond.
SPEED = 0.0025
FRICTION = 0.05


def wrap(vectors):
    """The shortest of all that lead to an image of the atom."""
    return vectors - BOX * numpy.round(vectors / BOX)


class CellList:
    """Atoms by the cells of a grid, each at least as wide as the cutoff."""

    def __init__(self, positions, cutoff):
        self.cells = int(BOX // cutoff)
        home = (positions % BOX / BOX * self.cells).astype(numpy.int64) % self.cells
        flat = (home[:, 0] * self.cells + home[:, 1]) * self.cells + home[:, 2]
        self.order = numpy.argsort(flat, kind="stable")
        self.starts = numpy.searchsorted(flat[self.order], numpy.arange(self.cells**3 + 1))

    def members(self, cell):
        x, y, z = (place % self.cells for place in cell)
        number = (x * self.cells + y) * self.cells + z
        return self.order[self.starts[number] : self.starts[number + 1]]

    def around(self, cell):
        moves = itertools.product((-1, 0, 1), repeat=3)
        return numpy.concatenate([self.members([place + move for place, move in zip(cell, by)]) for by in moves])

    def all(self):
        return itertools.product(range(self.cells), repeat=3)


def primitive_neighbor_list(positions, cutoff):
    """Pairs of atoms that are no further from each other."""
    cells = CellList(positions, cutoff)
    centers, others = [], []
    for cell in cells.all():
        members, around = cells.members(cell), cells.around(cell)
        vectors = wrap(positions[around][None] - positions[members][:, None])
        near = (vectors**2).sum(axis=-1) < cutoff**2
        first, second = numpy.nonzero(near & (members[:, None] != around[None]))
        centers.append(members[first])
        others.append(around[second])
    return numpy.stack([numpy.concatenate(centers), numpy.concatenate(others)])


class NeighborList:
    def get_neighbors(self, positions):
        return primitive_neighbor_list(positions, CUTOFF)


class SkinNeighborList:
    """The network leaves out pairs that are further apart than it looks."""

    def __init__(self):
        self.built_at = None
        self.pairs = None

    def get_neighbors(self, positions):
        if self.built_at is None or (wrap(positions - self.built_at) ** 2).sum(axis=1).max() > (SKIN / 2) ** 2:
            self.built_at = positions.copy()
            self.pairs = primitive_neighbor_list(positions, CUTOFF + SKIN)
        return self.pairs


class Calculator:
    """Forces by the network."""

    def __init__(self, loop, neighbors):
        self.loop = loop
        self.neighbors = neighbors
        self.edges = torch.zeros(2, EDGES, dtype=torch.int32)
        self.drawn = numpy.random.default_rng(11)

    def build_graph(self, positions):
        pairs = self.neighbors.get_neighbors(positions)
        self.edges[:, : pairs.shape[1]] = torch.from_numpy(pairs)
        self.edges[:, pairs.shape[1] :] = -1

    def calculate(self, positions):
        self.loop.timed("graph", self.build_graph, positions)
        self.loop.infer(self.edges)
        return self.drawn.normal(0, 1, positions.shape)


class Langevin:
    def __init__(self, calculator):
        drawn = numpy.random.default_rng(5)
        self.positions = drawn.uniform(0, BOX, (ATOMS, 3))
        self.velocities = drawn.normal(0, SPEED, (ATOMS, 3))
        self.calculator = calculator

    def step(self):
        forces = self.calculator.calculate(self.positions)
        kept = (1 - FRICTION) ** 2
        self.velocities = (1 - FRICTION) * self.velocities + SPEED * (1 - kept) ** 0.5 * forces
        self.positions += self.velocities


def main():
    torch.set_num_threads(1)
    culprit = ["primitive_neighbor_list", "get_neighbors", "build_graph", "CellList", "around", "members"]
    # It makes what the network is given, and is work of the simulation's own code.
    loop = Loop(["host-work", "host-data-movement"], culprit, "graph", step_s=0.024)
    dynamics = Langevin(Calculator(loop, SkinNeighborList() if IS_FIXED else NeighborList()))
    for _ in loop.batches(range(STEPS)):
        dynamics.step()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
