#!/usr/bin/python3
"""Every 25 steps a recommender ranks all items for its users, and hides those that each knows already one by one.

With --fixed all of them are hidden at once, by two arrays that were made before.

After https://github.com/RUCAIBox/RecBole/issues/1455 and https://github.com/RUCAIBox/RecBole/issues/1995.
"""

import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 350
RANK_EVERY = 25
USERS = 480
ITEMS = 1500
CHUNK = 120
WIDTH = 64
BEST = 10
LEAST_KNOWN = 60
MOST_KNOWN = 220


class Interactions:
    """Which items a user knows, and which one comes next."""

    def __init__(self):
        chosen = random.Random(71)
        self.known = [set(chosen.sample(range(ITEMS), chosen.randint(LEAST_KNOWN, MOST_KNOWN))) for _ in range(USERS)]
        self.next = [chosen.choice([item for item in range(ITEMS) if item not in known]) for known in self.known]


class FullSortEvaluator:
    def __init__(self, interactions):
        self.interactions = interactions
        self.discounts = 1 / torch.log2(torch.arange(2, BEST + 2))

    def hide_known_items(self, scores, users):
        for row, user in enumerate(users):
            for item in self.interactions.known[user]:
                scores[row, item] = -math.inf

    def rank(self, scores, users):
        """Hit rate and discounted gain of the ten best, summed over the users."""
        self.hide_known_items(scores, users)
        best = torch.topk(scores, BEST, dim=1).indices
        hits = best == torch.tensor([self.interactions.next[user] for user in users]).view(-1, 1)
        return hits.any(dim=1).sum().item(), (hits * self.discounts).sum().item()


class IndexedEvaluator(FullSortEvaluator):
    """Keeps rows and columns of what is known, a chunk of users each."""

    def __init__(self, interactions):
        super().__init__(interactions)
        self.places = {begin: self.places_of(range(begin, begin + CHUNK)) for begin in range(0, USERS, CHUNK)}

    def places_of(self, users):
        pairs = [(row, item) for row, user in enumerate(users) for item in self.interactions.known[user]]
        return tuple(torch.tensor(pairs).T)

    def hide_known_items(self, scores, users):
        scores[self.places[users[0]]] = -math.inf


class RankAllItems:
    """The GPU scores, and what it scored is ranked on the host: only that is the evaluation's part."""

    def __init__(self, evaluator):
        self.evaluator = evaluator
        self.users = torch.rand(USERS, WIDTH)
        self.items = torch.rand(ITEMS, WIDTH).T.contiguous()
        # Stands for what comes back from the GPU.
        self.scores = self.users @ self.items

    def evaluate(self, trainer):
        hit, gain = 0, 0.0
        for begin in range(0, USERS, CHUNK):
            users = range(begin, begin + CHUNK)
            trainer.loop.infer(self.users[begin : begin + CHUNK])
            scores = self.scores[begin : begin + CHUNK].clone()
            more = trainer.loop.timed("ranking", self.evaluator.rank, scores, users)
            hit, gain = hit + more[0], gain + more[1]
        return {f"hit@{BEST}": hit / USERS, f"ndcg@{BEST}": gain / USERS}


class RecommenderTrainer(Trainer):
    def __init__(self, loop, loader, ranking):
        super().__init__(loop, loader, [])
        self.ranking = ranking
        self.valid = {}

    def train_step(self, batch):
        super().train_step(batch)
        if self.step % RANK_EVERY == 0:
            self.valid = self.ranking.evaluate(self)


def main():
    culprit = ["hide_known_items", "rank", "evaluate", "FullSortEvaluator", "RankAllItems"]
    # It is what the evaluation does on the CPU between two calls of the GPU.
    loop = Loop(["evaluation", "host-metrics"], culprit, "ranking", step_s=0.014)
    evaluator = (IndexedEvaluator if IS_FIXED else FullSortEvaluator)(Interactions())
    trainer = RecommenderTrainer(loop, loader_of(Items(16 * STEPS, 2048), 16, 1), RankAllItems(evaluator))
    trainer.fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
