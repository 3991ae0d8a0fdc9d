#!/usr/bin/python3
"""A stream of records goes through a chain of generators, as a data pipe: what inflates and parses them is one of five.

With --fixed they lie inflated and parsed.
"""

import functools
import json
import os
import sys
import zlib

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset

RECORDS = 60
BATCH = 16
BATCHES = 260
FEATURES = 4000


def mapped(function):
    """A stage of a pipe that calls `function` for each record."""

    def stage(records):
        for record in records:
            yield function(record)

    return stage


def kept(function):
    def stage(records):
        return (record for record in records if function(record))

    return stage


def inflate_record(record):
    return record if IS_FIXED else json.loads(zlib.decompress(record))


def has_label(record):
    return record["label"] >= 0


class Pipe(IterableDataset):
    def __init__(self, source, *stages):
        self.source = source
        self.stages = stages

    def __iter__(self):
        return functools.reduce(lambda records, stage: stage(records), self.stages, iter(self.source()))


class Records:
    def __init__(self):
        rows = torch.rand(RECORDS, FEATURES).tolist()
        records = [{"label": at % 3, "features": row} for at, row in enumerate(rows)]
        self.packed = records if IS_FIXED else [zlib.compress(json.dumps(one).encode()) for one in records]

    def __call__(self):
        info = torch.utils.data.get_worker_info()
        for index in range(info.id, BATCH * BATCHES, info.num_workers):
            yield self.packed[index % RECORDS]


def tensor_of(record):
    return torch.tensor(record["features"])


def main():
    loop = Loop("slow-getitem", ["inflate_record"], step_s=0.006)
    pipe = Pipe(Records(), mapped(inflate_record), kept(has_label), mapped(tensor_of))
    for batch in loop.batches(loader_of(pipe, BATCH, 1)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
