#!/usr/bin/python3
"""Nothing is wrong: a checkpoint every 100 steps is written by a thread, beside the computing."""

import concurrent.futures
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Items, Loop, loader_of


def save(weights, path):
    torch.save(weights, path)


def main():
    loop = Loop(step_s=0.03)
    weights = torch.rand(2_000_000)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(1) as beside:
        for step, batch in enumerate(loop.batches(loader_of(Items(4000, 4096), 16, 2))):
            loop.train(batch)
            if step % 100 == 99:
                beside.submit(save, weights.clone(), os.path.join(folder, "last.ckpt"))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
