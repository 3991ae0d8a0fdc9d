#!/usr/bin/python3
"""The learning rate's schedule asks at each step how long the loader is, and the dataset counts the lines of its list.

The samples themselves cost nothing. With --fixed they are counted once.

After https://github.com/instructlab/training/pull/326, where a review asks whether such a length is worked out each time.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset
from trainer import Trainer

FRAMES = 128_000
FRAMES_A_CLIP = 20


def count_frames(path):
    with open(path, encoding="utf8") as file:
        return sum(1 for line in file if line.strip())


class Clips(Dataset):
    def __init__(self, path):
        self.path = path
        self.features = torch.rand(256, 4096)
        self.frames = count_frames(path)

    def __len__(self):
        frames = self.frames if IS_FIXED else count_frames(self.path)
        return frames // FRAMES_A_CLIP

    def __getitem__(self, index):
        return self.features[index % 256]


class CosineSchedule:
    part = "schedule"
    rate = 1e-3

    def after_step(self, trainer):
        done = trainer.step / len(trainer.loader)
        self.rate = 5e-4 * (1 + torch.cos(torch.tensor(done * torch.pi)).item())


def main():
    culprit = ["count_frames", "Clips.__len__", "__len__"]
    loop = Loop(["host-work", "host-metrics"], culprit, "schedule", step_s=0.008)
    with tempfile.NamedTemporaryFile("w", dir="/var/tmp", suffix="-frames.txt") as file:
        file.writelines(f"clip{at // FRAMES_A_CLIP}/frame{at % FRAMES_A_CLIP}.jpg\n" for at in range(FRAMES))
        file.flush()
        Trainer(loop, loader_of(Clips(file.name), 16, 2), [CosineSchedule()]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
