#!/usr/bin/python3
"""Nothing is wrong: a sampler sorts by length, three workers pad, batches are pinned by a thread; the GPU is the limit."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop
from torch.utils.data import DataLoader, Dataset

BATCH = 16


class Sentences(Dataset):
    lengths = [64 + (index * 7919) % 192 for index in range(6400)]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return torch.ones(self.lengths[index])


class Bucketed:
    def __init__(self, lengths):
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        self.batches = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        return iter(self.batches)


def pad(samples):
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.02)
    loader = DataLoader(
        Sentences(), batch_sampler=Bucketed(Sentences.lengths), num_workers=3, collate_fn=pad
    )
    for batch in loop.batches(loader):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
