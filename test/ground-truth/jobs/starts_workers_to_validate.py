#!/usr/bin/python3
"""Every 12 steps two held-out batches are looked at, and four workers are started for them and ended again.

With --fixed they persist.

After https://github.com/Lightning-AI/pytorch-lightning/issues/434.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

CHECK_EVERY = 12
CHECKED = 2
BATCH = 16


class Module:
    """Hooks as those of trainers, of a model that does no more than the loop's step."""

    def __init__(self, loop):
        self.loop = loop
        self.scores = []

    def training_step(self, batch):
        self.loop.train(batch)

    def validation_step(self, batch):
        self.loop.infer(batch)
        self.scores.append(float(batch.mean()))


def run_validation(module, held_out):
    """What it waits for is input as well: the batches are a loader's, and so is the end of its workers."""
    asked = time.perf_counter()
    for batch in held_out:
        module.loop.add("input", time.perf_counter() - asked)
        module.validation_step(batch)
        asked = time.perf_counter()
    module.loop.add("input", time.perf_counter() - asked)


def fit(module, loader, held_out):
    for step, batch in enumerate(module.loop.batches(loader)):
        module.training_step(batch)
        if step % CHECK_EVERY == CHECK_EVERY - 1:
            module.loop.timed("validation", run_validation, module, held_out)


def main():
    # The scoring itself takes a little too.
    culprit = ["persistent_workers", "run_validation"]
    loop = Loop("persistent-workers", culprit, "validation", also_right=["evaluation", "not-input"], step_s=0.008)
    held_out = loader_of(Items(CHECKED * BATCH, 4096), BATCH, 4, persistent_workers=IS_FIXED)
    fit(Module(loop), loader_of(Items(BATCH * 560, 4096), BATCH, 2), held_out)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
