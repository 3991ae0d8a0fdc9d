#!/usr/bin/python3
"""Search pairs are batched so that no text is in a batch twice, and whatever would repeat is left for a later batch.

Many questions share an answer, so that ever more rows are left, and each batch reads and compares all of them anew. With
--fixed rows with the same answer are found once, and dealt out.

After https://github.com/huggingface/sentence-transformers/pull/3611 and
https://github.com/huggingface/sentence-transformers/issues/3050, of a training that becomes slower and slower.
"""

import itertools
import json
import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset

STEPS = 220
BATCH = 64
ROWS = 22_000
COMMON_ANSWERS = 6
SHARE_COMMON = 0.33
TOKENS = 96
PASSAGE_WORDS = 150
COLUMNS = ("query", "positive", "negative")
WORDS = "rail river market garden signal winter bridge copper harbour engine letter island window castle".split()


class PairDataset(Dataset):
    """Lines of JSON, with a question, its answer and another one in each; what they are as numbers is kept beside."""

    def __init__(self, seed):
        drawn = random.Random(seed)
        self.common = [self.draw_text(drawn, PASSAGE_WORDS) for _ in range(COMMON_ANSWERS)]
        self.lines = [self.draw_line(drawn) for _ in range(ROWS)]
        tokens = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(30_000, (ROWS, len(COLUMNS), TOKENS), dtype=torch.int32, generator=tokens)

    def draw_text(self, drawn, words):
        return " ".join(drawn.choices(WORDS, k=words)) + f" {drawn.random():.12f}"

    def draw_line(self, drawn):
        is_common = drawn.random() < SHARE_COMMON
        answer = drawn.choice(self.common) if is_common else self.draw_text(drawn, PASSAGE_WORDS)
        texts = (self.draw_text(drawn, 12), answer, self.draw_text(drawn, PASSAGE_WORDS))
        return json.dumps(dict(zip(COLUMNS, texts)))

    def read_row(self, index):
        return json.loads(self.lines[index])

    def __len__(self):
        return ROWS

    def __getitem__(self, index):
        return self.tokens[index]


class NoDuplicatesBatchSampler:
    """Batches in which no text is twice, as other answers of a batch are taken for wrong ones."""

    def __init__(self, dataset, batch_size, seed):
        self.dataset = dataset
        self.batch_size = batch_size
        self.generator = torch.Generator().manual_seed(seed)

    def values_of(self, index):
        return set(self.dataset.read_row(index).values())

    def fill_batch(self, remaining):
        """The first rows of `remaining` that go together."""
        batch, batch_values = [], set()
        for index in remaining:
            values = self.values_of(index)
            if not batch_values.isdisjoint(values):
                continue
            batch.append(index)
            if len(batch) == self.batch_size:
                break
            batch_values.update(values)
        return batch

    def __iter__(self):
        remaining = dict.fromkeys(torch.randperm(len(self.dataset), generator=self.generator).tolist())
        while remaining:
            batch = self.fill_batch(remaining)
            if len(batch) == self.batch_size:
                yield batch
            for index in batch:
                del remaining[index]


class DealtBatchSampler(NoDuplicatesBatchSampler):
    """Finds rows with the same answer once, and deals them out, one a batch."""

    def __init__(self, dataset, batch_size, seed):
        super().__init__(dataset, batch_size, seed)
        self.rows_by_answer = {}
        for index in torch.randperm(len(dataset), generator=self.generator).tolist():
            self.rows_by_answer.setdefault(dataset.read_row(index)["positive"], []).append(index)

    def __iter__(self):
        shared = [list(rows) for rows in self.rows_by_answer.values() if len(rows) > 1]
        single = [rows[0] for rows in self.rows_by_answer.values() if len(rows) == 1]
        while len(single) >= self.batch_size:
            batch = [rows.pop() for rows in shared if rows]
            yield batch + [single.pop() for _ in range(self.batch_size - len(batch))]


def main():
    torch.set_num_threads(1)
    culprit = ["NoDuplicatesBatchSampler", "fill_batch", "values_of", "read_row"]
    loop = Loop("slow-sampler", culprit, step_s=0.036)
    dataset = PairDataset(4)
    sampler = DealtBatchSampler if IS_FIXED else NoDuplicatesBatchSampler
    loader = DataLoader(dataset, batch_sampler=sampler(dataset, BATCH, 12), num_workers=2)
    for tokens in loop.batches(itertools.islice(loader, STEPS)):
        loop.train(tokens)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
