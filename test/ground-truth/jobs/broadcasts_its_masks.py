#!/usr/bin/python3
"""Each block of a transformer keeps its causal mask as a buffer, and DistributedDataParallel sends all of them at every step.

They never change. Both ranks are in time. With --fixed buffers are not sent (broadcast_buffers=False).

After https://github.com/karpathy/nanoGPT/pull/151.
"""

import os
import sys

# Two processes that spin for their GPU would keep the CPUs from all others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from ranks import run_ranks

STEPS = 200
BLOCKS = 5
CONTEXT = 1024
TOKENS = 16


class CausalBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(CONTEXT, CONTEXT)))
        self.values = torch.nn.Linear(64, 64)

    def forward(self, tokens):
        weights = self.mask[:TOKENS, :TOKENS] / self.mask[:TOKENS, :TOKENS].sum(dim=1, keepdim=True)
        return tokens + weights @ self.values(tokens)


def attend(model, batch):
    return model(batch[:TOKENS, :64]).mean()


def backward(loss):
    loss.backward()


def train(rank):
    torch.set_num_threads(1)
    blocks = torch.nn.Sequential(*[CausalBlock() for _ in range(BLOCKS)])
    model = torch.nn.parallel.DistributedDataParallel(blocks, broadcast_buffers=not IS_FIXED)
    ids = ["collective", "host-work", "host-data-movement"]
    culprit = ["attend", "_sync_buffers", "_sync_module_buffers", "broadcast_coalesced", "DistributedDataParallel.forward"]
    loop = Loop(ids, culprit, "forward", step_s=0.01)
    for batch in loop.batches(loader_of(Items(16 * STEPS, 4096), 16, 1)):
        loop.train(batch)
        loss = loop.timed("forward", attend, model, batch)
        loop.timed("backward", backward, loss)
    if rank == 0:
        loop.report(sys.argv[1])


def main():
    run_ranks(train)


if __name__ == "__main__":
    main()
