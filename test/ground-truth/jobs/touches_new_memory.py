#!/usr/bin/python3
"""Each step puts its batch into 64 MiB of memory that it asks for anew: the kernel has to clear every page of it.

With --fixed it takes the same memory again.
"""

import mmap
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of

BYTES = 1 << 26
kept = []


def new_buffer():
    if not kept or not IS_FIXED:
        buffer = mmap.mmap(-1, BYTES)
        # As where no huge pages are to be had.
        buffer.madvise(mmap.MADV_NOHUGEPAGE)
        kept[:] = [numpy.frombuffer(buffer, dtype=numpy.float32)]
    return kept[0]


def stage_inputs(batch):
    buffer = new_buffer()
    buffer[:: mmap.PAGESIZE // 4] = float(batch[0, 0])


def main():
    ids = ["host-data-movement", "host-work", "host-metrics"]
    loop = Loop(ids, ["stage_inputs"], "staging", step_s=0.006)
    for batch in loop.batches(loader_of(Items(4000, 4096), 16, 2)):
        loop.timed("staging", stage_inputs, batch)
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
