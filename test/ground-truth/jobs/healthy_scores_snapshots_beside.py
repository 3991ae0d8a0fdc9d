#!/usr/bin/python3
"""Nothing is wrong: a process of the job's own scores snapshots for long, and gets the next one when it asks for it.

It takes half of a CPU, and its pipe is empty most of the time; the loop never waits for it.

After https://github.com/huggingface/transformers/issues/38829, which asks for this.
"""

import multiprocessing
import os
import random
import sys

# A wait that spins would keep one of two CPUs from the others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of
from neighbour import be_called
from trainer import Trainer

STEPS = 380
EVERY = 20
SNAPSHOT = bytes(128 << 10)
RESAMPLES = 700


def resample_score(values, chosen):
    """What the score may be, from many samples of the answers."""
    return sorted(sum(chosen.choices(values, k=5000)) for _ in range(RESAMPLES))[RESAMPLES // 2]


def score_snapshots(pipe):
    be_called("snapshot-scorer")
    chosen = random.Random(6)
    values = [chosen.random() for _ in range(5000)]
    while pipe.recv_bytes():
        pipe.send(resample_score(values, chosen))


class ScoreBeside:
    part = "handing-over"

    def __init__(self):
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.scorer = context.Process(target=score_snapshots, args=(other,), daemon=True)
        self.scorer.start()
        self.is_scoring = False
        self.best = 0.0

    def after_step(self, trainer):
        if self.is_scoring and self.pipe.poll():
            self.best = max(self.best, self.pipe.recv())
            self.is_scoring = False
        if trainer.step % EVERY == 0 and not self.is_scoring:
            self.pipe.send_bytes(SNAPSHOT)
            self.is_scoring = True

    def stop(self):
        if self.is_scoring:
            self.pipe.recv()
        self.pipe.send_bytes(b"")
        self.scorer.join()


def main():
    loop = Loop(step_s=0.024)
    beside = ScoreBeside()
    Trainer(loop, loader_of(Items(16 * STEPS, 4096), 16, 1), [beside]).fit()
    loop.report(sys.argv[1])
    beside.stop()


if __name__ == "__main__":
    main()
