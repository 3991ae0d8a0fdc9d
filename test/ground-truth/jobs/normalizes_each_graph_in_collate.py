#!/usr/bin/python3
"""Molecules become one large graph: collate_fn weighs the edges of each by itself, and joins them field by field.

They aren't connected, so that all could be weighed at once when they are joined. With --fixed they are.

After https://github.com/pyg-team/pytorch_geometric/issues/572.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import random

import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

GRAPHS = 4096
BATCHES = 130


def gcn_norm(edge_index, num_nodes):
    """Edges and a loop at each node, with what each of them weighs: 1 by the root of both ends' degrees."""
    loops = torch.arange(num_nodes).expand(2, -1)
    edge_index = torch.cat((edge_index, loops), dim=1)
    source, target = edge_index
    degree = torch.zeros(num_nodes).index_add_(0, target, torch.ones(target.size(0)))
    root = degree.pow(-0.5)
    return edge_index, root[source] * root[target]


class Data:
    """A graph, its fields by name."""

    def __init__(self, **fields):
        self.fields = fields

    def __getitem__(self, key):
        return self.fields[key]

    @property
    def num_nodes(self):
        return self.fields["x"].size(0)

    def cat_dim(self, key):
        return 1 if key == "edge_index" else 0

    def inc(self, key):
        """What the numbers of a field grow by with each graph before."""
        return self.num_nodes if key == "edge_index" else 0

    def normalized(self):
        edge_index, weights = gcn_norm(self["edge_index"], self.num_nodes)
        return Data(x=self["x"], edge_index=edge_index, edge_weight=weights)


class Batch(Data):
    """One graph of many; `batch` says for each node which of them it is of."""

    @staticmethod
    def from_data_list(graphs):
        keys = list(graphs[0].fields)
        parts = {key: [] for key in keys}
        cumulated = dict.fromkeys(keys, 0)
        numbers = []
        for number, graph in enumerate(graphs):
            for key in keys:
                item = graph[key]
                parts[key].append(item + cumulated[key] if cumulated[key] else item)
                cumulated[key] += graph.inc(key)
            numbers.append(torch.full((graph.num_nodes,), number, dtype=torch.long))
        joined = {key: torch.cat(items, graphs[0].cat_dim(key)) for key, items in parts.items()}
        return Batch(**joined, batch=torch.cat(numbers))


class Collater:
    def __call__(self, graphs):
        if IS_FIXED:
            joined = Batch.from_data_list(graphs)
            edge_index, weights = gcn_norm(joined["edge_index"], joined.num_nodes)
            joined.fields.update(edge_index=edge_index, edge_weight=weights)
            return joined
        return Batch.from_data_list([graph.normalized() for graph in graphs])


def make_molecule(chosen):
    nodes = chosen.randint(9, 29)
    edge_index = torch.randint(0, nodes, (2, 2 * nodes))
    return Data(x=torch.rand(nodes, 11), edge_index=edge_index)


class Molecules(Dataset):
    def __init__(self):
        chosen = random.Random(23)
        self.graphs = [make_molecule(chosen) for _ in range(8192)]

    def __len__(self):
        return BATCHES * GRAPHS

    def __getitem__(self, index):
        return self.graphs[index % len(self.graphs)]


def main():
    culprit = ["gcn_norm", "normalized", "Collater", "from_data_list"]
    loop = Loop("vector-collate", culprit, step_s=0.056)
    for graphs in loop.batches(loader_of(Molecules(), GRAPHS, 2, collate_fn=Collater())):
        loop.train(graphs["x"])
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
