#!/usr/bin/python3
"""Nothing is wrong: shards that no cache holds come from the disk, but each worker has a thread that reads the next one meanwhile.

After https://github.com/aditya-grover/climate-learn/issues/92, which asks for that.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

WORKERS = 2
SHARDS = 20
HOURS_A_SHARD = 240
VALUES = 2048
BATCH = 16


def write_shards(folder):
    """And asks the kernel to forget them."""
    paths = [os.path.join(folder, f"era5-{number:03d}.raw") for number in range(SHARDS)]
    for path in paths:
        with open(path, "wb") as file:
            file.write(os.urandom(HOURS_A_SHARD * VALUES * 2))
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return paths


def read_shard(path):
    with open(path, "rb") as file:
        return numpy.frombuffer(file.read(), dtype=numpy.uint16).reshape(HOURS_A_SHARD, VALUES)


class ShardDataset(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def shards(self):
        """Each shard, while a thread reads the one after it."""
        own = self.paths[get_worker_info().id :: WORKERS]
        with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as ahead:
            coming = ahead.submit(read_shard, own[0])
            for path in own[1:]:
                shard, coming = coming.result(), ahead.submit(read_shard, path)
                yield shard
            yield coming.result()

    def __iter__(self):
        for shard in self.shards():
            for hour in shard:
                yield torch.from_numpy(hour.astype(numpy.float32) / 65536)


def main():
    loop = Loop(step_s=0.04)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for batch in loop.batches(loader_of(ShardDataset(write_shards(folder)), BATCH, WORKERS)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
