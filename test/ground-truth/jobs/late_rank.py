#!/usr/bin/python3
"""Two ranks reduce their gradients on the CPU (gloo) after each step; the second one comes late each time.

The report is of the first, whose loader is fine: it waits in the collective. With --fixed both are in time.
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
import torch.distributed
from loop import Items, Loop, loader_of

LATE_S = 0.05


def reduce_gradients(gradients):
    torch.distributed.all_reduce(gradients)


def train(rank, report):
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    loop = Loop("late-rank", "rank 1")
    gradients = torch.ones(4096)
    for batch in loop.batches(loader_of(Items(1280, 4096), 16, 2)):
        loop.train(batch)
        if rank == 1 and "--fixed" not in sys.argv:
            loop.timed("late", time.sleep, LATE_S)
        loop.timed("collective", reduce_gradients, gradients)
    if rank == 0:
        loop.report(report)


def main():
    if "RANK" in os.environ:
        return train(int(os.environ["RANK"]), sys.argv[1])
    store = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 20000), "WORLD_SIZE": "2"}
    ranks = [
        subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, **store, "RANK": str(rank)})
        for rank in range(2)
    ]
    if any([rank.wait() for rank in ranks]):
        sys.exit(1)


if __name__ == "__main__":
    main()
