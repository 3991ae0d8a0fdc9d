#!/usr/bin/python3
"""Each batch holds thousands of small objects beside its tensor, which the main process unpickles.

With --fixed only the tensor.

After https://github.com/pytorch/pytorch/issues/123439.
"""

import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset


class Box:
    def __init__(self, index):
        self.corners = [float(index), 0.0, 1.0, 1.0]
        self.label = f"label-{index}"
        self.attributes = {"crowd": False, "area": index}


class Scenes(Dataset):
    def __init__(self):
        # The same boxes each time: to make them is no work, to send them is.
        self.boxes = [] if IS_FIXED else [Box(index) for index in range(300)]

    def __len__(self):
        return 2400

    def __getitem__(self, index):
        return torch.zeros(4096), self.boxes[:]


def stack_scenes(scenes):
    return torch.stack([image for image, _ in scenes]), [copy.copy(box) for _, boxes in scenes for box in boxes]


def main():
    ids = ["unpickle", "batch-unpickling", "unpickling", "slow-unpickle"]
    loop = Loop(ids, ["Box", "stack_scenes"], also_right=["slow-getitem", "vector-collate", "more-workers"])
    for batch, _ in loop.batches(loader_of(Scenes(), 16, 2, collate_fn=stack_scenes)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
