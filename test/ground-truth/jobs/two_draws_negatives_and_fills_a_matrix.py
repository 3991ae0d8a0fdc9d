#!/usr/bin/python3
"""Two causes: each short epoch draws its negatives one by one in Python, and each step fills a matrix number by number.

Both by the main process of a recommender, which has no DataLoader. With --fixed NumPy draws all, and indexing fills at once.

After https://github.com/hexiangnan/neural_collaborative_filtering/issues/29, whose negatives are drawn for every epoch, and
https://github.com/birdnet-team/geomodel/pull/19, whose targets are made dense on the host.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

USERS = 2000
ITEMS = 4096
HISTORY = 24
BATCH = 128
STEPS = 60
EPOCHS = 9
NEGATIVES = 20
DECAY = 0.9


class Interactions:
    def __init__(self):
        chosen = numpy.random.default_rng(17)
        # Each item of a user but once.
        apart = ITEMS // HISTORY
        self.histories = chosen.integers(0, apart, (USERS, HISTORY)) + numpy.arange(HISTORY) * apart
        self.is_seen = numpy.zeros((USERS, ITEMS), dtype=bool)
        self.is_seen[numpy.arange(USERS)[:, None], self.histories] = True
        self.pairs = {(user, item) for user, items in enumerate(self.histories.tolist()) for item in items}


class NegativeSampler:
    """Items that a user has not seen, for each user of an epoch."""

    def __init__(self, interactions):
        self.interactions = interactions

    def draw_negatives(self, users):
        drawn = []
        for user in users.tolist():
            for _ in range(NEGATIVES):
                item = numpy.random.randint(ITEMS)
                while (user, item) in self.interactions.pairs:
                    item = numpy.random.randint(ITEMS)
                drawn.append(item)
        return numpy.array(drawn).reshape(len(users), NEGATIVES)

    def draw_all_negatives(self, users):
        drawn = numpy.random.randint(ITEMS, size=(len(users), NEGATIVES))
        while (again := self.interactions.is_seen[users[:, None], drawn]).any():
            drawn[again] = numpy.random.randint(ITEMS, size=again.sum())
        return drawn


class Epochs:
    """The batches of an epoch, whose users and negatives are drawn when it begins."""

    def __init__(self, sampler):
        self.sampler = sampler

    def __iter__(self):
        users = numpy.random.randint(USERS, size=BATCH * STEPS)
        draw = self.sampler.draw_all_negatives if IS_FIXED else self.sampler.draw_negatives
        negatives = draw(users)
        for first in range(0, len(users), BATCH):
            yield users[first : first + BATCH], negatives[first : first + BATCH]


def fill_histories(histories, negatives):
    """What a user has seen counts by how long ago it was; the negatives stand behind it."""
    matrix = torch.zeros(BATCH, ITEMS + NEGATIVES)
    matrix[:, ITEMS:] = torch.from_numpy(negatives)
    for row, items in enumerate(histories.tolist()):
        for age, item in enumerate(items):
            matrix[row, item] = DECAY**age
    return matrix


def fill_all_histories(histories, negatives):
    matrix = torch.zeros(BATCH, ITEMS + NEGATIVES)
    matrix[:, ITEMS:] = torch.from_numpy(negatives)
    matrix[torch.arange(BATCH)[:, None], torch.from_numpy(histories)] = DECAY ** torch.arange(HISTORY)
    return matrix


def main():
    torch.set_num_threads(1)
    ids = ["host-work", "host-data-movement", "slow-sampler", "slow-getitem", "workers-zero"]
    loop = Loop(ids, ["draw_negatives"], step_s=0.004)
    loop.also(["host-data-movement", "host-work", "host-metrics"], ["fill_histories"], "filling")
    loop.verdicts = ["input-bound", "host-bound", "balanced"]
    interactions = Interactions()
    fill = fill_all_histories if IS_FIXED else fill_histories
    for users, negatives in loop.batches(Epochs(NegativeSampler(interactions)), EPOCHS):
        loop.train(loop.timed("filling", fill, interactions.histories[users], negatives))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
