#!/usr/bin/python3
"""A worker fetches the samples of a batch with asyncio, one after the other, from a store that takes its time.

With --fixed the store does not.
"""

import asyncio
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop, loader_of
from store import PART_BYTES, key_of, place
from torch.utils.data import Dataset


class Stored(Dataset):
    def __init__(self, port):
        self.port = port
        self.loop = None

    def __len__(self):
        return 1600

    async def fetch_sample(self, index):
        self.store[1].write(key_of(index))
        await self.store[1].drain()
        return await self.store[0].readexactly(PART_BYTES)

    def __getitem__(self, index):
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
            self.store = self.loop.run_until_complete(asyncio.open_connection("127.0.0.1", self.port))
        part = self.loop.run_until_complete(self.fetch_sample(index))
        return torch.frombuffer(bytearray(part), dtype=torch.float32)


def main():
    port, pid = place()
    culprit = [f":{port}", f"port {port}", f"pid {pid}"]
    loop = Loop("slow-server", culprit, also_right=["slow-getitem"], step_s=0.004)
    for batch in loop.batches(loader_of(Stored(port), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
