#!/usr/bin/python3
"""A sampler of the job's own draws each batch by weights in Python, in the main process. With --fixed once, before.

After https://github.com/pytorch/pytorch/issues/32221, of a sampler that is slower than the rest.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop
from torch.utils.data import DataLoader

ITEMS = 4096
BATCH = 16


def draw_balanced(weights):
    total = 0.0
    sums = []
    for weight in weights:
        total += weight
        sums.append(total)
    return [min(ITEMS - 1, int(random.random() * ITEMS)) for _ in range(BATCH) if sums[-1] > 0]


class Balanced:
    def __init__(self, batches):
        self.batches = batches
        self.weights = [1.0 / (1 + index % 7) for index in range(300_000)]
        self.ready = draw_balanced(self.weights)

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            yield self.ready if IS_FIXED else draw_balanced(self.weights)


def main():
    loop = Loop(["slow-sampler"], ["draw_balanced", "Balanced"])
    loader = DataLoader(Items(ITEMS, 4096), batch_sampler=Balanced(400), num_workers=2)
    for batch in loop.batches(loader):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
