#!/usr/bin/python3
"""Nothing is wrong: a store takes 5 ms for each sample, and eight workers wait for it long before the loop does.

They are more than there are CPUs, and that is right: they have next to nothing to compute.
"""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from store import ask, place
from torch.utils.data import Dataset


class Stored(Dataset):
    def __init__(self, port):
        self.port = port
        self.store = None

    def __len__(self):
        return 16 * 300

    def fetch_part(self, index):
        if self.store is None:
            self.store = socket.create_connection(("127.0.0.1", self.port))
        return torch.frombuffer(ask(self.store, index), dtype=torch.float32)

    def __getitem__(self, index):
        return self.fetch_part(index)


def main():
    port, _ = place()
    loop = Loop(step_s=0.026)
    for batch in loop.batches(loader_of(Stored(port), 16, 8)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
