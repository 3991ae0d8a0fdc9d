#!/usr/bin/python3
"""Texts of many lengths are packed into batches by first fit, and each of 192 ranks packs those of all others too.

They are packed a window at a time, and each text is held to every batch before it. This is one of the ranks. With
--fixed they were packed before training.

After https://github.com/EleutherAI/bergson/pull/24, where batches came slower the more of them there were.
"""

import os
import random
import sys
from itertools import islice

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset, Sampler

BATCHES = 110
REPLICAS = 192
RANK = 5
TOKENS = 4096
WINDOW = 13_800


class Instructions(Dataset):
    """Tokenized chats, of which a few are long."""

    def __init__(self):
        chosen = random.Random(81)
        self.lengths = [min(TOKENS, 40 + int(chosen.lognormvariate(6.3, 0.8))) for _ in range(200_000)]
        self.tokens = torch.randint(1, 32_000, (8 * TOKENS,))

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        begin = index % (7 * TOKENS)
        return self.tokens[begin : begin + self.lengths[index]]


def first_fit_decreasing(indices, lengths):
    """Batches of texts that hold no more than `TOKENS`, the longest texts first."""
    bins, rooms = [], []
    for index in sorted(indices, key=lengths.__getitem__, reverse=True):
        length = lengths[index]
        for number, room in enumerate(rooms):
            if length <= room:
                bins[number].append(index)
                rooms[number] -= length
                break
        else:
            bins.append([index])
            rooms.append(TOKENS - length)
    return bins


class MultipackDistributedBatchSampler(Sampler):
    def __init__(self, lengths, replicas, rank):
        self.lengths = lengths
        self.replicas = replicas
        self.rank = rank
        self.order = torch.randperm(len(lengths), generator=torch.Generator().manual_seed(9)).tolist()

    def generate_batches(self, window):
        """Of this rank; as many as the others have."""
        batches = first_fit_decreasing(window, self.lengths)
        return batches[self.rank : len(batches) - len(batches) % self.replicas : self.replicas]

    def __iter__(self):
        place = 0
        while True:
            window = [self.order[(place + at) % len(self.order)] for at in range(WINDOW)]
            place += WINDOW
            yield from self.generate_batches(window)


def pack_texts(texts):
    packed = torch.zeros(TOKENS, dtype=torch.int64)
    joined = torch.cat(texts)
    packed[: len(joined)] = joined
    return packed


def main():
    torch.set_num_threads(1)
    data = Instructions()
    culprit = ["first_fit_decreasing", "generate_batches", "MultipackDistributedBatchSampler"]
    loop = Loop("slow-sampler", culprit, step_s=0.07)
    sampler = MultipackDistributedBatchSampler(data.lengths, REPLICAS, RANK)
    batches = islice(sampler, BATCHES)
    packed = list(batches) if IS_FIXED else batches
    loader = DataLoader(data, batch_sampler=packed, num_workers=2, collate_fn=pack_texts)
    for batch in loop.batches(loader):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
