#!/usr/bin/python3
"""The job has started four packers of its own, which compress old rollouts, and they take the CPUs from the loader.

With --fixed another machine packs them.

After https://github.com/open-mmlab/mmpose/issues/989, of a GPU that waits while processes crowd all CPUs.
"""

import lzma
import multiprocessing
import os
import random
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from neighbour import be_called
from torch.utils.data import Dataset

PACKERS = 4
STEPS = 380


def roll_out_text(seed):
    chosen = random.Random(seed)
    words = [f"observation={chosen.random():.6f}" for _ in range(20_000)]
    return " ".join(words).encode()


def pack_rollouts(folder, number, is_over):
    """From the oldest on; there are more of them than the training lasts."""
    be_called("rollout-packer")
    rollouts = [roll_out_text(number * 10 + part) for part in range(3)]
    while not is_over.is_set():
        for part, rollout in enumerate(rollouts):
            if is_over.is_set():
                return
            packed = lzma.compress(rollout, preset=4)
            with open(os.path.join(folder, f"rollout-{number}-{part}.xz"), "wb") as file:
                file.write(packed)


class Archiver:
    def __init__(self, folder):
        self.context = multiprocessing.get_context("fork")
        self.is_over = self.context.Event()
        self.folder = folder
        self.packers = []

    def start(self):
        for number in range(0 if IS_FIXED else PACKERS):
            arguments = (self.folder, number, self.is_over)
            packer = self.context.Process(target=pack_rollouts, args=arguments, daemon=True)
            packer.start()
            self.packers.append(packer)

    def stop(self):
        self.is_over.set()
        for packer in self.packers:
            packer.join()


def stack_frames():
    compute(0.0004)
    return torch.zeros(4096)


class Transitions(Dataset):
    def __len__(self):
        return 16 * STEPS

    def __getitem__(self, index):
        return stack_frames()


def main():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        archiver = Archiver(folder)
        archiver.start()
        culprit = ["pack_rollouts", "rollout-packer", *(f"pid {packer.pid}" for packer in archiver.packers)]
        verdicts = ["input-bound", "host-bound"]
        loop = Loop(["own-process", "noisy-neighbour", "cpu-wait"], culprit, step_s=0.01, verdicts=verdicts)
        loop.also_right += ["slow-getitem"]
        for batch in loop.batches(loader_of(Transitions(), 16, 1)):
            loop.train(batch)
        archiver.stop()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
