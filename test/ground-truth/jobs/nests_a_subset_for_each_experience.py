#!/usr/bin/python3
"""Continual learning: the replay buffer is a subset of what it was, joined with the new experience, 150 experiences deep.

A worker goes down from layer to layer for each sample. With --fixed the buffer holds indices into the data itself.

After https://github.com/ContinualAI/avalanche/issues/560, of such trees of datasets, which pull 562 flattens.
"""

import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import ConcatDataset, Dataset

EXPERIENCES = 150
SAMPLES_OF_EACH = 40
BUFFER = 2000
FEATURES = 256
BATCH = 192
BATCHES = 700


class Embeddings(Dataset):
    def __init__(self):
        self.features = torch.rand(EXPERIENCES * SAMPLES_OF_EACH, FEATURES)
        self.labels = [index % 10 for index in range(len(self.features))]

    def __len__(self):
        return len(self.features)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]


class ExperienceSubset(Dataset):
    """Some samples of a dataset, with a transform of their own, and the label of their task."""

    def __init__(self, dataset, indices, transform=None, task=0):
        self.dataset = dataset
        self.indices = indices
        self.transform = transform
        self.task = task

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        features, label, *task = self.dataset[self.indices[index]]
        if self.transform is not None:
            features = self.transform(features)
        return features, label, task[0] if task else self.task


class ReservoirBuffer:
    """Keeps `BUFFER` samples, of all experiences as many."""

    def __init__(self, data):
        self.data = data
        self.chosen = random.Random(2)
        self.kept = None

    def update(self, task):
        first = task * SAMPLES_OF_EACH
        new = ExperienceSubset(self.data, list(range(first, first + SAMPLES_OF_EACH)), task=task)
        if self.kept is None:
            self.kept = new
            return
        seen = first + SAMPLES_OF_EACH
        count = min(BUFFER, seen)
        taken = round(count * SAMPLES_OF_EACH / seen)
        old = self.chosen.sample(range(len(self.kept)), count - taken)
        joined = ConcatDataset([self.kept, new])
        late = self.chosen.sample(range(len(self.kept), len(joined)), taken)
        self.kept = ExperienceSubset(joined, old + late)

    def flattened(self):
        """The same samples without the layers between."""
        return ExperienceSubset(self.data, [self.index_of(self.kept, index) for index in range(len(self.kept))])

    def index_of(self, dataset, index):
        while dataset is not self.data:
            if isinstance(dataset, ConcatDataset):
                kept, new = dataset.datasets
                dataset, index = (kept, index) if index < len(kept) else (new, index - len(kept))
            else:
                dataset, index = dataset.dataset, dataset.indices[index]
        return index


def take_features(samples):
    return torch.stack([features for features, _, _ in samples])


def main():
    culprit = ["ExperienceSubset.__getitem__", "ConcatDataset.__getitem__", "ExperienceSubset"]
    loop = Loop("slow-getitem", culprit, step_s=0.005)
    buffer = ReservoirBuffer(Embeddings())
    for task in range(EXPERIENCES):
        buffer.update(task)
    replayed = buffer.flattened() if IS_FIXED else buffer.kept
    order = torch.utils.data.RandomSampler(replayed, replacement=True, num_samples=BATCH * BATCHES)
    for batch in loop.batches(loader_of(replayed, BATCH, 2, sampler=order, collate_fn=take_features)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
