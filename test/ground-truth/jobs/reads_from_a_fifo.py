#!/usr/bin/python3
"""A worker reads its samples from a named pipe into which another process decodes them, too slowly.

With --fixed it is fast.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset

FEEDER = """import sys, time
with open(sys.argv[1], "wb", buffering=0) as pipe:
    for _ in range(960):
        time.sleep(float(sys.argv[2]))
        pipe.write(bytes(16384))"""


class Decoded(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path, "rb") as pipe:
            while sample := self.read_sample(pipe):
                yield torch.frombuffer(sample, dtype=torch.float32)

    def read_sample(self, pipe):
        return bytearray(pipe.read(16384))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "decoded.fifo")
        os.mkfifo(path)
        pause = "0" if IS_FIXED else "0.006"
        feeder = subprocess.Popen([sys.executable, "-c", FEEDER, path, pause])
        ids = ["slow-server", "slow-peer", "slow-feeder"]
        loop = Loop(ids, [f"pid {feeder.pid}"], also_right=["slow-getitem"])
        for batch in loop.batches(loader_of(Decoded(path), 16, 1)):
            loop.train(batch)
        feeder.wait()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
