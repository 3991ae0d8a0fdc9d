#!/usr/bin/python3
"""Rows of a table come as dicts, and collate_fn goes over them once for each of 500 columns, which it scales by itself.

With --fixed the table was made one matrix before, of which a batch is some rows.

After https://github.com/uber/petastorm/issues/740 and https://github.com/dreamquark-ai/tabnet/issues/258.
"""

import math
import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCHES = 130
BATCH = 1536
ROWS = 1500
CATEGORIES = 100
NUMBERS = 400
SIZE_OF_CATEGORY = 500
MISSING = 0.02


class Schema:
    """Names of the columns, and how each of them is scaled."""

    def __init__(self):
        self.categories = [f"cat_{column:03d}" for column in range(CATEGORIES)]
        self.numbers = {f"num_{column:03d}": (0.1 * column, 1 + 0.02 * column) for column in range(NUMBERS)}

    def draw_row(self, chosen):
        row = {name: chosen.randrange(SIZE_OF_CATEGORY) for name in self.categories}
        for name, (mean, deviation) in self.numbers.items():
            row[name] = math.nan if chosen.random() < MISSING else chosen.gauss(mean, deviation)
        return row


class TabularCollator:
    def __init__(self, schema):
        self.schema = schema

    def column_of(self, rows, name):
        return torch.tensor([row[name] for row in rows], dtype=torch.float32)

    def stack_columns(self, rows):
        """A matrix of a row for each of `rows`; what is missing is the mean."""
        columns = [self.column_of(rows, name) / SIZE_OF_CATEGORY for name in self.schema.categories]
        for name, (mean, deviation) in self.schema.numbers.items():
            columns.append(torch.nan_to_num((self.column_of(rows, name) - mean) / deviation))
        return torch.stack(columns, dim=1)

    def __call__(self, rows):
        return self.stack_columns(rows)


class Table(Dataset):
    def __init__(self, schema):
        chosen = random.Random(41)
        self.rows = [schema.draw_row(chosen) for _ in range(ROWS)]

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        return self.rows[index % ROWS]


class ScaledTable(Table):
    """An item is the number of a row, so that a batch can be taken at once."""

    def __init__(self, schema):
        super().__init__(schema)
        self.matrix = TabularCollator(schema).stack_columns(self.rows)

    def __getitem__(self, index):
        return index % ROWS

    def take_rows(self, numbers):
        return self.matrix[torch.tensor(numbers)]


def main():
    torch.set_num_threads(1)
    culprit = ["stack_columns", "column_of", "TabularCollator"]
    loop = Loop("vector-collate", culprit, step_s=0.034)
    schema = Schema()
    table = (ScaledTable if IS_FIXED else Table)(schema)
    collate = table.take_rows if IS_FIXED else TabularCollator(schema)
    for batch in loop.batches(loader_of(table, BATCH, 2, shuffle=True, collate_fn=collate)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
