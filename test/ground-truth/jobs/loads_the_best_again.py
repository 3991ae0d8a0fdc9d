#!/usr/bin/python3
"""Every 25 steps the best weights so far are read from their file again. With --fixed they are kept in memory."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

EVERY = 25


def restore_best(path, kept):
    return dict(kept) if IS_FIXED else torch.load(path)


def main():
    ids = ["host-work", "host-metrics", "checkpoint", "host-data-movement"]
    loop = Loop(ids, ["restore_best"], "restoring", step_s=0.006)
    kept = {f"layer.{number}": torch.rand(256, 1024) for number in range(80)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.pt")
        torch.save(kept, path)
        for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 1))):
            loop.train(batch)
            if step % EVERY == EVERY - 1:
                loop.timed("restoring", restore_best, path, kept)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
