#!/usr/bin/python3
"""collate_fn pads the sentences of a batch number by number in Python. With --fixed by whole rows."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

LONGEST = 512


class Sentences(Dataset):
    def __init__(self):
        lengths = torch.randint(300, LONGEST, (4000,)).tolist()
        self.sentences = [torch.arange(length) for length in lengths]

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, index):
        return self.sentences[index]


def pad_sentences(sentences):
    if IS_FIXED:
        return torch.nn.utils.rnn.pad_sequence(sentences, batch_first=True)
    padded = torch.zeros(len(sentences), LONGEST, dtype=torch.int64)
    for row, sentence in enumerate(sentences):
        for column, word in enumerate(sentence.tolist()):
            padded[row, column] = word
    return padded


def main():
    loop = Loop("vector-collate", "pad_sentences")
    for batch in loop.batches(loader_of(Sentences(), 32, 2, collate_fn=pad_sentences)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
