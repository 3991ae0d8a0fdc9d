#!/usr/bin/python3
"""A worker opens a connection to the store for each sample, asks for it and closes it again.

With --fixed the store answers at once.
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

    def __len__(self):
        return 1600

    def fetch_sample(self, index):
        with socket.create_connection(("127.0.0.1", self.port)) as store:
            return ask(store, index)

    def __getitem__(self, index):
        return torch.frombuffer(self.fetch_sample(index), dtype=torch.float32)


def main():
    port, pid = place()
    culprit = [f":{port}", f"port {port}", f"pid {pid}"]
    loop = Loop("slow-server", culprit, also_right=["slow-getitem"], step_s=0.004)
    for batch in loop.batches(loader_of(Stored(port), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
