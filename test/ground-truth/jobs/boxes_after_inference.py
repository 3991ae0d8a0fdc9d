#!/usr/bin/python3
"""A batch inference loop: overlapping boxes are sorted out in Python after each batch. With --fixed in NumPy.

After https://github.com/google/automl/issues/145.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

BOXES = 64


def box_overlap(one, other):
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)


def drop_overlapping(boxes):
    if IS_FIXED:
        low = numpy.maximum(boxes[:, None, :2], boxes[None, :, :2])
        high = numpy.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        return (numpy.clip(high - low, 0, None).prod(axis=2) > 0.5).any(axis=1)
    found = boxes.tolist()
    return [any(box_overlap(one, other) > 0.5 for other in found) for one in found]


def main():
    ids = ["host-metrics", "host-work", "postprocessing"]
    loop = Loop(ids, ["drop_overlapping", "box_overlap"], "boxes", step_s=0.006)
    for batch in loop.batches(loader_of(Items(8000, 4096), 16, 1)):
        loop.infer(batch)
        boxes = batch.numpy().reshape(-1, 4)
        for first in range(0, 8 * BOXES, BOXES):
            loop.timed("boxes", drop_overlapping, boxes[first : first + BOXES])
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
