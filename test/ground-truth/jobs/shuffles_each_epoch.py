#!/usr/bin/python3
"""The training process shuffles a list of a million samples in Python before every short epoch. With --fixed NumPy permutes."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

SAMPLES = 1_000_000


def shuffle_samples(samples):
    if IS_FIXED:
        return numpy.random.permutation(SAMPLES)
    random.shuffle(samples)
    return samples


def main():
    loop = Loop(["host-work", "host-metrics"], ["shuffle_samples", "shuffle"], "shuffling", step_s=0.008)
    samples = list(range(SAMPLES))
    loader = loader_of(Items(640, 4096), 16, 1, persistent_workers=True)
    for step, batch in enumerate(loop.batches(loader, epochs=8)):
        loop.train(batch)
        if step % 40 == 39:
            loop.timed("shuffling", shuffle_samples, samples)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
