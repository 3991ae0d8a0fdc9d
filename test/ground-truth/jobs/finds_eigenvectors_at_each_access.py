#!/usr/bin/python3
"""Graphs get the eigenvectors of their Laplacian as positions whenever a worker asks for them: it is `transform`.

With --fixed it is `pre_transform`: they are found once, and only their signs are drawn anew.

After https://github.com/rampasek/GraphGPS/issues/7 and https://github.com/pyg-team/pytorch_geometric/issues/4663.
"""

import copy
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

GRAPHS = 120
EPOCHS = 22
BATCH = 32
# A batch is padded to the largest graph.
MOST_NODES = 176
FEATURES = 24
POSITIONS = 8


class Data:
    def __init__(self, x, edge_index):
        self.x = x
        self.edge_index = edge_index
        self.positions = None


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, data):
        for transform in self.transforms:
            data = transform(data)
        return data


def laplacian_of(edge_index, nodes):
    """Of the graph without directions, normalised by the nodes' degrees."""
    adjacency = numpy.zeros((nodes, nodes))
    adjacency[edge_index[0], edge_index[1]] = 1
    adjacency[edge_index[1], edge_index[0]] = 1
    roots = 1 / numpy.sqrt(numpy.maximum(adjacency.sum(axis=1), 1))
    return numpy.eye(nodes) - roots[:, None] * adjacency * roots[None, :]


class AddLaplacianEigenvectorPE:
    def __init__(self, count):
        self.count = count

    def __call__(self, data):
        _, vectors = numpy.linalg.eigh(laplacian_of(data.edge_index, len(data.x)))
        data.positions = torch.from_numpy(vectors[:, 1 : self.count + 1].astype(numpy.float32))
        return data


class RandomFlipSign:
    """Eigenvectors have no sign: a model may not rely on one."""

    def __call__(self, data):
        data.positions = data.positions * (torch.randint(0, 2, (1, data.positions.shape[1])) * 2 - 1)
        return data


class ConcatPositions:
    def __call__(self, data):
        data.x = torch.cat((data.x, data.positions), dim=1)
        return data


def make_graph(chosen):
    """Communities of a citation graph: most edges stay within one."""
    nodes = int(chosen.integers(124, MOST_NODES))
    sources = chosen.integers(0, nodes, 5 * nodes)
    targets = numpy.where(chosen.random(5 * nodes) < 0.8, sources // 16 * 16, 0) + chosen.integers(0, 16, 5 * nodes)
    edge_index = numpy.stack((sources, targets % nodes))
    return Data(torch.from_numpy(chosen.random((nodes, FEATURES), dtype=numpy.float32)), edge_index)


class CitationGraphs(Dataset):
    def __init__(self, transform, pre_transform=None):
        chosen = numpy.random.default_rng(41)
        self.graphs = [make_graph(chosen) for _ in range(GRAPHS)]
        if pre_transform is not None:
            self.graphs = [pre_transform(graph) for graph in self.graphs]
        self.transform = transform

    def __len__(self):
        return GRAPHS * EPOCHS

    def __getitem__(self, index):
        return self.transform(copy.copy(self.graphs[index % GRAPHS]))


def to_dense_batch(graphs):
    batch = torch.zeros(len(graphs), MOST_NODES, FEATURES + POSITIONS)
    for row, graph in zip(batch, graphs):
        row[: len(graph.x)] = graph.x
    return batch


def load_graphs():
    encoding = AddLaplacianEigenvectorPE(POSITIONS)
    augmentation = [RandomFlipSign(), ConcatPositions()]
    if IS_FIXED:
        return CitationGraphs(Compose(augmentation), pre_transform=encoding)
    return CitationGraphs(Compose([encoding, *augmentation]))


def main():
    culprit = ["AddLaplacianEigenvectorPE.__call__", "laplacian_of", "Compose.__call__", "CitationGraphs.__getitem__"]
    loop = Loop("slow-getitem", culprit, step_s=0.055)
    for batch in loop.batches(loader_of(load_graphs(), BATCH, 2, collate_fn=to_dense_batch)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
