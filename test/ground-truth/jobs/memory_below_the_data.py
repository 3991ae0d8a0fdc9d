#!/usr/bin/python3
"""The control group may hold less memory than the data set, which is mapped and read in random order.

With --fixed it fits.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from limits import run_within
from loop import IS_FIXED, Loop, loader_of

ROWS = 24_000
FEATURES = 4096
# Python and PyTorch alone take about 200 MB, the data set 390 MB.
LIMIT = str(2_000_000_000 if IS_FIXED else 420_000_000)


def train():
    import numpy
    import torch
    from torch.utils.data import Dataset

    class Mapped(Dataset):
        def __init__(self, path):
            self.rows = numpy.memmap(path, numpy.float32, "r", shape=(ROWS, FEATURES))

        def __len__(self):
            return ROWS

        def __getitem__(self, index):
            return torch.from_numpy(self.rows[(index * 7919) % ROWS].copy())

    limit = ["420 MB", "401 MiB", "400.5 MiB", "400 MiB"]
    # Where the data fits, one worker keeps up with it.
    loop = Loop(["memory-pressure", "memory-limit"], limit, step_s=0.003)
    loop.also_right = ["disk-bound", "small-files"]
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as file:
        for _ in range(ROWS // 400):
            file.write(bytes(4 * FEATURES * 400))
        file.flush()
        os.fsync(file.fileno())
        for batch in loop.batches(loader_of(Mapped(file.name), 64, 1, shuffle=True), epochs=2):
            loop.train(batch)
    loop.report(sys.argv[1])


def main():
    run_within("memory", (LIMIT, LIMIT), train)


if __name__ == "__main__":
    main()
