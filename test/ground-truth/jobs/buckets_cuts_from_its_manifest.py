#!/usr/bin/python3
"""A speech sampler reads its manifest while it trains: each cut's line becomes objects, down to its sounds.

It does so in the main process, whenever a batch is asked for. With --fixed all batches are planned before the first one.

After https://github.com/lhotse-speech/lhotse/issues/678 and https://github.com/lhotse-speech/lhotse/issues/736.
"""

import os
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import json
import random
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass

import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset, Sampler

CUTS = 1200
MAX_DURATION_S = 1000.0
# Of what a cut may last in each bucket, in seconds.
DURATION_BINS = [6.0, 9.0, 12.0]
BUFFER_SIZE = 400
BATCHES = 210
FEATURES = 40
FRAMES_A_SECOND = 5


def shift_alignment(items, offset, end):
    """What is said when, as of the start of the recording; nothing may last longer than its cut."""
    shifted = []
    for symbol, start, duration in items:
        if start + duration > end:
            duration = round(end - start, 4)
        shifted.append((symbol, round(start + offset, 4), duration))
    return shifted


@dataclass
class SupervisionSegment:
    id: str
    text: str
    speaker: str
    alignment: dict

    @staticmethod
    def from_dict(told, offset, end):
        alignment = {level: shift_alignment(items, offset, end) for level, items in told["alignment"].items()}
        return SupervisionSegment(told["id"], told["text"], told["speaker"], alignment)


@dataclass
class MonoCut:
    id: str
    start: float
    duration: float
    supervisions: list


def deserialize_cut(line):
    told = json.loads(line)
    supervisions = [
        SupervisionSegment.from_dict(part, told["start"], told["duration"]) for part in told["supervisions"]
    ]
    return MonoCut(told["id"], told["start"], told["duration"], supervisions)


def spread(symbol, duration, each_second):
    length = 1 / each_second
    return [[symbol, round(at * length, 4), round(length, 4)] for at in range(int(duration * each_second))]


def write_manifest(path):
    chosen = random.Random(11)
    with open(path, "w", encoding="utf8") as file:
        for number in range(CUTS):
            duration = round(chosen.uniform(3.0, 16.0), 2)
            aligned = {"word": spread("so", duration, 3), "phone": spread("AH0", duration, 15)}
            segment = {"id": f"cut-{number}-0", "text": "so " * int(duration * 3), "speaker": f"s{number % 90}"}
            segment["alignment"] = aligned
            cut = {"id": f"cut-{number}", "start": 0.5, "duration": duration, "supervisions": [segment]}
            file.write(json.dumps(cut) + "\n")


class LazyManifest:
    """Reads its cuts line by line, so that not all are in memory, and begins again at its end."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        while True:
            with open(self.path, encoding="utf8") as file:
                yield from map(deserialize_cut, file)


class DynamicBucketingSampler(Sampler):
    """Batches of cuts that last about as long, together no longer than MAX_DURATION_S."""

    def __init__(self, cuts):
        self.cuts = iter(cuts)
        self.buckets = [deque() for _ in range(len(DURATION_BINS) + 1)]
        self.chosen = random.Random(5)
        self.collect_cuts_in_buckets(BUFFER_SIZE)
        self.planned = [self.take_batch() for _ in range(BATCHES)] if IS_FIXED else None

    def collect_cuts_in_buckets(self, count):
        for _ in range(count):
            cut = next(self.cuts)
            self.buckets[bisect_right(DURATION_BINS, cut.duration)].append(cut)

    def take_batch(self):
        bucket = self.chosen.choices(self.buckets, [len(bucket) for bucket in self.buckets])[0]
        batch, lasts = [], 0.0
        while bucket and lasts + bucket[0].duration <= MAX_DURATION_S:
            cut = bucket.popleft()
            lasts += cut.duration
            batch.append((cut.id, cut.duration))
        self.collect_cuts_in_buckets(len(batch))
        return batch

    def __len__(self):
        return BATCHES

    def __iter__(self):
        if self.planned is not None:
            yield from self.planned
            return
        for _ in range(BATCHES):
            yield self.take_batch()


class SpeechRecognitionDataset(Dataset):
    """Is asked for all cuts of a batch at once; their frames lie one after the other in it."""

    def __init__(self):
        self.features = torch.rand(int(MAX_DURATION_S * FRAMES_A_SECOND), FEATURES)

    def __getitem__(self, cuts):
        batch = torch.zeros_like(self.features)
        begin = 0
        for _, duration in cuts:
            end = begin + int(duration * FRAMES_A_SECOND)
            batch[begin:end] = self.features[: end - begin]
            begin = end
        return batch


def main():
    torch.set_num_threads(1)
    culprit = ["deserialize_cut", "shift_alignment", "from_dict", "collect_cuts_in_buckets", "take_batch"]
    culprit += ["DynamicBucketingSampler"]
    loop = Loop("slow-sampler", culprit, step_s=0.032)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "cuts_train.jsonl")
        write_manifest(path)
        sampler = DynamicBucketingSampler(LazyManifest(path))
        loader = DataLoader(SpeechRecognitionDataset(), batch_size=None, sampler=sampler, num_workers=2)
        for batch in loop.batches(loader):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
