#!/usr/bin/python3
"""A surrogate learns while the simulation that it shall replace runs: its batches come through a pipe from the solver.

That is a program of its own, and takes many small steps in time before it hands on its fields. With --fixed larger ones.

After https://github.com/CrayLabs/SmartSim/issues/49 and https://github.com/xbpeng/DeepMimic/issues/111.
"""

import os
import subprocess
import sys

# A wait that spins would keep one of two CPUs from the solver.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

SIDE = 128
RUNS = 4
BATCHES = 160
SUBSTEPS = 48
SUBSTEPS_IF_FIXED = 3
FIELD_BYTES = 4 * 2 * RUNS * SIDE * SIDE
PIPE_BYTES = 2 * FIELD_BYTES
SOLVE = "--solve"


class GrayScottSolver:
    """Two substances that react and spread, for several rates at once, on a torus."""

    def __init__(self, substeps):
        drawn = numpy.random.default_rng(13)
        self.substeps = substeps
        self.feed = drawn.uniform(0.02, 0.05, (RUNS, 1, 1)).astype(numpy.float32)
        self.kill = drawn.uniform(0.055, 0.065, (RUNS, 1, 1)).astype(numpy.float32)
        self.u = numpy.ones((RUNS, SIDE, SIDE), dtype=numpy.float32)
        self.v = numpy.zeros_like(self.u)
        middle = slice(SIDE // 2 - 8, SIDE // 2 + 8)
        self.u[:, middle, middle] = 0.5
        self.v[:, middle, middle] = drawn.uniform(0.2, 0.3, (RUNS, 16, 16))

    def laplacian(self, field):
        neighbours = sum(numpy.roll(field, by, axis) for axis in (1, 2) for by in (-1, 1))
        return neighbours - 4 * field

    def step_forward(self, dt):
        reaction = self.u * self.v**2
        self.u += dt * (0.16 * self.laplacian(self.u) - reaction + self.feed * (1 - self.u))
        self.v += dt * (0.08 * self.laplacian(self.v) + reaction - (self.feed + self.kill) * self.v)

    def advance(self):
        for _ in range(self.substeps):
            self.step_forward(1.0 / self.substeps)

    def send_fields(self, pipe):
        pipe.write(numpy.stack([self.u, self.v], axis=1).tobytes())
        pipe.flush()


def solve():
    solver = GrayScottSolver(SUBSTEPS_IF_FIXED if IS_FIXED else SUBSTEPS)
    for _ in range(BATCHES):
        solver.advance()
        solver.send_fields(sys.stdout.buffer)


class FieldStream:
    """What the solver sends, as it sends it."""

    def __init__(self):
        command = [sys.executable, os.path.abspath(__file__), SOLVE, *sys.argv[2:]]
        self.solver = subprocess.Popen(command, stdout=subprocess.PIPE, pipesize=PIPE_BYTES)

    def read_fields(self):
        return self.solver.stdout.read(FIELD_BYTES)

    def __iter__(self):
        while len(fields := self.read_fields()) == FIELD_BYTES:
            yield torch.frombuffer(bytearray(fields), dtype=torch.float32).view(RUNS, 2, SIDE, SIDE)

    def close(self):
        self.solver.stdout.close()
        self.solver.wait()


def main():
    torch.set_num_threads(1)
    culprit = ["read_fields", "FieldStream", "solve", "advance", "step_forward", "laplacian", "python3"]
    # The solver is a process of the job's own, and what fills the pipe of the loop.
    ids = ["slow-server", "own-process", "producer", "subprocess-wait"]
    # Outside of a loader the source alone says that what it waits for is input.
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.03)
    stream = FieldStream()
    for fields in loop.batches(stream):
        loop.train(fields)
    stream.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    if SOLVE in sys.argv:
        solve()
    else:
        main()
