#!/usr/bin/python3
"""Two ranks are both in time, but reduce 120 small gradients one by one (gloo). With --fixed all of them at once.

After https://github.com/facebookresearch/fairscale/pull/327.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
import torch.distributed
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import run_ranks

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

PARAMETERS = 120


def reduce_each(gradients):
    for gradient in gradients:
        torch.distributed.all_reduce(gradient)
        gradient /= 2


def reduce_at_once(gradients):
    flat = torch.cat(gradients)
    torch.distributed.all_reduce(flat)
    flat /= 2
    for gradient, reduced in zip(gradients, flat.split(len(gradients[0]))):
        gradient.copy_(reduced)


def train(rank):
    loop = Loop(["collective", "host-work"], ["reduce_each"], "collective", step_s=0.008)
    gradients = [torch.ones(256) for _ in range(PARAMETERS)]
    reduce_gradients = reduce_at_once if IS_FIXED else reduce_each
    for batch in loop.batches(loader_of(Items(3200, 4096), 16, 1)):
        loop.train(batch)
        loop.timed("collective", reduce_gradients, gradients)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
