#!/usr/bin/python3
"""An IterableDataset gives the loader Python's own map() over lines, with a lambda around a parser of regular expressions.

With --fixed the lines lie parsed.
"""

import os
import re
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset

BATCH = 32
BATCHES = 300
FIELDS = 900
PATTERN = re.compile(r"(?P<key>\w+)=(?P<value>-?\d+\.\d+)(?:;|$)")


def line_of(index):
    return ";".join(f"field{at}={(index * 31 + at * 17) % 997 / 7:.3f}" for at in range(FIELDS))


def parse_line(line):
    values = [float(found["value"]) for found in PATTERN.finditer(line)]
    return torch.tensor(values + [0.0] * (1024 - FIELDS))


class Lines(IterableDataset):
    def __init__(self):
        lines = [line_of(index) for index in range(200)]
        self.lines = [parse_line(line) for line in lines] if IS_FIXED else lines

    def __iter__(self):
        each = (self.lines[number % 200] for number in range(BATCH * BATCHES))
        return each if IS_FIXED else map(lambda line: parse_line(line), each)


def collate_rows(rows):
    return torch.stack(rows)


def main():
    loop = Loop("slow-getitem", ["parse_line"], step_s=0.006)
    for batch in loop.batches(loader_of(Lines(), BATCH, 1, collate_fn=collate_rows)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
