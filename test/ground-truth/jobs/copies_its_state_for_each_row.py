#!/usr/bin/python3
"""A stream that can be resumed at any row deep-copies the state of all its shards for each of them.

With --fixed it copies their dicts alone, which hold nothing but numbers.

After https://github.com/huggingface/datasets/issues/8393.
"""

import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

BATCHES = 800
BATCH = 16
SHARDS = 256


class Resumable(IterableDataset):
    def __init__(self):
        self.rows = torch.rand(256, 4096)
        self.shards = [{"shard": shard, "row": 0, "epoch": 0} for shard in range(SHARDS)]
        self.last = None

    def state_dict(self):
        if IS_FIXED:
            return {"shards": [dict(shard) for shard in self.shards]}
        return copy.deepcopy({"shards": self.shards})

    def __iter__(self):
        info = get_worker_info()
        for number in range(info.id, BATCHES * BATCH, info.num_workers):
            self.shards[number % SHARDS]["row"] += 1
            self.last = self.state_dict()
            yield self.rows[number % 256]


def main():
    loop = Loop("slow-getitem", ["state_dict", "deepcopy"], step_s=0.003)
    for batch in loop.batches(loader_of(Resumable(), BATCH, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
