#!/usr/bin/python3
"""Graph learning: a worker draws the neighbours of a batch, but the loop picks their features, row by row out of all.

With --fixed all features lie on the GPU, and only the nodes' numbers are copied.

After https://github.com/dmlc/dgl/pull/3086 and https://github.com/dmlc/dgl/issues/1697.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of

NODES = 300_000
EDGES_A_NODE = 12
FEATURES = 256
SEEDS = 1024
FANOUTS = (10, 6)
BATCHES = 130


class Graph:
    """Papers and what they cite, as compressed rows; features in half precision, as they were published."""

    def __init__(self):
        drawn = numpy.random.default_rng(41)
        degrees = drawn.geometric(1 / EDGES_A_NODE, NODES)
        self.indptr = numpy.concatenate([[0], numpy.cumsum(degrees)])
        self.indices = drawn.integers(0, NODES, self.indptr[-1])
        self.features = torch.rand(NODES, FEATURES).half()


class NeighborSampler:
    """The nodes of two layers around the seeds: what PyG calls n_id."""

    def __init__(self, graph):
        self.indptr = graph.indptr
        self.indices = graph.indices
        self.drawn = None

    def sample_layer(self, nodes, fanout):
        begins, degrees = self.indptr[nodes], self.indptr[nodes + 1] - self.indptr[nodes]
        places = (self.drawn.random((len(nodes), fanout)) * degrees[:, None]).astype(numpy.int64)
        return self.indices[begins[:, None] + places].ravel()

    def sample(self, seeds):
        if self.drawn is None:
            self.drawn = numpy.random.default_rng(torch.initial_seed() % 2**32)
        nodes = numpy.array(seeds)
        layers = [nodes]
        for fanout in FANOUTS:
            layers.append(self.sample_layer(layers[-1], fanout))
        return torch.from_numpy(numpy.unique(numpy.concatenate(layers)))


class HostFeatures:
    """x[n_id], and then to the GPU."""

    def __init__(self, x):
        self.x = x

    def gather_features(self, n_id):
        return self.x[n_id]


class GpuFeatures:
    """All of them were copied to the GPU before, where they are picked."""

    def gather_features(self, n_id):
        return n_id.int()


class Trainer:
    def __init__(self, loop, features):
        self.loop = loop
        self.features = features
        largest = SEEDS * (1 + FANOUTS[0] + FANOUTS[0] * FANOUTS[1])
        # As much is allocated on the GPU as the largest batch may need.
        self.loop.device = loop.gpu.allocate(2 * FEATURES * largest, host=False)

    def train_step(self, n_id):
        x = self.loop.timed("gathering", self.features.gather_features, n_id)
        self.loop.train(x)


def main():
    graph = Graph()
    culprit = ["gather_features", "HostFeatures", "train_step"]
    loop = Loop("host-data-movement", culprit, "gathering", also_right=["pin-memory"], step_s=0.042)
    trainer = Trainer(loop, GpuFeatures() if IS_FIXED else HostFeatures(graph.features))
    seeds = torch.randperm(NODES)[: SEEDS * BATCHES].tolist()
    for n_id in loop.batches(loader_of(seeds, SEEDS, 1, collate_fn=NeighborSampler(graph).sample)):
        trainer.train_step(n_id)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
