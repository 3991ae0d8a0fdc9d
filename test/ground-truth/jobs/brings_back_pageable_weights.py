#!/usr/bin/python3
"""The layers' weights lie on the host and are copied to the GPU when their turn comes; nobody has pinned them.

With --fixed they are pinned.

After https://github.com/pytorch/pytorch/pull/70639, where the pinned copy of the weights was made and not used.
"""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

LAYERS = 8
WEIGHTS = 3_000_000
BYTES = WEIGHTS * 4


def offload_layer(gpu):
    weights = torch.rand(WEIGHTS)
    if not IS_FIXED:
        return weights
    pinned = gpu.allocate(BYTES, host=True)
    ctypes.memmove(pinned, weights.data_ptr(), BYTES)
    return pinned


def bring_layer(gpu, place, weights):
    source = weights if IS_FIXED else ctypes.c_void_p(weights.data_ptr())
    gpu.transfer_batch(place, source, BYTES)


def forward(loop, layers, place):
    for weights in layers:
        loop.timed("bringing", bring_layer, loop.gpu, place, weights)
        loop.gpu.launch_kernels()
    loop.gpu.wait()


def main():
    # A stream of their own would help too; and it is the loop's thread that stages them.
    also_right = ["overlap-h2d", "host-data-movement"]
    verdicts = ["h2d-bound", "host-bound", "balanced"]
    culprit = ["bring_layer", "forward"]
    loop = Loop("pin-memory", culprit, "bringing", verdicts=verdicts, also_right=also_right, step_s=0.0006)
    place = loop.gpu.allocate(BYTES, host=False)
    layers = [offload_layer(loop.gpu) for _ in range(LAYERS)]
    for batch in loop.batches(loader_of(Items(8000, 4096), 16, 1)):
        loop.train(batch)
        forward(loop, layers, place)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
