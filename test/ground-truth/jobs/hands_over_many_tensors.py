#!/usr/bin/python3
"""Boxes, labels and areas of each image stay tensors of their own: a batch comes as 49, each in its own shared memory.

With --fixed collate_fn joins them to three, so that four come.

After https://github.com/roboflow/rf-detr/pull/1399.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

NAMES = ["boxes", "labels", "areas"]


class Scenes(Dataset):
    def __init__(self):
        self.image = torch.rand(4096)
        self.target = {"boxes": torch.rand(12, 4), "labels": torch.arange(12), "areas": torch.rand(12)}

    def __len__(self):
        return 9600

    def __getitem__(self, index):
        return self.image, {name: tensor.clone() for name, tensor in self.target.items()}


def collate_scenes(scenes):
    images = torch.stack([image for image, _ in scenes])
    targets = [target for _, target in scenes]
    if IS_FIXED:
        targets = {name: torch.cat([target[name] for target in targets]) for name in NAMES}
    return images, targets


def main():
    culprit = ["collate_scenes", "Scenes", "rebuild_storage_fd", "resource_sharer"]
    loop = Loop("unpickle", culprit, step_s=0.004)
    for images, _ in loop.batches(loader_of(Scenes(), 16, 1, collate_fn=collate_scenes)):
        loop.train(images)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
