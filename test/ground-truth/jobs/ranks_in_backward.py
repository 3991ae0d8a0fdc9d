#!/usr/bin/python3
"""DistributedDataParallel reduces gradients on the CPU (gloo) in backward; the second rank's decoding takes long.

The report is of the first: it waits inside of backward, in code that no line of Python shows. With --fixed both are in time.

After https://github.com/traceopt-ai/traceml/issues/252, of a wait that shows up in another rank's backward.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from ranks import run_ranks
from torch.utils.data import Dataset


def decode_page(seconds):
    compute(seconds)
    return torch.ones(4096)


class Pages(Dataset):
    def __init__(self, rank):
        self.seconds = 0.004 if rank == 1 and not IS_FIXED else 0.0002

    def __len__(self):
        return 1280

    def __getitem__(self, index):
        return decode_page(self.seconds)


def backward(loss):
    loss.backward()


def train(rank):
    loop = Loop(["late-rank", "input-straggler", "collective"], "rank 1", "backward", ["slow-getitem"])
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 64))
    for batch in loop.batches(loader_of(Pages(rank), 16, 1)):
        loop.train(batch)
        loss = model(batch[:, :256]).sum()
        loop.timed("backward", backward, loss)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
