#!/usr/bin/python3
"""A corpus lies in a table of 6000 record batches, and to find a row the rows of those before it are counted, in Python.

Workers are spawned and take whole batches of shuffled rows. With --fixed the table adds the rows up once, and searches.

After https://github.com/huggingface/datasets/issues/1803 and https://github.com/huggingface/datasets/issues/2252.
"""

import bisect
import itertools
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

STEPS = 140
BATCH = 100
RECORD_BATCHES = 6000
WRITER_ROWS = 16
TOKENS = 128
WORDS = 30_000


class RecordBatch:
    """Some rows of a table, column by column, as they were written in one go."""

    def __init__(self, columns):
        self.columns = columns

    @property
    def num_rows(self):
        return len(next(iter(self.columns.values())))

    def row(self, number):
        return {name: column[number] for name, column in self.columns.items()}


class ChunkedTable:
    """Many record batches as one table."""

    def __init__(self, batches):
        self.batches = batches
        self.num_rows = sum(batch.num_rows for batch in batches)

    def locate_row(self, index):
        """Which record batch it is in, and where."""
        for batch in self.batches:
            if index < batch.num_rows:
                return batch, index
            index -= batch.num_rows
        raise IndexError("the table has fewer rows")

    def take(self, indices):
        located = [self.locate_row(index) for index in indices]
        return [batch.row(number) for batch, number in located]


class IndexedTable(ChunkedTable):
    def __init__(self, batches):
        super().__init__(batches)
        self.ends = list(itertools.accumulate(batch.num_rows for batch in batches))

    def locate_row(self, index):
        found = bisect.bisect_right(self.ends, index)
        return self.batches[found], index - (self.ends[found - 1] if found else 0)


class Corpus(Dataset):
    """Texts as numbers, in an order of its own; it is asked for all rows of a batch at once."""

    def __init__(self, table, seed):
        self.table = table
        self.indices = numpy.random.default_rng(seed).permutation(table.num_rows)

    def __len__(self):
        return self.table.num_rows

    def __getitem__(self, keys):
        rows = self.table.take(self.indices[keys].tolist())
        return torch.from_numpy(numpy.stack([row["input_ids"] for row in rows]))


def write_corpus():
    """As a writer does that writes what it has after every few rows."""
    drawn = numpy.random.default_rng(5)
    kind = IndexedTable if IS_FIXED else ChunkedTable
    sizes = drawn.integers(WRITER_ROWS // 2, WRITER_ROWS + WRITER_ROWS // 2, RECORD_BATCHES)
    return kind(
        [
            RecordBatch(
                {
                    "input_ids": drawn.integers(0, WORDS, (size, TOKENS), dtype=numpy.int32),
                    "length": numpy.full(size, TOKENS),
                }
            )
            for size in sizes
        ]
    )


def main():
    torch.set_num_threads(1)
    culprit = ["locate_row", "ChunkedTable", "take", "num_rows", "Corpus"]
    loop = Loop("slow-getitem", culprit, step_s=0.032)
    corpus = Corpus(write_corpus(), 31)
    sampler = BatchSampler(RandomSampler(corpus, num_samples=STEPS * BATCH), BATCH, drop_last=True)
    loader = DataLoader(corpus, None, sampler=sampler, num_workers=2, multiprocessing_context="spawn")
    for input_ids in loop.batches(loader):
        loop.train(input_ids)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
