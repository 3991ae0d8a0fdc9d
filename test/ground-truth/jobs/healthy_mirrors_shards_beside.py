#!/usr/bin/python3
"""Nothing is wrong: a thread fetches the next shards from a slow bucket, and puts them on the disk for sure, in time.

It waits for the bucket or the disk nearly always, and the loop never waits for it.

After https://github.com/webdataset/webdataset/issues/300, which asks for the next shard to be fetched ahead.
"""

import multiprocessing
import os
import queue
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop

SHARDS = 10
BATCHES = 45
BATCH_BYTES = 1 << 16
SHARD_BYTES = BATCHES * BATCH_BYTES
PART_BYTES = 1 << 16


def serve_bucket(listener):
    """A shard takes about half a second."""
    while True:
        connection, _ = listener.accept()
        with connection:
            while connection.recv(4):
                for _ in range(SHARD_BYTES // PART_BYTES):
                    time.sleep(0.01)
                    connection.sendall(bytes(PART_BYTES))


class Mirror(threading.Thread):
    """Keeps two shards ahead of the one that is read."""

    def __init__(self, port, folder):
        super().__init__(name="shard-mirror", daemon=True)
        self.bucket = socket.create_connection(("127.0.0.1", port))
        self.folder = folder
        self.ready = queue.Queue(maxsize=2)

    def fetch_shard(self, shard, file):
        self.bucket.sendall(shard.to_bytes(4, "little"))
        missing = SHARD_BYTES
        while missing:
            part = self.bucket.recv(min(missing, PART_BYTES))
            file.write(part)
            missing -= len(part)

    def run(self):
        for shard in range(SHARDS):
            path = os.path.join(self.folder, f"shard-{shard:04}.bin")
            with open(path + ".part", "wb") as file:
                self.fetch_shard(shard, file)
                file.flush()
                os.fsync(file.fileno())
            os.rename(path + ".part", path)
            self.ready.put(path)
        self.ready.put(None)


class LocalShards:
    """The batches of each shard once it is there; a shard that was read is removed."""

    def __init__(self, mirror):
        self.mirror = mirror

    def read_shard(self, path):
        with open(path, "rb") as file:
            while data := file.read(BATCH_BYTES):
                yield torch.frombuffer(bytearray(data), dtype=torch.float32)
        os.remove(path)

    def __iter__(self):
        while (path := self.mirror.ready.get()) is not None:
            yield from self.read_shard(path)


def main():
    torch.set_num_threads(1)
    listener = socket.create_server(("127.0.0.1", 0), backlog=4)
    context = multiprocessing.get_context("fork")
    bucket = context.Process(target=serve_bucket, args=(listener,), daemon=True)
    bucket.start()
    loop = Loop(step_s=0.024)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        mirror = Mirror(listener.getsockname()[1], folder)
        mirror.start()
        for batch in loop.batches(LocalShards(mirror)):
            loop.train(batch)
        mirror.join()
    loop.report(sys.argv[1])
    bucket.kill()
    bucket.join()


if __name__ == "__main__":
    main()
