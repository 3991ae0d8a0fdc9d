#!/usr/bin/python3
"""Autograd's detection of anomalies was left on: it keeps a formatted stack for each operation and looks for NaN after it.

With --fixed it is off.

After https://github.com/Lightning-AI/pytorch-lightning/issues/17359.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

BATCH = 16
TIMES = 16
FEATURES = 256


class Cell(torch.nn.Module):
    """A small recurrent head, which has its place on the host."""

    def __init__(self):
        super().__init__()
        self.seen = torch.nn.Linear(FEATURES, 64)
        self.kept = torch.nn.Linear(64, 64)

    def forward(self, features, state):
        return torch.tanh(self.seen(features) + self.kept(state))


def fit_head(cell, batch):
    cell.zero_grad()
    state = torch.zeros(BATCH, 64)
    for features in batch.view(BATCH, TIMES, FEATURES).unbind(1):
        state = cell(features, state)
    state.square().mean().backward()


def main():
    culprit = ["fit_head", "Cell.forward", "format_stack", "traceback.py"]
    loop = Loop(["host-work", "host-metrics"], culprit, "head", step_s=0.004)
    torch.autograd.set_detect_anomaly(not IS_FIXED)
    cell = Cell()
    for batch in loop.batches(loader_of(Items(9600, TIMES * FEATURES), BATCH, 1)):
        loop.train(batch)
        loop.timed("head", fit_head, cell, batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
