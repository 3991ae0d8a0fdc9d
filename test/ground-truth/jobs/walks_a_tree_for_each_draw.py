#!/usr/bin/python3
"""Prioritized replay: each of 4096 transitions of a batch is drawn by a walk down a tree of sums, in Python.

The past is of somebody else's play, so that priorities stay. With --fixed NumPy walks for all of them at once.

After https://github.com/hill-a/stable-baselines/issues/604.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

TRANSITIONS = 1 << 17
STEPS = 700
BATCH = 4096


class SumTree:
    """Each node holds the sum of the two below it; the leaves are the priorities."""

    def __init__(self, priorities):
        sums = numpy.zeros(2 * TRANSITIONS)
        sums[TRANSITIONS:] = priorities
        first = TRANSITIONS
        while first > 1:
            first //= 2
            sums[first : 2 * first] = sums[2 * first : 4 * first].reshape(-1, 2).sum(axis=1)
        self.array = sums
        self.sums = sums.tolist()

    def find_prefix_sum(self, mass):
        sums = self.sums
        node = 1
        while node < TRANSITIONS:
            node *= 2
            if sums[node] < mass:
                mass -= sums[node]
                node += 1
        return node - TRANSITIONS

    def find_all(self, masses):
        nodes = numpy.ones(len(masses), dtype=numpy.int64)
        while nodes[0] < TRANSITIONS:
            nodes *= 2
            left = self.array[nodes]
            is_right = left < masses
            masses = numpy.where(is_right, masses - left, masses)
            nodes += is_right
        return nodes - TRANSITIONS


class PrioritizedReplay:
    def __init__(self):
        self.chosen = numpy.random.default_rng(31)
        self.tree = SumTree(self.chosen.uniform(0.1, 1, TRANSITIONS))
        self.states = torch.rand(TRANSITIONS, 16)

    def draw_by_priority(self):
        total = self.tree.array[1]
        if IS_FIXED:
            return torch.from_numpy(self.tree.find_all(self.chosen.uniform(0, total, BATCH)))
        return torch.tensor([self.tree.find_prefix_sum(random.random() * total) for _ in range(BATCH)])

    def batches(self):
        for _ in range(STEPS):
            yield self.states[self.draw_by_priority()]


def main():
    torch.set_num_threads(1)
    ids = ["slow-sampler", "host-work", "host-data-movement", "slow-getitem", "workers-zero"]
    culprit = ["find_prefix_sum", "draw_by_priority"]
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.005)
    for batch in loop.batches(PrioritizedReplay().batches()):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
