#!/usr/bin/python3
"""A hunt for a leak was left on: every 10 steps all that Python holds is listed, and compared with the list before.

With --fixed it is off.

After https://github.com/pytorch/torchtitan/issues/422.
"""

import os
import sys
import tracemalloc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

EVERY = 10
FRAMES = 4


class LeakHunt:
    def __init__(self):
        self.before = tracemalloc.take_snapshot()

    def report_growth(self):
        now = tracemalloc.take_snapshot()
        grown = now.compare_to(self.before, "lineno")
        self.before = now
        return [f"{growth.traceback} {growth.size_diff}" for growth in grown[:5]]


def read_annotations():
    return [{"image": f"image{number}.jpg", "box": [number, number + 8]} for number in range(2500)]


def main():
    culprit = ["report_growth", "take_snapshot", "compare_to", "tracemalloc.py"]
    loop = Loop(["host-work", "host-metrics"], culprit, "snapshots", step_s=0.008)
    if not IS_FIXED:
        tracemalloc.start(FRAMES)
    annotations = read_annotations()
    hunt = None if IS_FIXED else LeakHunt()
    for step, batch in enumerate(loop.batches(loader_of(Items(5600, 4096), 16, 1))):
        loop.train(batch)
        annotations[step]["loss"] = float(batch[0, 0])
        if hunt is not None and step % EVERY == EVERY - 1:
            loop.timed("snapshots", hunt.report_growth)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
