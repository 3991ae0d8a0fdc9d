#!/usr/bin/python3
"""Each batch gets a pinned buffer of its own, allocated and freed at every step. With --fixed they share one."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

SIZE = 8 << 20


def pin_anew(loop, buffer):
    loop.gpu.check(loop.gpu.cuda.cudaFreeHost(buffer))
    return loop.gpu.allocate(SIZE, host=True)


def main():
    loop = Loop("allocator", ["cudaHostAlloc", "cudaFreeHost", "pin_anew"], "pinning", step_s=0.003)
    buffer = loop.gpu.allocate(SIZE, host=True)
    for batch in loop.batches(loader_of(Items(12800, 4096), 16, 1)):
        if not IS_FIXED:
            buffer = loop.timed("pinning", pin_anew, loop, buffer)
        size = batch.numel() * batch.element_size()
        ctypes.memmove(buffer, ctypes.c_void_p(batch.data_ptr()), size)
        loop.train(batch, buffer)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
