#!/usr/bin/python3
"""A checkpoint's optimizer state is one array on the disk, which is read, changed and written as a whole for each parameter.

With --fixed the array is put together in memory and written once.

After https://github.com/NVIDIA/Megatron-LM/issues/834.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Items, Loop, loader_of

EVERY = 30
STEPS = 480
PARAMETERS = 48
WEIGHTS_OF_EACH = 12_000


class ChunkedArray:
    """An array on the disk, in one chunk, of which parts may be read and set."""

    def __init__(self, path, length):
        self.path = path
        self.write_chunk(numpy.zeros(length, dtype=numpy.float32))

    def read_chunk(self):
        with open(self.path, "rb") as file:
            return numpy.frombuffer(bytearray(file.read()), dtype=numpy.float32)

    def write_chunk(self, values):
        part = self.path + ".partial"
        with open(part, "wb") as file:
            file.write(values.tobytes())
        os.replace(part, self.path)

    def __setitem__(self, place, values):
        if place == slice(None):
            return self.write_chunk(values)
        chunk = self.read_chunk()
        chunk[place] = values
        self.write_chunk(chunk)


class Momentum:
    """What the optimizer keeps of each parameter, in buckets that are shared out to ranks."""

    def __init__(self):
        self.averages = [torch.zeros(WEIGHTS_OF_EACH) for _ in range(PARAMETERS)]

    def step(self, batch):
        gradient = batch.mean()
        self.averages[int(gradient * 1e6) % PARAMETERS].mul_(0.9).add_(gradient)

    def parts(self):
        for number, average in enumerate(self.averages):
            first = number * WEIGHTS_OF_EACH
            yield slice(first, first + WEIGHTS_OF_EACH), average.numpy()


class ShardedCheckpoint:
    def __init__(self, folder):
        self.array = ChunkedArray(os.path.join(folder, "optimizer.state.exp_avg"), PARAMETERS * WEIGHTS_OF_EACH)

    def save_optimizer(self, optimizer):
        if IS_FIXED:
            self.array[:] = numpy.concatenate([values for _, values in optimizer.parts()])
            return
        for place, values in optimizer.parts():
            self.array[place] = values


def main():
    ids = ["checkpoint", "slow-output", "host-work"]
    culprit = ["save_optimizer", "write_chunk", "read_chunk", "ChunkedArray", "optimizer.state.exp_avg"]
    loop = Loop(ids, culprit, "saving", step_s=0.008)
    optimizer = Momentum()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        checkpoint = ShardedCheckpoint(folder)
        for step, batch in enumerate(loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1))):
            loop.train(batch)
            optimizer.step(batch)
            if step % EVERY == EVERY - 1:
                loop.timed("saving", checkpoint.save_optimizer, optimizer)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
