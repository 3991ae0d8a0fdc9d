#!/usr/bin/python3
"""Each of 20 losses is asked of the GPU one by one in a step, and it idles meanwhile. With --fixed once, at the end.

After https://github.com/rosinality/style-based-gan-pytorch/pull/50.
"""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, compute, loader_of

D2H = 2
LOSSES = 20


def read_loss(gpu, device, value):
    gpu.check(gpu.cuda.cudaMemcpyAsync(value, device, ctypes.c_size_t(4), D2H, gpu.stream))
    gpu.wait()


def main():
    ids = ["fewer-syncs", "host-work"]
    loop = Loop(ids, ["read_loss"], "losses", verdicts=["compute-bound", "balanced", "host-bound"], step_s=0.002)
    loss = loop.gpu.allocate(4096, host=False)
    value = loop.gpu.allocate(4096, host=True)
    for batch in loop.batches(loader_of(Items(4800, 4096), 16, 2)):
        loop.train(batch)
        for _ in range(LOSSES):
            compute(0.0003)
            loop.gpu.launch_kernels()
            if not IS_FIXED:
                loop.timed("losses", read_loss, loop.gpu, loss, value)
        if IS_FIXED:
            loop.gpu.wait()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
