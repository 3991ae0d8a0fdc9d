#!/usr/bin/python3
"""Nothing is wrong: two ranks compute alike and reduce their gradients in time."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Items, Loop, loader_of
from ranks import reduce_gradients, run_ranks

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"


def train(rank):
    loop = Loop(step_s=0.03)
    gradients = torch.ones(4096)
    for batch in loop.batches(loader_of(Items(4000, 4096), 16, 1)):
        loop.train(batch)
        loop.timed("collective", reduce_gradients, gradients)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
