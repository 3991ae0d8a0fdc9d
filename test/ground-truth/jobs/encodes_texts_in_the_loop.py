#!/usr/bin/python3
"""Batches are lists of sentences, which the loop itself turns into numbers. With --fixed the workers do.

After https://github.com/facebookresearch/DPR/issues/113.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import random

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

LENGTH = 512
WORDS = [f"word{number}" for number in range(3000)]
NUMBERS = {word: number for number, word in enumerate(WORDS)}


def encode_texts(texts):
    rows = []
    for text in texts:
        numbers = [NUMBERS.get(word.strip(".,").lower(), 0) for word in text.split()]
        rows.append(numbers[:LENGTH] + [0] * (LENGTH - len(numbers)))
    return torch.tensor(rows, dtype=torch.float32)


class Sentences(Dataset):
    def __init__(self):
        chosen = random.Random(5)
        self.texts = [" ".join(chosen.choices(WORDS, k=400)) for _ in range(500)]

    def __len__(self):
        return 12_800

    def __getitem__(self, index):
        return self.texts[index % 500]


def main():
    ids = ["host-data-movement", "pretokenize", "host-work"]
    loop = Loop(ids, "encode_texts", "encoding", step_s=0.006)
    collate = encode_texts if IS_FIXED else list
    for texts in loop.batches(loader_of(Sentences(), 32, 1, collate_fn=collate)):
        batch = texts if IS_FIXED else loop.timed("encoding", encode_texts, texts)
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
