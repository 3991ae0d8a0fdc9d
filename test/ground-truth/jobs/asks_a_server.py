#!/usr/bin/python3
"""Workers ask a feature server of this machine for each sample, and it answers one after the other, slowly.

With --fixed it is fast.
"""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from torch.utils.data import Dataset

FEATURES = 4096


def server_place():
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        return [int(text) for text in file.read().split()]


class Remote(Dataset):
    def __init__(self, port):
        self.port = port
        self.server = None

    def __len__(self):
        return 960

    def fetch_features(self, index):
        if self.server is None:
            self.server = socket.create_connection(("127.0.0.1", self.port))
        self.server.sendall(index.to_bytes(4, "little"))
        answer = bytearray()
        while len(answer) < FEATURES * 4:
            answer += self.server.recv(1 << 16)
        return torch.frombuffer(answer, dtype=torch.float32)

    def __getitem__(self, index):
        return self.fetch_features(index)


def main():
    port, pid = server_place()
    loop = Loop("slow-server", [f":{port}", f"port {port}", f"pid {pid}"], also_right=["slow-getitem"])
    for batch in loop.batches(loader_of(Remote(port), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
