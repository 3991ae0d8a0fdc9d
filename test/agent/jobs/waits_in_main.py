#!/usr/bin/python3
"""A training loop whose main thread waits, and that knows for what: test/agent/wait-stacks.test.ts.

PyTorch's own DataLoader without workers feeds a simulated GPU (test/cuda-stand-in). For its samples it sleeps and reads
from a pipe that is filled slowly, by turns; or the loop waits for something of its own after each step. Writes to
--report how long each took, by its own clock.
"""

import argparse
import ctypes
import json
import os
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset

H2D = 1
ITEM_BYTES = 4096 * 4


def fill(pipe, pause):
    """From a thread of its own, which ends with the process."""
    while pause:
        time.sleep(pause)
        os.write(pipe, b"x")


class Rows(Dataset):
    def __init__(self, options):
        self.data = torch.rand(options.items, 4096)
        self.options = options
        self.pipe, write = os.pipe()
        threading.Thread(target=fill, args=(write, 3 * options.item_wait), daemon=True).start()

    def __len__(self):
        return self.options.items

    def wait_for_item(self, index):
        if index % 2:
            time.sleep(self.options.item_wait)
        else:
            os.read(self.pipe, 1)

    def __getitem__(self, index):
        if self.options.item_wait:
            self.wait_for_item(index)
        return self.data[index]


def publish(seconds):
    time.sleep(seconds)


def submit_beside(cuda, stream, tids):
    """A thread that makes CUDA calls and is not the main one."""
    tids.append(threading.get_native_id())
    for _ in range(10):
        cuda.cudaStreamSynchronize(stream)
        time.sleep(0.02)


def train(options, loader, cuda, tids):
    stream, device = ctypes.c_void_p(), ctypes.c_void_p()
    cuda.cudaStreamCreate(ctypes.byref(stream))
    size = ctypes.c_size_t(options.batch * ITEM_BYTES)
    cuda.cudaMalloc(ctypes.byref(device), size)
    input_seconds = own_seconds = 0
    if options.own_wait:
        threading.Thread(target=submit_beside, args=(cuda, stream, tids), daemon=True).start()
    iterator = iter(loader)
    while True:
        begin = time.monotonic()
        batch = next(iterator, None)
        if batch is None:
            return input_seconds, own_seconds
        input_seconds += time.monotonic() - begin
        cuda.cudaMemcpyAsync(device, ctypes.c_void_p(batch.data_ptr()), size, H2D, stream)
        cuda.cudaStreamSynchronize(stream)
        begin = time.monotonic()
        if options.own_wait:
            publish(options.own_wait)
        own_seconds += time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--item-wait", type=float, default=0)
    parser.add_argument("--own-wait", type=float, default=0)
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--batch", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cuda = ctypes.CDLL(options.library)
    loader = DataLoader(Rows(options), batch_size=options.batch, num_workers=0)
    tids = []
    input_seconds, own_seconds = train(options, loader, cuda, tids)
    report = {
        "pid": os.getpid(),
        "beside": tids,
        "inputSeconds": input_seconds,
        "ownSeconds": own_seconds,
    }
    with open(options.report, "w", encoding="utf8") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main()
