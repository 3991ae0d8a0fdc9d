#!/usr/bin/python3
"""A network corrects a shallow-water solver, whose small operations are each shared out among 24 threads on two CPUs.

It is the node that has so many, of which the job has a part. With --fixed one thread does it.

After https://github.com/pytorch/pytorch/issues/80777 and https://github.com/open-mmlab/mmdetection/issues/1571.
"""

import os
import sys
import time

# A wait that spins would keep one of two CPUs from the solver's threads.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

CPUS_OF_NODE = 24
STEPS = 70
SUBSTEPS = 12
ROWS, COLUMNS = 184, 192
TIME_STEP = 20.0
CELL_M = 5e4
GRAVITY = 9.81
CORIOLIS = 1e-4
DEPTH_M = 4000.0


def along(field):
    """Slope from the cell before to the one after, in the direction of a row."""
    return (torch.roll(field, -1, 1) - torch.roll(field, 1, 1)) * (0.5 / CELL_M)


def across(field):
    return (torch.roll(field, -1, 0) - torch.roll(field, 1, 0)) * (0.5 / CELL_M)


class ShallowWater:
    """Wind in both directions and the height of the surface, on a grid whose ends meet."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(19)
        rows = torch.linspace(-3, 3, ROWS)[:, None]
        columns = torch.linspace(-3, 3, COLUMNS)[None, :]
        self.height = 60 * torch.exp(-(rows**2) - columns**2)
        self.east = 0.1 * torch.randn(ROWS, COLUMNS, generator=drawn)
        self.north = 0.1 * torch.randn(ROWS, COLUMNS, generator=drawn)

    def tendencies(self):
        east = self.north * CORIOLIS - along(self.height) * GRAVITY
        north = self.east * -CORIOLIS - across(self.height) * GRAVITY
        height = (along(self.east) + across(self.north)) * -DEPTH_M
        return east, north, height

    def leap(self):
        east, north, height = self.tendencies()
        self.east = self.east + east * TIME_STEP
        self.north = self.north + north * TIME_STEP
        self.height = self.height + height * TIME_STEP

    def advance(self):
        """What the network then corrects: the state after some substeps."""
        for _ in range(SUBSTEPS):
            self.leap()
        return torch.stack([self.east, self.north, self.height])

    def damp(self, factor):
        self.height = self.height * factor


def main():
    torch.set_num_threads(1 if IS_FIXED else CPUS_OF_NODE)
    culprit = ["advance", "leap", "tendencies", "along", "across", "ShallowWater", "roll"]
    culprit += ["set_num_threads", "OMP_NUM_THREADS"]
    # Its threads keep each other from the CPUs, so that they are ready and wait. Whoever tells the function alone is
    # right as well: it is work of the loop's own.
    loop = Loop(["thread-oversubscription", "cpu-wait", "host-work"], culprit, "solving", step_s=0.09)
    solver = ShallowWater()
    solver.advance()
    for _ in range(STEPS):
        loop.steps.append(time.perf_counter())
        if loop.is_over():
            break
        loop.train(loop.timed("solving", solver.advance))
        solver.damp(0.9999)
    loop.steps.append(time.perf_counter())
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
