#!/usr/bin/python3
"""Each step asks a vector store for its nearest neighbours, whose answer is in two parts: its length, and then the vectors.

The store's kernel holds the second part back until the first one's receipt is acknowledged, 40 ms later. With --fixed the
store has switched that off (TCP_NODELAY).

After https://github.com/scylladb/vector-store/pull/214.
"""

import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Items, Loop, loader_of
from store import place

STEPS = 150
NEIGHBOURS = 4
FEATURES = 256


class VectorStore:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))

    def read_exactly(self, size):
        data = bytearray()
        while len(data) < size:
            data += self.connection.recv(size - len(data))
        return data

    def find_nearest(self, query):
        self.connection.sendall(query.numpy().tobytes())
        size = int.from_bytes(self.read_exactly(4), "little")
        return torch.frombuffer(self.read_exactly(size), dtype=torch.float32).reshape(NEIGHBOURS, FEATURES)


class RetrievalTrainer:
    def __init__(self, loop, store):
        self.loop = loop
        self.store = store

    def train_step(self, batch):
        neighbours = self.loop.timed("neighbours", self.store.find_nearest, batch[0, :FEATURES])
        batch[:NEIGHBOURS, :FEATURES] += neighbours
        self.loop.train(batch)


def main():
    port, pid = place()
    culprit = ["find_nearest", "read_exactly", f":{port}", f"port {port}", f"pid {pid}", "vector-store"]
    loop = Loop(["slow-server", "host-work"], culprit, "neighbours", step_s=0.01)
    trainer = RetrievalTrainer(loop, VectorStore(port))
    for batch in loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1)):
        trainer.train_step(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
