#!/usr/bin/python3
"""Trains on a simulated GPU, and does three other things in the training thread, each in a function of its own.

It saves every 10 steps, waits for a program every 4, and at every step for a lock that another thread holds while it
sleeps. How long each took is written to --report. With --healthy it does none of that.
"""

import argparse
import ctypes
import json
import os
import subprocess
import threading
import time

import torch
from dataloader import Gpu
from torch.utils.data import DataLoader, TensorDataset

STEPS = 80
STATE = {f"layer{number}": torch.rand(1_000_000) for number in range(4)}
LOCK = threading.Lock()


def keep(path):
    torch.save(STATE, path)
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def compress():
    subprocess.run(["sleep", "0.02"], check=True)


def publish():
    with LOCK:
        pass


def refresh(done):
    while not done.is_set():
        with LOCK:
            time.sleep(0.01)
        time.sleep(0.001)


class Stopwatch:
    def __init__(self):
        self.seconds = {}

    def timed(self, function, *arguments):
        begin = time.perf_counter()
        function(*arguments)
        name = function.__name__
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def run(gpu, loader, options, watch):
    device = None
    for step, (batch,) in enumerate(loader):
        size = batch.numel() * batch.element_size()
        device = device or gpu.allocate(size, host=False)
        gpu.transfer_batch(device, ctypes.c_void_p(batch.data_ptr()), size)
        gpu.launch_kernels()
        gpu.wait()
        if options.healthy:
            continue
        watch.timed(publish)
        if step % 4 == 0:
            watch.timed(compress)
        if step % 10 == 0:
            watch.timed(keep, options.report + ".pt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--healthy", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    loader = DataLoader(TensorDataset(torch.rand(STEPS * 16, 1024)), batch_size=16, num_workers=1)
    done = threading.Event()
    if not options.healthy:
        threading.Thread(target=refresh, args=(done,)).start()
    watch = Stopwatch()
    begin = time.perf_counter()
    run(Gpu(options.library), loader, options, watch)
    told = {"loop": time.perf_counter() - begin, **watch.seconds}
    done.set()
    with open(options.report, "w", encoding="utf8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    main()
