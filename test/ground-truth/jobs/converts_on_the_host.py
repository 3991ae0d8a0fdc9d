#!/usr/bin/python3
"""Each batch is turned into another order and precision by the main thread before it is copied.

With --fixed the workers hand it over as it is needed.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.image = torch.rand(160, 160, 3).to(torch.float64)
        self.ready = self.image.to(torch.float32)

    def __len__(self):
        return 4800

    def __getitem__(self, index):
        return self.ready if IS_FIXED else self.image


def prepare_images(images):
    return images.permute(0, 3, 1, 2).contiguous().sub(0.5).div(0.25).to(torch.float32)


def main():
    ids = ["host-data-movement", "host-work"]
    loop = Loop(ids, "prepare_images", "converting", step_s=0.004)
    for images in loop.batches(loader_of(Images(), 16, 1)):
        batch = images if IS_FIXED else loop.timed("converting", prepare_images, images)
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
