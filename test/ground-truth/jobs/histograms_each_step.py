#!/usr/bin/python3
"""A histogram of every weight is made after each step. With --fixed after every 50th.

After https://github.com/sherjilozair/char-rnn-tensorflow/issues/112.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

EVERY = 50 if IS_FIXED else 1


class Summaries:
    def __init__(self):
        self.events = []

    def add_histogram(self, name, values):
        counts, edges = numpy.histogram(values, bins=64)
        self.events.append((name, counts.tolist(), edges.tolist()))


def main():
    weights = {f"layer.{number}": numpy.random.rand(12_000) for number in range(20)}
    loop = Loop(["host-metrics", "slow-output", "host-work"], "add_histogram", "summaries", step_s=0.007)
    summaries = Summaries()

    def summarise():
        for name, values in weights.items():
            summaries.add_histogram(name, values)

    for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 1))):
        loop.train(batch)
        if step % EVERY == 0:
            loop.timed("summaries", summarise)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
