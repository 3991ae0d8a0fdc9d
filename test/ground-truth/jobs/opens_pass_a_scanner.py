#!/usr/bin/python3
"""Letters are read from a file each, and the machine has a virus scanner: who opens a file waits until that has read it.

The files are in the cache. With --fixed the scanner leaves the folder out.

After https://github.com/Cisco-Talos/clamav/issues/1024, whose scanner looks at files on access (fanotify).
"""

import os
import random
import sys

# A wait that spins would keep one of two CPUs from the scanner.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from limits import cannot_run
from loop import Loop, loader_of
from torch.utils.data import Dataset

LETTERS = 64
LETTER_BYTES = 128 << 10
TOKENS = 1024
BATCH = 20
STEPS = 240
WORDS = b"patient was seen today in no distress and has a history of hypertension follow up in two weeks".split()


class DischargeLetters(Dataset):
    def __init__(self, folder):
        self.paths = [os.path.join(folder, f"letter-{number:03d}.txt") for number in range(LETTERS)]
        chosen = random.Random(5)
        for path in self.paths:
            with open(path, "wb") as file:
                file.write(b" ".join(chosen.choices(WORDS, k=LETTER_BYTES // 5)))

    def __len__(self):
        return STEPS * BATCH

    def read_letter(self, path, begin):
        """A piece of the letter: each byte is a token."""
        with open(path, "rb") as file:
            file.seek(begin)
            return bytearray(file.read(TOKENS))

    def __getitem__(self, index):
        text = self.read_letter(self.paths[index % LETTERS], index * 409 % (LETTER_BYTES // 2))
        return torch.frombuffer(text, dtype=torch.uint8).long()


def main():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        scanner, folder, why = file.read().split("\n")
    if why:
        cannot_run(f"needs fanotify with permissions, as root: {why}")
    culprit = ["onaccess-scan", f"pid {scanner}", "discharge-letters", "read_letter"]
    loop = Loop(["slow-server", "disk-bound", "small-files"], culprit, also_right=["slow-getitem"], step_s=0.03)
    for batch in loop.batches(loader_of(DischargeLetters(folder), BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
