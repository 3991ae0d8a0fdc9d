#!/usr/bin/python3
"""Three workers read one stream: each decodes all of its records, and keeps every third. More workers would not help.

With --fixed a worker skips what isn't its own before it decodes.

After https://github.com/huggingface/accelerate/pull/4144, of streams that are read as often as there are readers.
"""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

WORKERS = 3
BATCH = 16
RECORDS = BATCH * WORKERS * 180


def decode_record(line):
    record = json.loads(line)
    return torch.tensor(record["readings"])


def read_lines():
    chosen = random.Random(11)
    lines = [
        json.dumps({"sensor": sensor, "readings": [round(chosen.random(), 4) for _ in range(4096)]})
        for sensor in range(32)
    ]
    for number in range(RECORDS):
        yield lines[number % 32]


class Readings(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        for number, line in enumerate(read_lines()):
            is_own = number % info.num_workers == info.id
            if IS_FIXED and not is_own:
                continue
            sample = decode_record(line)
            if is_own:
                yield sample


def main():
    # Three workers on two CPUs that all do the same: fewer would be better, and that is true as well.
    also_right = ["workers-to-cores"]
    culprit = ["decode_record", "Readings.__iter__"]
    loop = Loop("slow-getitem", culprit, also_right=also_right, step_s=0.006)
    for batch in loop.batches(loader_of(Readings(), BATCH, WORKERS)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
