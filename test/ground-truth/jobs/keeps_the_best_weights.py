#!/usr/bin/python3
"""Every step that is better than the last keeps a deep copy of all weights. With --fixed every 40th may."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import copy

import torch
from loop import IS_FIXED, Items, Loop, loader_of

EVERY = 40 if IS_FIXED else 1


def keep_best(weights):
    return copy.deepcopy(weights)


def main():
    weights = {f"layer.{number}": torch.rand(64, 1024) for number in range(120)}
    loop = Loop(["host-work", "checkpoint"], ["keep_best", "deepcopy"], "keeping", step_s=0.008)
    best = None
    for step, batch in enumerate(loop.batches(loader_of(Items(4800, 4096), 16, 1))):
        loop.train(batch)
        if step % EVERY == 0:
            best = loop.timed("keeping", keep_best, weights)
    loop.report(sys.argv[1])
    assert best is not None


if __name__ == "__main__":
    main()
