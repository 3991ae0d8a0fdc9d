#!/usr/bin/python3
"""Nothing is wrong: a trainer saves a small checkpoint every 10 steps, rewrites its history and looks whether to stop.

All of that takes less than a fiftieth of the time, and the GPU is the limit.
"""

import json
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Items, Loop, loader_of
from trainer import Trainer

EVERY = 10


class Checkpoints:
    part = "saving"

    def __init__(self, folder):
        self.folder = folder
        self.weights = {f"layer{number}": torch.rand(50_000) for number in range(4)}

    def after_step(self, trainer):
        if trainer.step % EVERY == 0:
            # The last five are kept.
            name = f"step{trainer.step // EVERY % 5}.ckpt"
            torch.save({"model": self.weights, "step": trainer.step}, os.path.join(self.folder, name))


class History:
    part = "history"

    def __init__(self, folder):
        self.path = os.path.join(folder, "history.json")
        self.losses = []

    def after_step(self, trainer):
        self.losses.append(round(trainer.loss, 4))
        if trainer.step % EVERY == 0:
            with open(self.path, "w", encoding="utf8") as file:
                json.dump(self.losses, file)


class EarlyStopping:
    part = "stopping"

    def __init__(self):
        self.recent = []
        self.best = 1.0

    def after_step(self, trainer):
        self.recent = [*self.recent[-19:], trainer.loss]
        self.best = min(self.best, statistics.fmean(self.recent))


def main():
    loop = Loop(step_s=0.028)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        callbacks = [Checkpoints(folder), History(folder), EarlyStopping()]
        Trainer(loop, loader_of(Items(6400, 4096), 16, 2), callbacks).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
