#!/usr/bin/python3
"""Nothing is wrong: three workers unpack a stream of shards, and sleep 40 ms at each 25th record before they try again.

They are more than there are CPUs, but ahead of the GPU all the same.

After https://github.com/XPixelGroup/BasicSR/issues/646, which sleeps when its store is busy.
"""

import os
import random
import sys
import tempfile
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

WORKERS = 3
BATCH = 16
SHARDS = 6
RECORDS = 120
REPEATS = 8
BUSY_EVERY = 25
PAUSE_S = 0.04
SHAPE = (4, 96, 96)


class StoreBusy(Exception):
    pass


class ShardReader:
    """Reads one shard record by record; the store behind it is busy at times."""

    def __init__(self, file):
        self.file = file
        self.asked = 0

    def read_record(self):
        self.asked += 1
        if self.asked % BUSY_EVERY == 0:
            raise StoreBusy
        size = int.from_bytes(self.file.read(4), "little")
        return self.file.read(size)

    def read_with_retries(self, tries=3):
        for _ in range(tries):
            try:
                return self.read_record()
            except StoreBusy:
                time.sleep(PAUSE_S)
        raise StoreBusy


def read_shards(paths):
    for path in paths:
        with open(path, "rb") as file:
            reader = ShardReader(file)
            for number in range(RECORDS):
                yield f"{os.path.basename(path)}/{number}", reader.read_with_retries()


def unpack_records(records):
    for key, packed in records:
        yield key, numpy.frombuffer(zlib.decompress(packed), dtype=numpy.float32)


def shuffle_records(records, size=48):
    chosen = random.Random(get_worker_info().id)
    buffer = []
    for record in records:
        buffer.append(record)
        if len(buffer) == size:
            yield buffer.pop(chosen.randrange(size))
    chosen.shuffle(buffer)
    yield from buffer


class Stream(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        own = self.paths[get_worker_info().id :: WORKERS]
        yield from shuffle_records(unpack_records(read_shards(own * REPEATS)))


def collate_records(records):
    keys, rows = zip(*records)
    return list(keys), torch.from_numpy(numpy.stack(rows))


def write_shards(folder):
    chosen = numpy.random.default_rng(19)
    packed = []
    for _ in range(12):
        record = numpy.round(chosen.normal(0, 20, SHAPE)).astype(numpy.float32)
        data = zlib.compress(record.tobytes(), 1)
        packed.append(len(data).to_bytes(4, "little") + data)
    for shard in range(SHARDS):
        path = os.path.join(folder, f"train-{shard:05}.shard")
        with open(path, "wb") as file:
            for number in range(RECORDS):
                file.write(packed[(number + shard) % len(packed)])
        yield path


def main():
    loop = Loop(step_s=0.026)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        stream = Stream(list(write_shards(folder)))
        for _, batch in loop.batches(loader_of(stream, BATCH, WORKERS, collate_fn=collate_records)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
