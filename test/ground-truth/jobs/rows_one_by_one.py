#!/usr/bin/python3
"""A tensor in memory goes through the DataLoader row by row. With --fixed a shuffled index picks each batch at once."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import TensorDataset

ROWS = 2_000_000
BATCH = 8192


def slices(features):
    for rows in torch.randperm(len(features)).split(BATCH)[: len(features) // BATCH]:
        yield (features[rows],)


def main():
    loop = Loop("direct-indexing", ["TensorDataset", "collate"], also_right=["more-workers"])
    features = torch.rand(ROWS, 50)
    loader = slices(features) if IS_FIXED else loader_of(TensorDataset(features), BATCH, 2)
    for (batch,) in loop.batches(loader):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
