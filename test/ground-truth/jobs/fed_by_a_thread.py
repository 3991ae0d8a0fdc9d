#!/usr/bin/python3
"""No DataLoader: a thread of the job's own decodes in Python and fills a queue, too slowly. With --fixed ahead of time.

After https://github.com/facebookresearch/pytext/pull/631, of a thread that prefetches.
"""

import os
import queue
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

BATCHES = 500


def decode_shard(number):
    total = 0
    for value in range(2_000 if IS_FIXED else 220_000):
        total += value ^ number
    return torch.full((16, 4096), float(total % 7))


def fill(ready):
    for number in range(BATCHES):
        ready.put(decode_shard(number))
    ready.put(None)


def batches_of(ready):
    while (batch := ready.get()) is not None:
        yield batch


def main():
    torch.set_num_threads(1)
    ids = ["producer", "gil"]
    loop = Loop(ids, ["decode_shard", "feeder"], verdicts=["input-bound", "host-bound"], step_s=0.004)
    ready = queue.Queue(maxsize=4)
    threading.Thread(target=fill, args=(ready,), name="feeder", daemon=True).start()
    for batch in loop.batches(batches_of(ready)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
