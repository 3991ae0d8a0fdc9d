#!/usr/bin/python3
"""Workers read each shard from the output of a program that fetches it from a bucket, at 12 MB/s.

With --fixed the bucket is near, and the program is as fast as it can write.

After https://github.com/webdataset/webdataset/issues/267, where shards come through pipe:gsutil cat.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

SHARDS = 48
RECORDS = 72
RECORD_BYTES = 1 << 16
PAUSE_S = 0.0 if IS_FIXED else RECORD_BYTES / 12e6
# Stands for the program of a cloud, which can't be had here.
FETCH = """
import sys, time
records, size, pause = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
for number in range(records):
    time.sleep(pause)
    sys.stdout.buffer.write(size.to_bytes(4, "little") + bytes(size))
    sys.stdout.buffer.flush()
"""


class PipeStream:
    """What a program writes, as a file; its end is looked at when all is read."""

    def __init__(self, url):
        arguments = [url, str(RECORDS), str(RECORD_BYTES), str(PAUSE_S)]
        self.program = subprocess.Popen([sys.executable, "-S", "-c", FETCH, *arguments], stdout=subprocess.PIPE)

    def __enter__(self):
        return self.program.stdout

    def __exit__(self, *_):
        self.program.stdout.close()
        if self.program.wait() not in (0, 1):
            raise OSError(f"the program ended with {self.program.returncode}")


def open_url(url):
    return PipeStream(url.removeprefix("pipe:"))


def read_record(stream):
    head = stream.read(4)
    return stream.read(int.from_bytes(head, "little")) if head else None


def records_of(url):
    with open_url(url) as stream:
        while (record := read_record(stream)) is not None:
            yield record


class PipedShards(IterableDataset):
    def __init__(self, urls):
        self.urls = urls

    def __iter__(self):
        info = get_worker_info()
        for url in self.urls[info.id :: info.num_workers]:
            for record in records_of(url):
                yield torch.frombuffer(bytearray(record), dtype=torch.float32)


def main():
    ids = ["slow-server", "subprocess-wait", "slow-getitem", "producer", "more-workers"]
    culprit = ["read_record", "records_of", "PipedShards.__iter__", "PipeStream", "python3"]
    loop = Loop(ids, culprit, step_s=0.01)
    urls = [f"pipe:cat gs://speech/train-{shard:05}.shard" for shard in range(SHARDS)]
    for batch in loop.batches(loader_of(PipedShards(urls), 16, 2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
