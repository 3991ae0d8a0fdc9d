#!/usr/bin/python3
"""A recommender's rows are words from a log of clicks; collate_fn hashes each of them to the row of its embedding.

The same words come again and again. With --fixed they were hashed when the log was read.

After https://github.com/outbrain-inc/outrank/issues/30, where hashing features is a bottleneck.
"""

import hashlib
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCH = 5120
STEPS = 220
IMPRESSIONS = 8000
COLUMNS = [f"C{number}" for number in range(1, 27)]
BUCKETS = 1_000_003


def hash_bucket(column, word):
    """Words of two columns stay apart, though they share the table of embeddings."""
    digest = hashlib.md5(f"{column}={word}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % BUCKETS


def read_log():
    """Whether an ad was clicked, and what is known of it and its user; some words come far more often than others."""
    drawn = numpy.random.default_rng(26)
    words = drawn.zipf(1.3, (IMPRESSIONS, len(COLUMNS))) % 50_000
    clicked = drawn.integers(0, 2, IMPRESSIONS)
    return [(label, [f"{word:08x}" for word in row]) for label, row in zip(clicked.tolist(), words.tolist())]


class Clicks(Dataset):
    def __init__(self):
        self.rows = read_log()
        if IS_FIXED:
            self.rows = [torch.tensor(bucket_row(row)) for row in self.rows]

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        return self.rows[index % IMPRESSIONS]


def bucket_row(row):
    label, words = row
    return [label, *[hash_bucket(column, word) for column, word in zip(COLUMNS, words)]]


def collate_clicks(rows):
    """The label and a row of the embeddings for each column."""
    return torch.tensor([bucket_row(row) for row in rows])


def main():
    culprit = ["hash_bucket", "bucket_row", "collate_clicks"]
    loop = Loop(["vector-collate", "pretokenize"], culprit, step_s=0.03)
    collate = torch.stack if IS_FIXED else collate_clicks
    for batch in loop.batches(loader_of(Clicks(), BATCH, 2, collate_fn=collate)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
