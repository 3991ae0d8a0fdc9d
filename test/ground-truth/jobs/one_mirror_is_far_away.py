#!/usr/bin/python3
"""Three workers stream from a mirror each, and the third one's is far away: it is waited for in every round.

The two others stand ready all the time. With --fixed it is as near as theirs.

After https://github.com/pytorch/pytorch/issues/135409.
"""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from store import ask
from torch.utils.data import IterableDataset, get_worker_info

WORKERS = 3
BATCHES_A_WORKER = 100
BATCH = 16


def mirrors():
    """The port of the near one and of the far one, and the pid of each."""
    with open(os.path.join(os.environ["STALLTRACE_BESIDE"], "ready"), encoding="utf8") as file:
        return [int(text) for text in file.read().split()]


class Mirrored(IterableDataset):
    def __init__(self, ports):
        self.ports = ports

    def read_mirror(self, store, part):
        return torch.frombuffer(ask(store, part), dtype=torch.float32)

    def __iter__(self):
        port = self.ports[get_worker_info().id]
        with socket.create_connection(("127.0.0.1", port)) as store:
            for part in range(BATCHES_A_WORKER * BATCH):
                yield self.read_mirror(store, part)


def main():
    near, far, _, pid = mirrors()
    culprit = [f":{far}", f"port {far}", f"pid {pid}", "far-mirror"]
    loop = Loop(["slow-server", "head-of-line"], culprit, also_right=["slow-getitem"], step_s=0.009)
    for batch in loop.batches(loader_of(Mirrored([near, near, far]), BATCH, WORKERS)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
