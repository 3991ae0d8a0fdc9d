#!/usr/bin/python3
"""gc.collect() at every step, with a million objects of the job's own to look through. With --fixed they are frozen.

After https://github.com/Nerogar/OneTrainer/issues/1459.
"""

import gc
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


class Record:
    def __init__(self, number):
        self.labels = [number]


def collect_garbage():
    gc.collect()


def main():
    loop = Loop("garbage-collection", ["collect_garbage", "gc.collect"], "collecting", step_s=0.008)
    records = [Record(number) for number in range(250_000)]
    if IS_FIXED:
        gc.freeze()
    for batch in loop.batches(loader_of(Items(2400, 4096), 16, 2)):
        loop.train(batch)
        loop.timed("collecting", collect_garbage)
    assert len(records) == 250_000
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
