#!/usr/bin/python3
"""Rollouts are dealt out to two ranks in turn, and every second one is long: the second rank's GPU computes for longer.

The report is of the first, which waits for it in each collective. With --fixed tokens are shared out evenly.

After https://github.com/lightseekorg/TorchSpec/issues/13.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import reduce_gradients, run_ranks

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

STEPS = 360
RANKS = 2
ANSWERS = 16
# Of so many tokens the GPU computes for a step of the simulated one.
TOKENS_A_STEP = 1024


def roll_out(chosen):
    """Answers to a question that is simple and to one that is not, as two samplers hand them over in turn."""
    for _ in range(ANSWERS // 2):
        yield chosen.randint(100, 220)
        yield chosen.randint(900, 1150)


def deal_in_turn(lengths):
    return [lengths[rank::RANKS] for rank in range(RANKS)]


def deal_evenly(lengths):
    parts = [[] for _ in range(RANKS)]
    for length in sorted(lengths, reverse=True):
        min(parts, key=sum).append(length)
    return parts


class TrainingController:
    """The same on each rank, so that none has to be told what is its own."""

    def __init__(self, rank):
        self.rank = rank
        self.chosen = random.Random(8)

    def tokens_of_next(self):
        lengths = list(roll_out(self.chosen))
        parts = deal_evenly(lengths) if IS_FIXED else deal_in_turn(lengths)
        return sum(parts[self.rank])


def forward_backward(loop, batch, tokens):
    loop.train(batch)
    for _ in range(round(tokens / TOKENS_A_STEP) - 1):
        loop.gpu.launch_kernels()
    loop.gpu.wait()


def train(rank):
    loop = Loop(["late-rank", "collective"], "rank 1", "gradients", step_s=0.003)
    controller, gradients = TrainingController(rank), torch.ones(4096)
    for batch in loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1)):
        forward_backward(loop, batch, controller.tokens_of_next())
        loop.timed("gradients", reduce_gradients, gradients)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
