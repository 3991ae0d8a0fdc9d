#!/usr/bin/python3
"""A rank of a job that torchrun starts: gradients are averaged with gloo, and rank 1 comes late to each step.

Arguments: the CUDA library, and a folder. Writes what it knows of itself as JSON to FOLDER/rank-N.json.
"""

import ctypes
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch
from dataloader import Gpu

STEPS = 60
LATE_S = 0.03


def prepare(late):
    if late:
        time.sleep(LATE_S)


def main():
    library, folder = sys.argv[1:]
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    gpu = Gpu(library)
    model = torch.nn.Linear(64, 64)
    batch = torch.rand(32, 64)
    size = batch.numel() * batch.element_size()
    device = gpu.allocate(size, host=False)
    waited = 0.0
    for _ in range(STEPS):
        gpu.transfer_batch(device, ctypes.c_void_p(batch.data_ptr()), size)
        gpu.launch_kernels()
        gpu.wait()
        prepare(late=rank == 1)
        model(batch).sum().backward()
        began = time.perf_counter()
        torch.distributed.all_reduce(model.weight.grad)
        waited += time.perf_counter() - began
    with open(os.path.join(folder, f"rank-{rank}.json"), "w", encoding="utf8") as file:
        json.dump({"pid": os.getpid(), "rank": rank, "waited_s": waited}, file)


if __name__ == "__main__":
    main()
