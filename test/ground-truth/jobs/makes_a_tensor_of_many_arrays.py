#!/usr/bin/python3
"""collate_fn hands torch.tensor a list of NumPy arrays, which it then reads number by number.

With --fixed NumPy stacks them first.

After https://github.com/huggingface/transformers/issues/19822, whose warning many jobs print.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset


class Recordings(Dataset):
    def __init__(self):
        self.recordings = list(numpy.random.rand(512, 2048).astype(numpy.float32))

    def __len__(self):
        return 22_400

    def __getitem__(self, index):
        return self.recordings[index % 512]


def collate_recordings(recordings):
    if IS_FIXED:
        return torch.from_numpy(numpy.stack(recordings))
    return torch.tensor(recordings)


def main():
    loop = Loop("vector-collate", "collate_recordings", step_s=0.003)
    for batch in loop.batches(loader_of(Recordings(), 32, 2, collate_fn=collate_recordings)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
