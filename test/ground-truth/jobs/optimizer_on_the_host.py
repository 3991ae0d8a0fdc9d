#!/usr/bin/python3
"""The optimizer's state is on the host, and so is its step. With --fixed it is on the GPU.

After https://github.com/deepspeedai/DeepSpeed/issues/1635.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of


def step_on_the_host(weights, moments, gradients):
    first, second = moments
    first.mul_(0.9).add_(gradients, alpha=0.1)
    second.mul_(0.999).addcmul_(gradients, gradients, value=0.001)
    weights.addcdiv_(first, second.sqrt().add_(1e-8), value=-0.001)


def main():
    loop = Loop(["host-work", "host-metrics"], ["step_on_the_host"], "optimizer", step_s=0.006)
    size = 1_500_000
    weights, gradients = torch.zeros(size), torch.ones(size)
    moments = torch.zeros(size), torch.ones(size)
    for batch in loop.batches(loader_of(Items(8000, 4096), 16, 2)):
        loop.train(batch)
        if not IS_FIXED:
            loop.timed("optimizer", step_on_the_host, weights, moments, gradients)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
