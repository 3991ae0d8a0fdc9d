#!/usr/bin/python3
"""Precision and recall of a batch are worked out in NumPy at every step. With --fixed at every 50th.

After https://github.com/facebookresearch/detectron2/issues/2993.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of


def precision_and_recall(scores, labels):
    found = []
    for threshold in numpy.linspace(0, 1, 60):
        told = scores > threshold
        hits = numpy.logical_and(told, labels).sum()
        found.append((hits / max(1, told.sum()), hits / labels.sum()))
    return found


def main():
    ids = ["host-metrics", "host-work"]
    loop = Loop(ids, "precision_and_recall", "metrics", step_s=0.008)
    for step, batch in enumerate(loop.batches(loader_of(Items(4000, 8192), 16, 2))):
        loop.train(batch)
        if not IS_FIXED or step % 50 == 0:
            scores = batch.numpy().ravel()
            loop.timed("metrics", precision_and_recall, scores, scores > 0.5)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
