#!/usr/bin/python3
"""A batch is 1024 small tensors, and the loop moves each of them to the GPU by itself. With --fixed all of them at once."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

ROWS = 1024
FEATURES = 4096
SIZE = 16 * FEATURES * 4


class Rows(Items):
    """The same again and again: its memory is small, and it is one epoch."""

    def __len__(self):
        return 16 * 900

    def __getitem__(self, index):
        return super().__getitem__(index % len(self.data))


def move_to_gpu(gpu, device, tensor, at=0):
    size = tensor.numel() * tensor.element_size()
    place = ctypes.c_void_p(device.value + at * size)
    gpu.transfer_batch(place, ctypes.c_void_p(tensor.data_ptr()), size)


def move_rows(gpu, device, rows):
    for at, row in enumerate(rows):
        move_to_gpu(gpu, device, row, at)


def main():
    verdicts = ["h2d-bound", "host-bound", "balanced"]
    # The way to each copy is also told as getting the batch ready.
    also_right = ["host-data-movement"]
    culprit = ["move_rows", "move_to_gpu"]
    loop = Loop("batch-transfers", culprit, "moving", verdicts=verdicts, also_right=also_right, step_s=0.003)
    device = loop.gpu.allocate(SIZE, host=False)
    for batch in loop.batches(loader_of(Rows(256, FEATURES), 16, 1)):
        if IS_FIXED:
            loop.timed("moving", move_to_gpu, loop.gpu, device, batch)
        else:
            loop.timed("moving", move_rows, loop.gpu, device, batch.view(ROWS, -1))
        loop.gpu.launch_kernels()
        loop.gpu.wait()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
