#!/usr/bin/python3
"""Weather is generated at a finer grid: every 25 steps the Fréchet distance takes the root of a product of covariances in NumPy.

It converges in a dozen of rounds, with two inverses each. With --fixed that is done on the GPU, where the features are.

After https://github.com/NVIDIA/physicsnemo/issues/205 and https://github.com/mseitzer/pytorch-fid/issues/96.
"""

import os
import sys

# A wait that spins would keep one of two CPUs from the worker.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

BATCH = 32
BATCHES = 275
FEATURES = 256
SCORE_EVERY = 25
ROUNDS = 14
REAL_SAMPLES = 2000


def sqrtm(matrix, tolerance=1e-7):
    """The root of a matrix, after Denman and Beavers."""
    root, inverse_root = matrix, numpy.eye(len(matrix))
    for _ in range(ROUNDS):
        inverted_root = numpy.linalg.inv(root)
        inverted = numpy.linalg.inv(inverse_root)
        before = root
        root, inverse_root = (root + inverted) / 2, (inverse_root + inverted_root) / 2
        if numpy.abs(root - before).max() < tolerance * numpy.abs(root).max():
            break
    return root


class FrechetDistance:
    """Between the features of real fields and those of the generated ones."""

    part = "distance"

    def __init__(self, loop):
        self.loop = loop
        drawn = numpy.random.default_rng(71)
        mixing = drawn.normal(size=(FEATURES, FEATURES)) / numpy.sqrt(FEATURES) + numpy.eye(FEATURES)
        real = drawn.normal(size=(REAL_SAMPLES, FEATURES)) @ mixing
        self.real_mean = real.mean(axis=0)
        self.real_covariance = numpy.cov(real, rowvar=False)
        self.generated = drawn.normal(size=(REAL_SAMPLES, FEATURES))
        self.distances = []

    def frechet_distance(self, mean, covariance):
        product = self.real_covariance @ covariance + 1e-6 * numpy.eye(FEATURES)
        traces = numpy.trace(self.real_covariance) + numpy.trace(covariance)
        return ((self.real_mean - mean) ** 2).sum() + traces - 2 * numpy.trace(sqrtm(product))

    def compute(self):
        self.generated = numpy.roll(self.generated, 1, axis=1)
        mean, covariance = self.generated.mean(axis=0), numpy.cov(self.generated, rowvar=False)
        self.distances.append(self.frechet_distance(mean, covariance))

    def compute_on_gpu(self):
        """Its kernels run before those of the next step, and nobody waits for them here."""
        self.loop.gpu.launch_kernels()

    def after_step(self, trainer):
        if trainer.step % SCORE_EVERY == 0:
            if IS_FIXED:
                self.compute_on_gpu()
            else:
                self.compute()


def main():
    culprit = ["sqrtm", "frechet_distance", "FrechetDistance", "compute"]
    # It is a metric, and what tells how good the generated weather is.
    loop = Loop(["host-metrics", "evaluation"], culprit, "distance", step_s=0.022)
    loader = loader_of(Items(BATCH * BATCHES, FEATURES), BATCH, 1)
    Trainer(loop, loader, [FrechetDistance(loop)]).fit()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
