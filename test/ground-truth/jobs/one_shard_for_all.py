#!/usr/bin/python3
"""Four workers share out the files of a dataset between them, and there is one: three of them have nothing to do.

With --fixed there are as many files as workers.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

WORKERS = 4
SAMPLES = 3200


class Sharded(IterableDataset):
    def __init__(self, shards):
        self.shards = shards

    def read_samples(self, count):
        for at in range(count):
            # As a store far away answers.
            time.sleep(0.002)
            yield torch.full((4096,), float(at))

    def __iter__(self):
        info = get_worker_info()
        for _ in range(info.id, self.shards, info.num_workers):
            yield from self.read_samples(SAMPLES // self.shards)


def main():
    shards = WORKERS if IS_FIXED else 1
    loop = Loop(["idle-workers", "slow-getitem"], ["3 of the 4 DataLoader workers"], step_s=0.004)
    loop.also_right += ["slow-getitem"]
    for batch in loop.batches(loader_of(Sharded(shards), 16, WORKERS)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
