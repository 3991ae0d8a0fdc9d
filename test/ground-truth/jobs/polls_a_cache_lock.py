#!/usr/bin/python3
"""Before a worker reads a shard it takes the cache's lock, a file, and another run has that half of the time.

Who does not get it sleeps 50 ms before the next try. With --fixed the other run has a cache of its own.

After https://github.com/huggingface/datasets/issues/3983, whose log shows these tries.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

SHARDS = 200
SHARD = 16
POLL_S = 0.05


class SoftFileLock:
    """A lock for file systems that have none: who creates the file has it."""

    def __init__(self, path):
        self.path = path

    def try_to_acquire(self):
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        return True

    def acquire(self):
        while not self.try_to_acquire():
            time.sleep(POLL_S)

    def __enter__(self):
        self.acquire()

    def __exit__(self, *_):
        os.unlink(self.path)


class CachedShards(IterableDataset):
    def __init__(self, folder):
        self.path = os.path.join(folder, "shards.bin")
        self.lock = SoftFileLock(os.path.join(folder, "shards.lock"))

    def read_shard(self):
        with self.lock:
            with open(self.path, "rb") as file:
                return bytearray(file.read())

    def __iter__(self):
        info = get_worker_info()
        for _ in range(info.id, SHARDS, info.num_workers):
            shard = torch.frombuffer(self.read_shard(), dtype=torch.float32).reshape(SHARD, -1)
            yield from shard


def main():
    folder = os.environ["STALLTRACE_BESIDE"]
    with open(os.path.join(folder, "ready"), encoding="utf8") as file:
        other = file.read()
    with open(os.path.join(folder, "shards.bin"), "wb") as file:
        file.write(bytes(SHARD * 4096 * 4))
    ids = ["shared-lock", "file-lock", "sleep", "slow-getitem"]
    culprit = ["acquire", "read_shard", "shards.lock", "sibling-run", f"pid {other}"]
    # Batches come in order, so that one worker's is waited for while the other's may be there, and that one is not told to go
    # on: with prefetch_factor=8 it took 6.9 and 6.1 s instead of 11.0 and 12.3 s.
    loop = Loop(ids, culprit, also_right=["more-workers", "head-of-line", "prefetch"], step_s=0.01)
    for batch in loop.batches(loader_of(CachedShards(folder), SHARD, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
