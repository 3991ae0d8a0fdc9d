#!/usr/bin/python3
"""To find a sample's label, the whole folder is listed for each sample. With --fixed once.

After https://github.com/milesial/Pytorch-UNet/issues/449.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

FILES = 8000


class Labelled(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.names = sorted(os.listdir(folder))

    def __len__(self):
        return 3200

    def find_label(self, index):
        names = self.names if IS_FIXED else [entry.name for entry in os.scandir(self.folder)]
        return len(names) + index

    def __getitem__(self, index):
        return torch.full((4096,), float(self.find_label(index)))


def main():
    loop = Loop("slow-getitem", ["find_label", "Labelled.__getitem__"])
    with tempfile.TemporaryDirectory(prefix="labels-", dir="/var/tmp") as folder:
        for index in range(FILES):
            with open(os.path.join(folder, f"{index}.txt"), "w", encoding="utf8"):
                pass
        for batch in loop.batches(loader_of(Labelled(folder), 16, 2)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
