#!/usr/bin/python3
"""Pages of documents are formatted as tensors when a worker asks for one: each of 800 words gets a tensor for its box.

Workers are spawned. With --fixed a page's columns were made arrays before.

After https://github.com/huggingface/datasets/issues/6637 and https://github.com/huggingface/datasets/issues/5841.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy as np
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset
from trainer import Trainer

BATCHES = 130
BATCH = 40
PAGES = 120
WORDS = 800


class TorchFormatter:
    """Makes tensors of whatever a row holds, list by list."""

    def tensorize(self, value):
        if isinstance(value, (str, bytes, type(None))):
            return value
        return torch.tensor(value)

    def consolidate(self, column):
        if column and all(isinstance(one, torch.Tensor) and one.shape == column[0].shape for one in column):
            return torch.stack(column)
        return column

    def recursive_tensorize(self, data):
        if isinstance(data, dict):
            return {name: self.recursive_tensorize(value) for name, value in data.items()}
        if isinstance(data, np.ndarray) and data.dtype == object:
            return self.consolidate([self.recursive_tensorize(one) for one in data])
        return self.tensorize(data)

    def format_row(self, row):
        return self.recursive_tensorize(row)


class ArrayFormatter(TorchFormatter):
    """Rows hold plain arrays by now."""

    def format_row(self, row):
        return {name: torch.from_numpy(column) for name, column in row.items()}


def as_objects(lists):
    """A column of lists, as it comes out of a table: an array of arrays."""
    column = np.empty(len(lists), dtype=object)
    column[:] = [np.array(one) for one in lists]
    return column


class Pages(Dataset):
    """Words of scanned pages with their boxes."""

    def __init__(self):
        self.formatter = ArrayFormatter() if IS_FIXED else TorchFormatter()
        chosen = np.random.default_rng(17)
        self.rows = [self.draw_page(chosen) for _ in range(PAGES)]

    def draw_page(self, chosen):
        corners = chosen.integers(0, 900, (WORDS, 2))
        boxes = np.concatenate([corners, corners + chosen.integers(8, 100, (WORDS, 2))], axis=1)
        words = chosen.integers(0, 30_000, WORDS)
        bbox = boxes if IS_FIXED else as_objects(boxes.tolist())
        return {"input_ids": words, "bbox": bbox, "labels": words % 7}

    def __len__(self):
        return BATCHES * BATCH

    def __getitem__(self, index):
        return self.formatter.format_row(self.rows[index % PAGES])


class LayoutTrainer(Trainer):
    def train_step(self, batch):
        words = torch.stack([batch["input_ids"], batch["labels"]], dim=2)
        super().train_step(torch.cat([words, batch["bbox"]], dim=2).view(BATCH, -1))


def share_by_files(_=0):
    """Not by descriptors, of which a job may open only so many, and for which a worker would be asked."""
    torch.set_num_threads(1)
    torch.multiprocessing.set_sharing_strategy("file_system")


def main():
    share_by_files()
    culprit = ["recursive_tensorize", "tensorize", "consolidate", "format_row", "TorchFormatter"]
    loop = Loop("slow-getitem", culprit, step_s=0.036)
    spawned = {"multiprocessing_context": "spawn", "worker_init_fn": share_by_files}
    LayoutTrainer(loop, loader_of(Pages(), BATCH, 2, shuffle=True, **spawned), []).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
