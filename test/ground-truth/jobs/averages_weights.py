#!/usr/bin/python3
"""An average of the weights is kept on the host, tensor by tensor, after every step. With --fixed every 20th.

After https://github.com/lucidrains/ema-pytorch/issues/5.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

EVERY = 20 if IS_FIXED else 1


class WeightAverage:
    def __init__(self, weights):
        self.weights = weights
        self.average = [weight.clone() for weight in weights]

    @torch.no_grad()
    def update(self, decay=0.999):
        for average, weight in zip(self.average, self.weights):
            average.mul_(decay).add_(weight, alpha=1 - decay)


def main():
    loop = Loop(["host-work", "host-metrics"], ["WeightAverage.update", "update"], "averaging", step_s=0.008)
    average = WeightAverage([torch.rand(96, 1024) for _ in range(60)])
    for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 1))):
        loop.train(batch)
        if step % EVERY == 0:
            loop.timed("averaging", average.update)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
