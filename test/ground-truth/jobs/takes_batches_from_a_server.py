#!/usr/bin/python3
"""No DataLoader: each step asks a server for its batch, which takes its time. With --fixed it answers at once."""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop
from store import PART_BYTES, key_of, place

STEPS = 300


def take_batch(server, step):
    server.sendall(key_of(step))
    part = bytearray()
    while len(part) < PART_BYTES:
        part += server.recv(1 << 16)
    return torch.frombuffer(part, dtype=torch.float32).repeat(16, 4)


def main():
    torch.set_num_threads(1)
    port, pid = place()
    ids = ["slow-server", "producer", "host-work"]
    verdicts = ["input-bound", "host-bound"]
    culprit = ["take_batch", f":{port}", f"pid {pid}"]
    loop = Loop(ids, culprit, verdicts=verdicts, step_s=0.006)
    server = socket.create_connection(("127.0.0.1", port))
    for batch in loop.batches(take_batch(server, step) for step in range(STEPS)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
