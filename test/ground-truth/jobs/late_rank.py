#!/usr/bin/python3
"""Two ranks reduce their gradients on the CPU (gloo) after each step; the second one comes late each time.

The report is of the first, whose loader is fine: it waits in the collective. With --fixed both are in time.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import reduce_gradients, run_ranks

LATE_S = 0.05


def train(rank):
    loop = Loop(["late-rank", "collective"], "rank 1", "collective")
    gradients = torch.ones(4096)
    for batch in loop.batches(loader_of(Items(1280, 4096), 16, 2)):
        loop.train(batch)
        if rank == 1 and not IS_FIXED:
            loop.timed("late", time.sleep, LATE_S)
        loop.timed("collective", reduce_gradients, gradients)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
