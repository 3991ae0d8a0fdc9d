#!/usr/bin/python3
"""Nothing is wrong: workers read clicks from the gzip programs that they start for each shard, and hash them, in time.

The loop flushes a line to its log at each step, and shows a curve's area now and then; the GPU is the limit.

After https://github.com/webdataset/webdataset/issues/433, of tabular shards that came too slowly.
"""

import json
import os
import subprocess
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

STEPS = 66
BATCH = 512
SHARDS = 8
LINES = 4096
DENSE, WORDS = 13, 26
BUCKETS = 1 << 20
SHOW_EVERY = 20
KEPT = 8


def write_shard(path, drawn):
    """Lines as Criteo's: a label, numbers, and words of eight letters, with tabs between."""
    labels = drawn.integers(0, 2, LINES)
    numbers = drawn.integers(0, 900, (LINES, DENSE))
    words = drawn.integers(0, 1 << 32, (LINES, WORDS))
    rows = zip(labels.tolist(), numbers.tolist(), words.tolist())
    text = "".join("\t".join([str(y), *map(str, xs), *(f"{w:08x}" for w in ws)]) + "\n" for y, xs, ws in rows)
    with open(path, "wb") as file:
        subprocess.run(["gzip", "-1", "-c"], input=text.encode(), stdout=file, check=True)


class ClickStream(IterableDataset):
    """Batches of rows: a label, what was counted, and the row of each word's embedding."""

    def __init__(self, shards):
        self.shards = shards

    def open_shard(self, path):
        return subprocess.Popen(["gzip", "-dc", path], stdout=subprocess.PIPE)

    def parse_lines(self, lines):
        fields = [line.rstrip(b"\n").split(b"\t") for line in lines]
        counted = numpy.log1p(numpy.array([row[: 1 + DENSE] for row in fields]).astype(numpy.float32))
        hashed = [[int(word, 16) % BUCKETS for word in row[1 + DENSE :]] for row in fields]
        return torch.from_numpy(numpy.concatenate([counted, numpy.array(hashed, dtype=numpy.float32)], axis=1))

    def __iter__(self):
        worker = get_worker_info()
        given, turn = 0, 0
        while given < STEPS // worker.num_workers:
            shard = self.shards[(worker.id + turn * worker.num_workers) % SHARDS]
            turn += 1
            with self.open_shard(shard) as program:
                while given < STEPS // worker.num_workers:
                    lines = [line for _, line in zip(range(BATCH), program.stdout)]
                    if len(lines) < BATCH:
                        break
                    given += 1
                    yield self.parse_lines(lines)
                program.stdout.close()


def area_under_curve(labels, scores):
    ranks = numpy.empty(len(scores))
    ranks[scores.argsort()] = numpy.arange(1, len(scores) + 1)
    positives = labels > 0
    count = positives.sum()
    return (ranks[positives].sum() - count * (count + 1) / 2) / max(1, count * (len(labels) - count))


class ClickTrainer:
    def __init__(self, loop, log):
        self.loop = loop
        self.log = log
        self.recent = []

    def log_step(self, step, rows):
        print(json.dumps({"step": step, "ctr": float(rows[:, 0].mean())}), file=self.log, flush=True)
        self.recent = [*self.recent[1 - KEPT :], rows[:, :2].numpy()]
        if step % SHOW_EVERY == SHOW_EVERY - 1:
            labels, scores = numpy.concatenate(self.recent).T
            print(json.dumps({"step": step, "auc": area_under_curve(labels, scores)}), file=self.log, flush=True)

    def train_step(self, step, rows):
        self.loop.train(rows)
        self.loop.timed("logging", self.log_step, step, rows)


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.2)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        shards = [os.path.join(folder, f"day{number}.tsv.gz") for number in range(SHARDS)]
        drawn = numpy.random.default_rng(91)
        for path in shards:
            write_shard(path, drawn)
        with open(os.path.join(folder, "train.jsonl"), "w", encoding="utf8") as log:
            trainer = ClickTrainer(loop, log)
            loader = DataLoader(ClickStream(shards), batch_size=None, num_workers=2, prefetch_factor=8)
            for step, rows in enumerate(loop.batches(loader)):
                trainer.train_step(step, rows)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
