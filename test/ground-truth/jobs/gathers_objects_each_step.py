#!/usr/bin/python3
"""Two ranks hand each other a dict of 12,000 metrics by name after each step: it is pickled, sent (gloo) and unpickled.

Both are in time. With --fixed they do so at every 50th step.

After https://github.com/NVIDIA/Model-Optimizer/pull/1111, where a reviewer warns of it.
"""

import os
import sys

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
import torch.distributed
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import reduce_gradients, run_ranks

STEPS = 360
EVERY = 50 if IS_FIXED else 1
RANKS = 2


class BlockMetrics:
    """What each expert of each layer had to do in this step."""

    def __init__(self):
        names = [f"train/layers.{layer}.experts.{expert}.load" for layer in range(60) for expert in range(200)]
        self.values = dict.fromkeys(names, 0.0)

    def gather_metrics(self):
        gathered = [None] * RANKS
        torch.distributed.all_gather_object(gathered, self.values)
        return [metrics["train/layers.0.experts.0.load"] for metrics in gathered]


def train(rank):
    torch.set_num_threads(1)
    ids = ["collective", "host-metrics", "host-work"]
    culprit = ["gather_metrics", "all_gather_object"]
    loop = Loop(ids, culprit, "metrics", step_s=0.01)
    metrics = BlockMetrics()
    gradients = torch.ones(4096)
    for step, batch in enumerate(loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1))):
        loop.train(batch)
        loop.timed("gradients", reduce_gradients, gradients)
        if step % EVERY == EVERY - 1:
            loop.timed("metrics", metrics.gather_metrics)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
