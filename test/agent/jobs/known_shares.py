#!/usr/bin/python3
"""A DataLoader job that knows what its workers do: how long each named function took, by its own clock.

Each worker writes its sums to REPORT.PID after every batch. An item is decoded, augmented, and waited for.
"""

import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

report, seconds, workers = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
sums = {"decode": 0.0, "augment": 0.0, "fetch": 0.0}


def decode(steps):
    value = 0
    for step in range(steps): value = (value * 31 + step) & 0xFFFF
    return value


def augment(steps):
    value = 1
    for step in range(steps): value ^= step
    return value


def fetch():
    # A wait that samples at 20 a second meet twice.
    time.sleep(0.12)


def timed(function, *arguments):
    begin = time.perf_counter()
    function(*arguments)
    sums[function.__name__] += time.perf_counter() - begin


class Items(Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        timed(decode, 90000)
        timed(augment, 45000)
        if index % 32 == 31:
            timed(fetch)
        if index % 8 == 7:
            with open(f"{report}.{os.getpid()}", "w", encoding="utf8") as file:
                json.dump(sums, file)
        return torch.zeros(4)


torch.set_num_threads(1)
end = time.monotonic() + seconds
for batch in DataLoader(Items(), batch_size=8, num_workers=workers):
    if time.monotonic() > end:
        break
print("done")
