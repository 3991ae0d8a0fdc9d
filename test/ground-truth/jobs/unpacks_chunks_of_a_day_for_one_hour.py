#!/usr/bin/python3
"""Weather maps are kept in packed chunks of 24 hours each, and samples are single hours in random order.

A spawned worker unpacks all 24 hours of each tile of a map to take one, unless it has the chunk still. With --fixed the
archive was written anew, in chunks of an hour.

After https://github.com/openclimatefix-archives/nowcasting_dataset/issues/57.
"""

import os
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import zlib
from collections import OrderedDict

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

BATCH = 20
BATCHES = 200
HOURS = 240
SIDE = 128
CHUNK_HOURS, CHUNK_SIDE = (1, SIDE) if IS_FIXED else (24, 32)
TILES = SIDE // CHUNK_SIDE
KEPT_BYTES = 4 << 20


def make_fields():
    """Temperatures, in tenths of a degree."""
    chosen = numpy.random.default_rng(17)
    rows, columns = numpy.mgrid[0:SIDE, 0:SIDE] / 20
    waves = [numpy.sin(rows + hour / 9) * 80 + numpy.cos(columns - hour / 5) * 60 for hour in range(HOURS)]
    return (numpy.stack(waves) + chosen.integers(0, 6, (HOURS, SIDE, SIDE))).astype(numpy.float32).round()


def write_archive(folder):
    fields = make_fields()
    for day in range(HOURS // CHUNK_HOURS):
        hours = fields[day * CHUNK_HOURS : (day + 1) * CHUNK_HOURS]
        for row in range(TILES):
            for column in range(TILES):
                top, left = row * CHUNK_SIDE, column * CHUNK_SIDE
                tile = hours[:, top : top + CHUNK_SIDE, left : left + CHUNK_SIDE]
                with open(os.path.join(folder, f"{day}.{row}.{column}"), "wb") as file:
                    file.write(zlib.compress(tile.tobytes(), 1))


class ChunkedArray:
    """Of hours, rows and columns; it keeps the chunks that it used last."""

    def __init__(self, folder):
        self.folder = folder
        self.kept = OrderedDict()

    def decode_chunk(self, key):
        with open(os.path.join(self.folder, key), "rb") as file:
            packed = file.read()
        return numpy.frombuffer(zlib.decompress(packed), numpy.float32).reshape(CHUNK_HOURS, CHUNK_SIDE, CHUNK_SIDE)

    def get_chunk(self, key):
        chunk = self.kept.pop(key, None)
        if chunk is None:
            chunk = self.decode_chunk(key)
        self.kept[key] = chunk
        while len(self.kept) * chunk.nbytes > KEPT_BYTES:
            self.kept.popitem(last=False)
        return chunk

    def read_hour(self, hour):
        day, hour_of_day = divmod(hour, CHUNK_HOURS)
        tiles = [
            [self.get_chunk(f"{day}.{row}.{column}")[hour_of_day] for column in range(TILES)] for row in range(TILES)
        ]
        return numpy.block(tiles)


class ReanalysisDataset(Dataset):
    def __init__(self, folder):
        self.temperatures = ChunkedArray(folder)

    def __len__(self):
        return BATCH * BATCHES

    def __getitem__(self, index):
        field = self.temperatures.read_hour(index % HOURS)
        return torch.from_numpy((field - 20) / 90)


def main():
    culprit = ["decode_chunk", "get_chunk", "read_hour", "ReanalysisDataset.__getitem__"]
    loop = Loop("slow-getitem", culprit, step_s=0.032)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        write_archive(folder)
        loader = loader_of(ReanalysisDataset(folder), BATCH, 2, shuffle=True, multiprocessing_context="spawn")
        for batch in loop.batches(loader):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
