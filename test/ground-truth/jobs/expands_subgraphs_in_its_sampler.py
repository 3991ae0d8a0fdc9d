#!/usr/bin/python3
"""Knowledge graphs: the sampler grows a connected part of the graph for each batch, edge by edge, in the main process.

How many workers there are changes nothing about it. With --fixed the workers grow them: what is drawn comes from the data set.

After https://github.com/pykeen/pykeen/issues/614.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler, get_worker_info

ENTITIES = 6000
RELATIONS = 40
TRIPLES = 60_000
BATCH = 256
BATCHES = 330
NEGATIVES = 16


def draw_triples():
    """Some entities are in many of them, as in graphs that people write."""
    drawn = numpy.random.default_rng(3)
    popularity = 1 / numpy.arange(1, ENTITIES + 1) ** 0.6
    popularity /= popularity.sum()
    heads, tails = drawn.choice(ENTITIES, (2, TRIPLES), p=popularity)
    return numpy.stack([heads, drawn.integers(0, RELATIONS, TRIPLES), tails], axis=1)


class SubGraph:
    """Grows from a triple to as many as a batch has, along edges of entities that it has already."""

    def __init__(self, triples, seed):
        self.triples = triples
        self.drawn = numpy.random.default_rng(seed)
        ends = numpy.concatenate([triples[:, 0], triples[:, 2]])
        order = numpy.argsort(ends, kind="stable")
        self.degrees = numpy.bincount(ends, minlength=ENTITIES)
        self.offsets = numpy.concatenate([[0], numpy.cumsum(self.degrees)])
        self.incident = order % len(triples)

    def choose_vertex(self, weights):
        """As often as it has edges that are not taken yet."""
        reached = numpy.cumsum(weights)
        return int(numpy.searchsorted(reached, self.drawn.random() * reached[-1], side="right"))

    def choose_edge(self, vertex, is_taken):
        edges = self.incident[self.offsets[vertex] : self.offsets[vertex + 1]]
        free = edges[~is_taken[edges]]
        return free[self.drawn.integers(len(free))]

    def expand(self):
        is_taken = numpy.zeros(len(self.triples), dtype=bool)
        is_reached = numpy.zeros(ENTITIES, dtype=bool)
        left = self.degrees.copy()
        chosen = numpy.empty(BATCH, dtype=numpy.int64)
        for place in range(BATCH):
            weights = left * is_reached if place else left
            if not weights.any():
                weights = left
            edge = self.choose_edge(self.choose_vertex(weights), is_taken)
            head, _, tail = self.triples[edge]
            is_taken[edge] = True
            is_reached[[head, tail]] = True
            left[head] -= 1
            left[tail] -= 1
            chosen[place] = edge
        return chosen


class SubGraphSampler(Sampler):
    def __init__(self, triples):
        self.graph = SubGraph(triples, seed=11)

    def __len__(self):
        return BATCHES

    def __iter__(self):
        for _ in range(BATCHES):
            yield self.graph.expand()


def corrupt(positives, drawn):
    """Negatives of each triple: its tail is another entity."""
    negatives = numpy.repeat(positives[:, None], 1 + NEGATIVES, axis=1)
    negatives[:, 1:, 2] = drawn.integers(0, ENTITIES, (len(positives), NEGATIVES))
    return torch.from_numpy(negatives)


class TriplesFactory(Dataset):
    def __init__(self, triples):
        self.triples = triples
        self.drawn = numpy.random.default_rng(7)

    def __len__(self):
        return BATCHES

    def __getitem__(self, chosen):
        return corrupt(self.triples[chosen], self.drawn)


class SubGraphTriples(IterableDataset):
    """Its workers grow a share of the parts each."""

    def __init__(self, triples):
        self.triples = triples

    def __iter__(self):
        worker = get_worker_info()
        graph = SubGraph(self.triples, seed=11 + worker.id)
        for _ in range(worker.id, BATCHES, worker.num_workers):
            yield corrupt(self.triples[graph.expand()], graph.drawn)


def make_loader():
    triples = draw_triples()
    torch.set_num_threads(1)
    if IS_FIXED:
        return DataLoader(SubGraphTriples(triples), batch_size=None, num_workers=2)
    sampler = SubGraphSampler(triples)
    return DataLoader(TriplesFactory(triples), batch_size=None, sampler=sampler, num_workers=2)


def main():
    culprit = ["SubGraphSampler", "expand", "choose_vertex", "choose_edge", "SubGraph"]
    loop = Loop("slow-sampler", culprit, step_s=0.014)
    for batch in loop.batches(make_loader()):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
