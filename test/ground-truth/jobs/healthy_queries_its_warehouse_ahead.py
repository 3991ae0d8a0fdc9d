#!/usr/bin/python3
"""Nothing is wrong: a worker asks a warehouse for a day of visits at a time, which takes it long, but is 16 batches ahead.

The loop sums up its losses, looks at held-out rows every 25 steps and keeps the best weights; the GPU is the limit.

After https://github.com/meta-pytorch/data/issues/502, of queries that take seconds, and
https://github.com/graphnet-team/graphnet/issues/330.
"""

import os
import sqlite3
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop
from torch.utils.data import DataLoader, IterableDataset

STEPS = 84
BATCH = 512
DAYS = 12
VISITS_A_DAY = 60_000
BATCHES_A_DAY = 7
USERS, SHOPS = 9000, 400
EVALUATE_EVERY = 25
HELD_OUT = 4096
COLUMNS = 6

FEATURES_OF_DAY = """
    SELECT spent, basket,
           COALESCE(AVG(spent) OVER (PARTITION BY user ORDER BY at ROWS BETWEEN 20 PRECEDING AND 1 PRECEDING), 0),
           COUNT(*) OVER (PARTITION BY user ORDER BY at),
           COALESCE(AVG(basket) OVER (PARTITION BY shop ORDER BY at ROWS BETWEEN 50 PRECEDING AND 1 PRECEDING), 0),
           spent > 40
    FROM visits WHERE day = ? ORDER BY at LIMIT ?
"""


def fill_warehouse(path):
    drawn = numpy.random.default_rng(41)
    with sqlite3.connect(path) as warehouse:
        warehouse.execute("CREATE TABLE visits (day INT, at INT, user INT, shop INT, spent REAL, basket INT)")
        for day in range(DAYS):
            columns = (
                numpy.full(VISITS_A_DAY, day),
                drawn.permutation(VISITS_A_DAY),
                drawn.integers(0, USERS, VISITS_A_DAY),
                drawn.integers(0, SHOPS, VISITS_A_DAY),
                drawn.exponential(30.0, VISITS_A_DAY),
                drawn.integers(1, 20, VISITS_A_DAY),
            )
            rows = zip(*(column.tolist() for column in columns))
            warehouse.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)", rows)
        warehouse.execute("CREATE INDEX visits_of_day ON visits (day)")
    warehouse.close()


class VisitStream(IterableDataset):
    """Batches of rows, day after day, as the warehouse gives them."""

    def __init__(self, path):
        self.path = path

    def fetch_batches(self, cursor):
        while rows := cursor.fetchmany(BATCH):
            yield torch.from_numpy(numpy.array(rows, dtype=numpy.float32))

    def __iter__(self):
        warehouse = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        for day in range(DAYS):
            yield from self.fetch_batches(warehouse.execute(FEATURES_OF_DAY, (day, BATCHES_A_DAY * BATCH)))
        warehouse.close()


class BasketTrainer:
    def __init__(self, loop):
        self.loop = loop
        drawn = torch.Generator().manual_seed(19)
        self.weights = torch.rand(256, 256, generator=drawn)
        self.held_out = torch.rand(HELD_OUT, COLUMNS, generator=drawn)
        self.best = self.weights.clone()
        self.best_score = float("inf")
        self.loss_sum = 0.0

    def evaluate(self):
        errors = self.held_out @ self.weights[:COLUMNS, 0] - self.held_out[:, 0]
        score = float((errors**2).mean())
        if score < self.best_score:
            self.best_score, self.best = score, self.weights.clone()

    def train_step(self, step, rows):
        self.loop.train(rows)
        self.loss_sum += float(rows[:, -1].mean())
        if step % EVALUATE_EVERY == EVALUATE_EVERY - 1:
            self.loop.timed("evaluating", self.evaluate)


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.12)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "warehouse.db")
        fill_warehouse(path)
        trainer = BasketTrainer(loop)
        loader = DataLoader(VisitStream(path), batch_size=None, num_workers=1, prefetch_factor=16)
        for step, rows in enumerate(loop.batches(loader)):
            trainer.train_step(step, rows)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
