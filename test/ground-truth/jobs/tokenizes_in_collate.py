#!/usr/bin/python3
"""collate_fn gets sentences and splits them by byte pairs in Python, in each epoch anew. With --fixed they were tokenized before.

After https://github.com/huggingface/transformers/issues/14428.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LENGTH = 1024
TEXTS = 64
UNKNOWN = 1 << 30


class BytePairTokenizer:
    def __init__(self):
        pairs = [(one, other) for one in LETTERS for other in LETTERS]
        random.Random(3).shuffle(pairs)
        self.ranks = {pair: rank for rank, pair in enumerate(pairs)}
        self.numbers = {one + other: rank + 1 for (one, other), rank in self.ranks.items()}

    def merge_pairs(self, word):
        parts = list(word)
        while len(parts) > 1:
            rank, at = min((self.ranks.get(pair, UNKNOWN), at) for at, pair in enumerate(zip(parts, parts[1:])))
            if rank == UNKNOWN:
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return parts

    def encode(self, text):
        numbers = [self.numbers.get(part, 0) for word in text.split() for part in self.merge_pairs(word)]
        return numbers[:LENGTH] + [0] * (LENGTH - len(numbers))


class Sentences(Dataset):
    def __init__(self, tokenizer):
        chosen = random.Random(5)
        texts = [" ".join("".join(chosen.choices(LETTERS, k=8)) for _ in range(240)) for _ in range(TEXTS)]
        self.items = [tokenizer.encode(text) for text in texts] if IS_FIXED else texts

    def __len__(self):
        return 6400

    def __getitem__(self, index):
        return self.items[index % TEXTS]


class Collate:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, items):
        return torch.tensor(items if IS_FIXED else [self.tokenizer.encode(text) for text in items])


def main():
    tokenizer = BytePairTokenizer()
    culprit = ["BytePairTokenizer", "merge_pairs", "Collate.__call__"]
    loop = Loop(["pretokenize", "vector-collate"], culprit, step_s=0.004)
    for batch in loop.batches(loader_of(Sentences(tokenizer), 16, 2, collate_fn=Collate(tokenizer))):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
