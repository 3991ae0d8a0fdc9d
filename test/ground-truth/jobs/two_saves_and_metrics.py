#!/usr/bin/python3
"""Two causes: a checkpoint every 10 steps, and metrics in NumPy at every step. With --fixed neither.

After https://github.com/deepchem/deepchem/issues/458 and https://github.com/facebookresearch/detectron2/issues/2993.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Items, Loop, loader_of


def save_model(weights, folder):
    with open(os.path.join(folder, "model.ckpt"), "wb") as file:
        torch.save(weights, file)
        file.flush()
        os.fsync(file.fileno())


def histograms(values):
    return [numpy.histogram(values, bins=64, range=(0, top)) for top in numpy.linspace(0.1, 1, 12)]


def main():
    loop = Loop("checkpoint", ["save_model", "model.ckpt"], "saving", step_s=0.008)
    loop.also(["host-metrics", "host-work"], "histograms", "metrics")
    weights = torch.rand(8_000_000)
    with tempfile.TemporaryDirectory() as folder:
        for step, batch in enumerate(loop.batches(loader_of(Items(3200, 4096), 16, 2))):
            loop.train(batch)
            if not IS_FIXED:
                loop.timed("metrics", histograms, batch.numpy().ravel())
            if not IS_FIXED and step % 10 == 9:
                loop.timed("saving", save_model, weights, folder)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
