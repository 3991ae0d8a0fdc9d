#!/usr/bin/python3
"""The run before was killed, but eight of its iterators were not: they have no parent, and compute beside this one.

With --fixed they ended with their run.

After https://github.com/AI-Hypercomputer/maxtext/pull/4983.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from showers import draw_shower, make_image
from torch.utils.data.datapipes.iter import IterableWrapper

SHOWERS = 2880
BATCH = 32


def read_shower(number):
    across, depth, energies = draw_shower(number)
    return torch.from_numpy(make_image(across, depth, energies))


def build_pipe():
    return IterableWrapper(range(SHOWERS)).sharding_filter().map(read_shower)


def main():
    # What is left of the CPUs is too little for the loader.
    loop = Loop(["noisy-neighbour", "cpu-wait"], "shower-prefetch", also_right=["slow-getitem"], step_s=0.062)
    loop.verdicts = ["input-bound", "balanced"]
    for images in loop.batches(loader_of(build_pipe(), BATCH, 2)):
        loop.train(images)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
