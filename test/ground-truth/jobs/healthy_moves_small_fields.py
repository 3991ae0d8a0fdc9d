#!/usr/bin/python3
"""Nothing is wrong: without workers, each batch is 26 small tensors that are moved one by one; that costs next to nothing.

After https://github.com/pytorch/pytorch/pull/181501, which advises no workers for what is in memory.
"""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from torch.utils.data import Dataset

FIELDS = [f"category{number}" for number in range(26)]
BATCH = 64
BYTES = BATCH * 8


class Clicks(Dataset):
    def __init__(self):
        self.numbers = torch.rand(512, 13)
        self.categories = [
            {field: (row * 7919 + at * 104_729) % 100_000 for at, field in enumerate(FIELDS)} for row in range(512)
        ]

    def __len__(self):
        return BATCH * 300

    def __getitem__(self, index):
        return self.numbers[index % 512], self.categories[index % 512]


def move_fields(gpu, device, categories):
    for at, field in enumerate(FIELDS):
        place = ctypes.c_void_p(device.value + at * BYTES)
        gpu.transfer_batch(place, ctypes.c_void_p(categories[field].data_ptr()), BYTES)


def main():
    loop = Loop(step_s=0.025)
    device = loop.gpu.allocate(len(FIELDS) * BYTES, host=False)
    for numbers, categories in loop.batches(loader_of(Clicks(), BATCH, 0, shuffle=True)):
        loop.timed("moving", move_fields, loop.gpu, device, categories)
        loop.train(numbers)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
