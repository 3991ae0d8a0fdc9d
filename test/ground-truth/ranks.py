"""Starts a job's script once a rank, as torchrun does, with gloo between them."""

import os
import subprocess
import sys

import torch
import torch.distributed


def run_ranks(train, count=2):
    """`train(rank)` in each of `count` processes; this one waits for them."""
    if "RANK" in os.environ:
        rank = int(os.environ["RANK"])
        torch.distributed.init_process_group("gloo", rank=rank, world_size=count)
        return train(rank)
    port = str(20000 + os.getpid() % 20000)
    store = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(count)}
    ranks = [
        subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, **store, "RANK": str(rank)})
        for rank in range(count)
    ]
    if any([rank.wait() for rank in ranks]):
        sys.exit(1)


def reduce_gradients(gradients):
    torch.distributed.all_reduce(gradients)
