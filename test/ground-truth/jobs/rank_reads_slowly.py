#!/usr/bin/python3
"""Two ranks, of which the second reads from a slow store: both wait for it in the collective.

With --fixed it reads as fast.

The report is of the second.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import reduce_gradients, run_ranks


def train(rank):
    # The finding may be told of the job as a whole, or as what makes this rank's input slow.
    loop = Loop("input-straggler", ["rank 1", f"pid {os.getpid()}"], also_right=["slow-getitem", "more-workers"])
    loop.verdicts = ["input-straggler", "input-bound"]
    gradients = torch.ones(4096)
    sleep_s = 0.006 if rank == 1 and not IS_FIXED else 0.0
    for batch in loop.batches(loader_of(Items(1600, 4096, sleep_s), 16, 1)):
        loop.train(batch)
        loop.timed("collective", reduce_gradients, gradients)
    if rank == 1:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
