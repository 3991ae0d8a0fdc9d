#!/usr/bin/python3
"""Two ranks train on a stream that only the first one reads: it joins a batch for each, and sends all of them to all.

Each then takes its own part, and drops the rest. The report is of the second. With --fixed each reads its share itself.

After https://github.com/huggingface/accelerate/issues/2162.
"""

import os
import sys

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
import torch.distributed
from loop import IS_FIXED, Loop
from ranks import reduce_gradients, run_ranks
from torch.utils.data import DataLoader, IterableDataset

STEPS = 220
RANKS = 2
BATCH = 32
FEATURES = 50_000


class EmbeddedPages(IterableDataset):
    """What an encoder said of pages, as it comes from a stream."""

    def __init__(self, batches, turn, turns):
        self.batches = batches
        self.turn = turn
        self.turns = turns

    def __iter__(self):
        pages = torch.rand(4, BATCH, FEATURES)
        for number in range(self.turn, self.batches, self.turns):
            yield pages[number % len(pages)]


class DataLoaderDispatcher:
    def __init__(self, loader, rank):
        self.loader = loader
        self.rank = rank

    def fetch_batches(self, iterator):
        """A batch for each rank, as one, and its shape; none at the end."""
        batches = [batch for _, batch in zip(range(RANKS), iterator)]
        return torch.cat(batches) if len(batches) == RANKS else None

    def broadcast_batch(self, batch):
        told = [None if batch is None else tuple(batch.shape)]
        torch.distributed.broadcast_object_list(told, src=0)
        if told[0] is None:
            return None
        if batch is None:
            batch = torch.empty(told[0])
        torch.distributed.broadcast(batch, src=0)
        return batch

    def __iter__(self):
        iterator = iter(self.loader) if self.rank == 0 else None
        while True:
            batch = self.fetch_batches(iterator) if self.rank == 0 else None
            batch = self.broadcast_batch(batch)
            if batch is None:
                return
            yield batch.chunk(RANKS)[self.rank]


def prepare_data_loader(rank):
    if IS_FIXED:
        return DataLoader(EmbeddedPages(STEPS * RANKS, rank, RANKS), batch_size=None, num_workers=0)
    loader = DataLoader(EmbeddedPages(STEPS * RANKS, 0, 1), batch_size=None, num_workers=0)
    return DataLoaderDispatcher(loader, rank)


def train(rank):
    torch.set_num_threads(1)
    culprit = ["broadcast_batch", "DataLoaderDispatcher", "broadcast", "rank 0"]
    loop = Loop("collective", culprit, verdicts=["input-bound", "host-bound"], step_s=0.025)
    # A quarter of the wait is for the first rank, while it joins the batches: 7 % of the loop.
    loop.also_right += ["late-rank", "input-straggler"]
    gradients = torch.ones(4096)
    for batch in loop.batches(prepare_data_loader(rank)):
        loop.train(batch)
        loop.timed("gradients", reduce_gradients, gradients)
    if rank == 1:
        loop.report(sys.argv[1])


def main():
    run_ranks(train, RANKS)


if __name__ == "__main__":
    main()
