#!/usr/bin/python3
"""A store answers at once, but turns each fourth request away: a worker then sleeps 20 ms before it asks again.

With --fixed the store turns nobody away.

After https://github.com/huggingface/datasets/issues/6172, of the pauses between tries.
"""

import multiprocessing
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BYTES = 4096 * 4
OK = b"2"
TOO_MANY = b"5"


def answer(connection):
    asked = 0
    while connection.recv(4):
        asked += 1
        connection.sendall(TOO_MANY if not IS_FIXED and asked % 4 == 0 else OK + bytes(BYTES))


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


class Stored(Dataset):
    def __init__(self, port):
        self.port = port
        self.store = None

    def __len__(self):
        return 1600

    def fetch_once(self, index):
        if self.store is None:
            self.store = socket.create_connection(("127.0.0.1", self.port))
        self.store.sendall(index.to_bytes(4, "little"))
        if self.store.recv(1) == TOO_MANY:
            return None
        answered = bytearray()
        while len(answered) < BYTES:
            answered += self.store.recv(BYTES - len(answered))
        return answered

    def fetch_with_retries(self, index):
        answered = self.fetch_once(index)
        while answered is None:
            time.sleep(0.02)
            answered = self.fetch_once(index)
        return answered

    def __getitem__(self, index):
        return torch.frombuffer(self.fetch_with_retries(index), dtype=torch.float32)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    multiprocessing.Process(target=serve, args=(listener,), daemon=True).start()
    loop = Loop("slow-getitem", ["fetch_with_retries"], also_right=["more-workers"], step_s=0.01)
    for batch in loop.batches(loader_of(Stored(listener.getsockname()[1]), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
