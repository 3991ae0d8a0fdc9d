#!/usr/bin/python3
"""Graph learning: collate_fn draws the neighbours of a batch's nodes, and num_workers was left at its default, 0.

The GPU idles while the main process walks through the graph. With --fixed two workers do.

After https://github.com/pyg-team/pytorch_geometric/issues/811, of a GPU with little to do beside a busy CPU.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of

NODES = 40_000
SEEDS = 96
STEPS = 320
FAN_OUT = (10, 6)
# What a batch holds at most: it is padded to that.
ROWS = 7168
FEATURES = 32


class Graph:
    def __init__(self):
        chosen = numpy.random.default_rng(13)
        degrees = chosen.integers(8, 30, NODES)
        self.ends = numpy.cumsum(degrees).tolist()
        self.targets = chosen.integers(0, NODES, int(degrees.sum())).tolist()
        self.features = torch.rand(NODES, FEATURES)

    def neighbours(self, node):
        return self.targets[self.ends[node - 1] if node else 0 : self.ends[node]]


class NeighbourSampler:
    """Called with the seeds of a batch, as collate_fn."""

    def __init__(self, graph):
        self.graph = graph

    def sample_layer(self, nodes, fan_out):
        edges = []
        for node in nodes:
            around = self.graph.neighbours(node)
            for other in random.sample(around, min(fan_out, len(around))):
                edges.append((other, node))
        return edges

    def sample_subgraph(self, seeds):
        places = {node: place for place, node in enumerate(seeds)}
        frontier = list(seeds)
        edge_index = []
        for fan_out in FAN_OUT:
            edges = self.sample_layer(frontier, fan_out)
            frontier = []
            for source, target in edges:
                if source not in places:
                    places[source] = len(places)
                    frontier.append(source)
                edge_index.append((places[source], places[target]))
        return list(places), edge_index

    def __call__(self, seeds):
        nodes, edge_index = self.sample_subgraph(seeds)
        padded = torch.zeros(ROWS, FEATURES)
        padded[: len(nodes)] = self.graph.features[torch.tensor(nodes)]
        return padded, torch.tensor(edge_index).T


def main():
    ids = ["workers-zero", "vector-collate", "more-workers"]
    culprit = ["num_workers", "sample_layer", "sample_subgraph", "NeighbourSampler.__call__", "neighbours"]
    loop = Loop(ids, culprit, step_s=0.013)
    chosen = random.Random(3)
    seeds = chosen.sample(range(NODES), SEEDS * STEPS)
    loader = loader_of(seeds, SEEDS, 2 if IS_FIXED else 0, collate_fn=NeighbourSampler(Graph()))
    for features, _ in loop.batches(loader):
        loop.train(features)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
