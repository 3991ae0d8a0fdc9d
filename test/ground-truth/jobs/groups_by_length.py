#!/usr/bin/python3
"""A batch sampler asks for every sample's length at the start of each short epoch, in the main process.

With --fixed once, before.

After https://github.com/SeanNaren/deepspeech.pytorch/issues/143.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset

SAMPLES = 400_000
BATCH = 16
BATCHES = 60
EPOCHS = 9


class Sentences(Dataset):
    def __init__(self):
        chosen = random.Random(5)
        words = [f"word{number}" for number in range(500)]
        self.texts = [" ".join(chosen.choices(words, k=chosen.randint(20, 60))) for _ in range(400)]
        self.numbers = torch.rand(400, 4096)

    def __len__(self):
        return SAMPLES

    def text(self, index):
        return self.texts[index % 400].split()

    def __getitem__(self, index):
        return self.numbers[index % 400]


def measure_lengths(sentences):
    return [len(sentences.text(index)) for index in range(len(sentences))]


class ByLength:
    """Of so many samples in an epoch; those of a batch are about as long."""

    def __init__(self, sentences):
        self.sentences = sentences
        self.lengths = measure_lengths(sentences)

    def __len__(self):
        return BATCHES

    def __iter__(self):
        lengths = self.lengths if IS_FIXED else measure_lengths(self.sentences)
        chosen = random.sample(range(SAMPLES), BATCHES * BATCH)
        chosen.sort(key=lengths.__getitem__)
        for first in range(0, len(chosen), BATCH):
            yield chosen[first : first + BATCH]


def main():
    torch.set_num_threads(1)
    sentences = Sentences()
    loop = Loop("slow-sampler", ["measure_lengths", "ByLength"], step_s=0.006)
    loader = DataLoader(sentences, batch_sampler=ByLength(sentences), num_workers=1, persistent_workers=True)
    for batch in loop.batches(loader, EPOCHS):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
