#!/usr/bin/python3
"""A worker streams shards of 64 samples from a store: it waits long for each shard, and has its samples at once then.

With --fixed the store answers at once.
"""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from store import ask, place
from torch.utils.data import IterableDataset, get_worker_info

SHARDS = 50
SAMPLES = 64


class Streamed(IterableDataset):
    def __init__(self, port):
        self.port = port

    def open_shard(self, store, shard):
        return torch.frombuffer(ask(store, shard), dtype=torch.float32)

    def __iter__(self):
        info = get_worker_info()
        store = socket.create_connection(("127.0.0.1", self.port))
        for shard in range(info.id, SHARDS, info.num_workers):
            sample = self.open_shard(store, shard)
            for _ in range(SAMPLES):
                yield sample.clone()


def main():
    port, pid = place()
    culprit = [f":{port}", f"port {port}", f"pid {pid}"]
    loop = Loop("slow-server", culprit, also_right=["slow-getitem", "head-of-line", "prefetch"], step_s=0.004)
    for batch in loop.batches(loader_of(Streamed(port), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
