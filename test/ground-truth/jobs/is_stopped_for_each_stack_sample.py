#!/usr/bin/python3
"""A stack sampler was left attached: it stops every thread of the job, reads all stacks, and lets them go on.

PyTorch has many threads, as its launcher was told by a larger machine, and each is stopped by itself. With --fixed the
sampler stops none, and looks at the thread that runs Python only.

After https://github.com/benfred/py-spy/issues/872 and https://github.com/benfred/py-spy/pull/873.
"""

import os
import sys
import time

# A wait that spins would keep one of two CPUs from the threads that go on.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
# By the launcher, for a node with more CPUs.
os.environ["OMP_NUM_THREADS"] = "64"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop
from neighbour import say_ready
from usual import add_held, usual_step_s

STEPS = 600
BATCH = 32
FEATURES = 2048
ROWS = 4096
ANSWER_LIMIT_S = 20
CANNOT_RUN = 77


class Rankings:
    """Batches of a click model: features of queries and documents, normalised once before the training."""

    def __init__(self):
        rows = torch.rand(ROWS, FEATURES)
        # All threads take part in this one.
        self.rows = (rows - rows.mean(0)) / rows.std(0)

    def batches(self):
        for number in range(STEPS):
            begin = number * 37 % (ROWS - BATCH)
            yield self.rows[begin : begin + BATCH]


def wait_for_sampler(folder):
    """The sampler is told which process to look at, and says whether it may."""
    state = os.path.join(folder, "sampler", "ready")
    os.makedirs(os.path.join(folder, "target"), exist_ok=True)
    say_ready(os.path.join(folder, "target"), str(os.getpid()))
    end = time.monotonic() + ANSWER_LIMIT_S
    while not os.path.exists(state):
        if time.monotonic() > end:
            sys.exit(f"The sampler did not answer within {ANSWER_LIMIT_S} s.")
        time.sleep(0.02)
    with open(state, encoding="utf8") as file:
        answer = file.read()
    if answer != "sampling":
        print(f"needs to be traced by another process: {answer}", file=sys.stderr)
        sys.exit(CANNOT_RUN)


def main():
    folder = os.environ["STALLTRACE_BESIDE"]
    with open(os.path.join(folder, "ready"), encoding="utf8") as file:
        sampler = file.read()
    culprit = ["stack-sampler", f"pid {sampler}"]
    loop = Loop("stopped", culprit, "held", step_s=0.012)
    rankings = Rankings()
    first = rankings.rows[:BATCH]
    usual_s = usual_step_s(loop, lambda: loop.train(first))
    wait_for_sampler(folder)
    for batch in loop.batches(rankings.batches()):
        add_held(loop, "held", usual_s, lambda: loop.train(batch))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
