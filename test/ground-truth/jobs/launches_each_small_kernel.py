#!/usr/bin/python3
"""A recurrent network is unrolled in Python: 1600 kernels a step, each of which the GPU is done with before the next comes.

With --fixed the same kernels come as CUDA graphs.

After https://github.com/openxla/xprof/issues/8, of launches that grow with the length of the sequence.
"""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../agent/jobs"))

import torch
from dataloader import ONE, device_function
from loop import IS_FIXED, Items, Loop, loader_of

TIMES = 200
GATES = 8
# A graph of the simulated GPU takes as long as ten kernels.
GRAPHS = TIMES * GATES // 10


def launch_gate(gpu, gates, gate):
    """As each operation does: it looks at its inputs, makes room for what comes out, and launches."""
    gate = gates[:, gate]
    out = torch.empty_like(gate)
    gpu.check(gpu.cuda.cudaLaunchKernel(device_function, ONE, ONE, None, ctypes.c_size_t(0), gpu.stream))
    return out


def unroll(gpu, gates):
    for _ in range(TIMES):
        for gate in range(GATES):
            launch_gate(gpu, gates, gate)


def replay(gpu):
    for _ in range(GRAPHS):
        gpu.check(gpu.cuda.cudaGraphLaunch(None, gpu.stream))


def main():
    culprit = ["unroll", "launch_gate"]
    # Kernels of 2 µs.
    loop = Loop(["launch-bound", "host-work"], culprit, "launching", step_s=0.00004)
    gates = torch.zeros(16, GATES, 64)
    for batch in loop.batches(loader_of(Items(9600, 4096), 16, 1)):
        loop.train(batch)
        if IS_FIXED:
            loop.timed("launching", replay, loop.gpu)
        else:
            loop.timed("launching", unroll, loop.gpu, gates)
        loop.gpu.wait()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
