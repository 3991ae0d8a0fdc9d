#!/usr/bin/python3
"""Each sample lies in eight parts on an object store; a worker fetches them with a pool of threads, and waits.

The store takes its time for each part. With --fixed it does not.

After https://github.com/pytorch/pytorch/pull/158218.
"""

import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from store import ask, place
from torch.utils.data import Dataset

PARTS = 8


class Stored(Dataset):
    def __init__(self, port):
        self.port = port
        self.pool = None
        self.own = threading.local()

    def __len__(self):
        return 640

    def fetch_part(self, key):
        if not hasattr(self.own, "store"):
            self.own.store = socket.create_connection(("127.0.0.1", self.port))
        return ask(self.own.store, key)

    def __getitem__(self, index):
        if self.pool is None:
            self.pool = ThreadPoolExecutor(PARTS)
        parts = self.pool.map(self.fetch_part, range(index * PARTS, (index + 1) * PARTS))
        return torch.frombuffer(bytearray().join(parts), dtype=torch.float32)


def main():
    port, pid = place()
    culprit = [f":{port}", f"port {port}", f"pid {pid}"]
    loop = Loop("slow-server", culprit, also_right=["slow-getitem"], step_s=0.004)
    for batch in loop.batches(loader_of(Stored(port), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
