#!/usr/bin/python3
"""A worker cleans each text with 560 patterns; Python keeps 512 that it compiled, so that all are compiled anew each time.

With --fixed they are compiled once, before the workers start.

After https://github.com/hplt-project/sacremoses/pull/140, of patterns that are not compiled beforehand.
"""

import os
import random
import re
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 90
BATCH = 6
PATTERNS = 560
WORDS = 24
LENGTH = 4096


class Normalizer:
    """Writes names of drugs as their class; each has a pattern of its own, for its plural too."""

    def __init__(self):
        chosen = random.Random(30)
        self.names = ["".join(chosen.choices("abdeiklmnoprstuvz", k=8)) for _ in range(PATTERNS)]
        patterns = [rf"\b{name}(s|es|in)?\b" for name in self.names]
        self.patterns = [re.compile(pattern) for pattern in patterns] if IS_FIXED else patterns

    def normalize_text(self, text):
        for number, pattern in enumerate(self.patterns):
            text = re.sub(pattern, f"drug{number % 40}", text)
        return text


class Notes(Dataset):
    def __init__(self):
        self.normalizer = Normalizer()
        chosen = random.Random(31)
        words = self.normalizer.names + ["takes", "daily", "with", "since", "twice", "stopped"] * 20
        self.texts = [" ".join(chosen.choices(words, k=WORDS)) for _ in range(200)]

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        text = self.normalizer.normalize_text(self.texts[index % len(self.texts)])
        return torch.frombuffer(bytearray(text.encode().ljust(LENGTH)), dtype=torch.uint8)


def main():
    culprit = ["normalize_text", "Notes.__getitem__", "_compile", "_compiler.py", "_parser.py"]
    # Both workers are busy all the time: two CPUs have nothing left for a third one.
    loop = Loop(["slow-getitem", "pretokenize"], culprit, step_s=0.012)
    for batch in loop.batches(loader_of(Notes(), BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
