#!/usr/bin/python3
"""Two causes: a worker goes through a shop's events for the last value of each feature, and vectors are saved as text often.

With --fixed it bisects the events' times, and vectors are saved as NumPy keeps them.

After https://github.com/sktime/pytorch-forecasting/pull/806, https://github.com/awslabs/gluonts/issues/2052 and
https://github.com/PaddlePaddle/book/pull/410.
"""

import bisect
import os
import random
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy as np
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset
from trainer import Trainer

BATCHES = 140
BATCH = 32
SAVE_EVERY = 20
SHOPS = 60
EVENTS = 3400
FEATURES = 24
TIMES = 48
VECTORS = 14_000
WIDTH = 64


class Event:
    def __init__(self, feature, time, value):
        self.feature = feature
        self.time = time
        self.value = value


class FeatureStore:
    """Each shop's events in the order of their times."""

    def __init__(self):
        self.chosen = random.Random(97)
        self.events = [self.draw_events() for _ in range(SHOPS)]

    def draw_events(self):
        times = sorted(self.chosen.random() for _ in range(EVENTS))
        return [Event(self.chosen.randrange(FEATURES), time, self.chosen.gauss(0, 1)) for time in times]

    def latest_before(self, shop, time):
        """The last value of each feature that was known at `time`."""
        latest = [0.0] * FEATURES
        for event in self.events[shop]:
            if event.time < time:
                latest[event.feature] = event.value
        return latest


class IndexedFeatureStore(FeatureStore):
    """Times and values of a feature lie together."""

    def __init__(self):
        super().__init__()
        self.times = [[[event.time for event in one] for one in self.by_feature(events)] for events in self.events]
        self.values = [[[event.value for event in one] for one in self.by_feature(events)] for events in self.events]

    def by_feature(self, events):
        return [[event for event in events if event.feature == feature] for feature in range(FEATURES)]

    def latest_before(self, shop, time):
        latest = []
        for times, values in zip(self.times[shop], self.values[shop]):
            known = bisect.bisect_left(times, time)
            latest.append(values[known - 1] if known else 0.0)
        return latest


class Demand(Dataset):
    """What was known of a shop at a few times that follow each other."""

    def __init__(self, store):
        self.store = store

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        begin = (index * 0.618) % 0.7 + 0.1
        return torch.tensor([self.store.latest_before(index % SHOPS, begin + 0.004 * step) for step in range(TIMES)])


class SaveVectors:
    """A line for each of the shop's articles, for a search service that reads such files."""

    part = "saving"

    def __init__(self, folder):
        self.folder = folder
        self.vectors = torch.randn(VECTORS, WIDTH)

    def save_as_text(self, path):
        with open(path, "w", encoding="utf8") as file:
            file.write(f"{VECTORS} {WIDTH}\n")
            for article, vector in enumerate(self.vectors.tolist()):
                file.write(f"article-{article} " + " ".join([str(number) for number in vector]) + "\n")

    def save_as_array(self, path):
        np.save(path, self.vectors.numpy())

    def after_step(self, trainer):
        if trainer.step % SAVE_EVERY == 0:
            path = os.path.join(self.folder, f"articles-{trainer.step:05d}")
            if IS_FIXED:
                self.save_as_array(path + ".npy")
            else:
                self.save_as_text(path + ".txt")


class DemandTrainer(Trainer):
    def train_step(self, batch):
        super().train_step(batch.view(BATCH, -1))


def main():
    culprit = ["latest_before", "FeatureStore", "Demand"]
    loop = Loop("slow-getitem", culprit, verdicts=["input-bound", "host-bound"], step_s=0.03)
    loop.also("checkpoint", ["save_as_text", "SaveVectors"], "saving")
    store = (IndexedFeatureStore if IS_FIXED else FeatureStore)()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="vectors-") as folder:
        DemandTrainer(loop, loader_of(Demand(store), BATCH, 2), [SaveVectors(folder)]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
