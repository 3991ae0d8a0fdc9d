#!/usr/bin/python3
"""Papers and who cites them: all neighbours are taken, and a batch with one of the few reviews has many times as many.

Its worker takes long for that batch, and those after it have to wait. With --fixed ten neighbours of a paper are drawn.

After https://github.com/pyg-team/pytorch_geometric/issues/1877 and
https://github.com/pyg-team/pytorch_geometric/issues/9582.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

PAPERS = 450_000
FEATURES = 24
CITED = 7
# The first papers are those to learn from, and each of so many of them is a review.
TRAINED = 20_000
REVIEW_EVERY = 600
CITATIONS_OF_REVIEW = 110_000
SEEDS = 48
STEPS = 145
HOPS = 3
NEIGHBOURS = 10
# So many papers of a subgraph go to the GPU, some more than once where there are fewer.
KEPT = 1024


def but_no_reviews(papers):
    """Those after them instead: no reference of a review is known."""
    return papers + ((papers < TRAINED) & (papers % REVIEW_EVERY == 0))


def make_citations():
    """Who is cited by whom, as rows of citing papers by the paper that they cite."""
    drawn = numpy.random.default_rng(37)
    cited = drawn.integers(0, PAPERS, PAPERS * CITED)
    citing = numpy.repeat(numpy.arange(PAPERS), CITED)
    reviews = numpy.repeat(numpy.arange(0, TRAINED, REVIEW_EVERY), CITATIONS_OF_REVIEW)
    readers = drawn.integers(0, PAPERS - 1, len(reviews))
    targets = numpy.concatenate([cited, reviews])
    sources = but_no_reviews(numpy.concatenate([citing, readers]))
    starts = numpy.zeros(PAPERS + 1, numpy.int64)
    numpy.cumsum(numpy.bincount(targets, minlength=PAPERS), out=starts[1:])
    return starts, sources[numpy.argsort(targets, kind="stable")]


class NeighborSampler:
    def __init__(self, starts, sources):
        self.starts = starts
        self.sources = sources
        self.drawn = numpy.random.default_rng()

    def neighbours_of(self, paper):
        row = self.sources[self.starts[paper] : self.starts[paper + 1]]
        if IS_FIXED and len(row) > NEIGHBOURS:
            row = row[self.drawn.integers(0, len(row), NEIGHBOURS)]
        return row

    def sample_one_hop(self, frontier):
        """Edges into the frontier, and the papers that they come from."""
        rows = [self.neighbours_of(paper) for paper in frontier]
        sources = numpy.concatenate(rows)
        targets = numpy.repeat(frontier, [len(row) for row in rows])
        return sources, targets, numpy.unique(sources)

    def sample_blocks(self, seeds):
        frontier, blocks = numpy.unique(seeds), []
        for _ in range(HOPS):
            sources, targets, frontier = self.sample_one_hop(frontier)
            blocks.append((sources, targets))
        return frontier, blocks


class CitationBatches(Dataset):
    """What it is asked for is a whole batch: the numbers of its papers."""

    def __init__(self):
        self.features = numpy.random.default_rng(39).random((PAPERS, FEATURES), dtype=numpy.float32)
        self.sampler = NeighborSampler(*make_citations())

    def __len__(self):
        return PAPERS

    def __getitem__(self, seeds):
        frontier, blocks = self.sampler.sample_blocks(numpy.asarray(seeds))
        rows = self.features[numpy.resize(frontier, KEPT)]
        counts = numpy.bincount(blocks[0][1], minlength=PAPERS)[numpy.resize(seeds, KEPT)]
        return torch.from_numpy(numpy.concatenate([rows, counts[:, None].astype(numpy.float32)], axis=1))


def main():
    torch.set_num_threads(1)
    culprit = ["neighbours_of", "sample_one_hop", "sample_blocks", "NeighborSampler", "CitationBatches.__getitem__"]
    # It is the dataset that draws neighbours, and that takes too long for one batch in some; more of them ahead
    # are a remedy too, and a third worker has two more ahead.
    loop = Loop(["head-of-line", "slow-getitem"], culprit, also_right=["prefetch", "more-workers"], step_s=0.065)
    chosen = torch.Generator().manual_seed(3)
    papers = RandomSampler(range(TRAINED), num_samples=SEEDS * STEPS, generator=chosen)
    batches = BatchSampler(papers, SEEDS, drop_last=True)
    for batch in loop.batches(DataLoader(CitationBatches(), sampler=batches, batch_size=None, num_workers=2)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
