#!/usr/bin/python3
"""Trains on nothing: PyTorch's own DataLoader feeds a simulated GPU (test/cuda-stand-in).

Every batch is copied to the device, some kernels are launched, and the stream is waited for.
Writes what it did, exactly, as JSON to --report.
"""

import argparse
import ctypes
import json
import os
import resource
import time

import torch
from torch.utils.data import DataLoader, Dataset

H2D = 1
LAUNCHES = 20


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


ONE = Dim3(1, 1, 1)


def burn(seconds):
    """CPU work in Python itself, as an augmentation written by hand is."""
    end = time.perf_counter() + seconds
    count = 0
    while time.perf_counter() < end:
        count += 1
    return count


class Rows(Dataset):
    def __init__(self, options):
        self.data = torch.rand(options.items, options.features)
        self.options = options
        self.file = None

    def __len__(self):
        return self.options.items

    def read_item(self):
        """From a file that each worker opens once, as readers of shards do."""
        if self.file is None:
            self.file = open(self.options.read_file, "rb", buffering=0)
        if not self.file.read(1 << 16):
            self.file.seek(0)

    def __getitem__(self, index):
        if self.options.item_cpu_us:
            burn(self.options.item_cpu_us / 1e6)
        if self.options.item_sleep_us:
            time.sleep(self.options.item_sleep_us / 1e6)
        if self.options.read_file:
            self.read_item()
        return self.data[index]


class Imported:
    """The runtime as a library that imports it calls it (test/cuda-stand-in/imported.c)."""

    def __init__(self, library):
        self.library = library

    def __getattr__(self, name):
        return getattr(self.library, "imported_" + name)


class Gpu:
    def __init__(self, library, is_imported=False):
        loaded = ctypes.CDLL(library)
        self.cuda = Imported(loaded) if is_imported else loaded
        self.stream = ctypes.c_void_p()
        self.check(self.cuda.cudaStreamCreate(ctypes.byref(self.stream)))
        self.counts = {"copies": 0, "launches": 0, "syncs": 0, "bytes": 0}

    @staticmethod
    def check(code):
        if code != 0:
            raise RuntimeError(f"CUDA error {code}")

    def allocate(self, size, host):
        pointer = ctypes.c_void_p()
        if host:
            self.check(self.cuda.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(size), 0))
        else:
            self.check(self.cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)))
        return pointer

    def transfer_batch(self, device, source, size):
        self.check(
            self.cuda.cudaMemcpyAsync(device, source, ctypes.c_size_t(size), H2D, self.stream)
        )
        self.counts["copies"] += 1
        self.counts["bytes"] += size

    def launch_kernels(self):
        for _ in range(LAUNCHES):
            self.check(
                self.cuda.cudaLaunchKernel(device_function, ONE, ONE, None, ctypes.c_size_t(0), self.stream)
            )
        self.counts["launches"] += LAUNCHES

    def wait(self):
        self.check(self.cuda.cudaStreamSynchronize(self.stream))
        self.counts["syncs"] += 1


device_function = ctypes.c_void_p(4096)


def train(options, loader, gpu):
    size = options.batch * options.features * 4
    device = gpu.allocate(size, host=False)
    pinned = gpu.allocate(size, host=True) if options.pinned else None
    batches = 0
    workers = set()
    for _ in range(options.epochs):
        iterator = iter(loader)
        workers.update(worker.pid for worker in getattr(iterator, "_workers", []))
        for batch in iterator:
            source = ctypes.c_void_p(batch.data_ptr())
            if pinned:
                ctypes.memmove(pinned, source, size)
                source = pinned
            gpu.transfer_batch(device, source, size)
            gpu.launch_kernels()
            if not options.no_wait:
                gpu.wait()
            batches += 1
            if batches == 1:
                print("training", flush=True)
    gpu.wait()
    return batches, sorted(workers)


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--imported", action="store_true", help="the library imports the runtime, and is not it")
    parser.add_argument("--report", required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pinned", action="store_true")
    parser.add_argument("--no-wait", action="store_true", help="wait for the GPU at the end only")
    parser.add_argument("--persistent", action="store_true")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--items", type=int, default=1024)
    parser.add_argument("--features", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--item-cpu-us", type=float, default=0)
    parser.add_argument("--item-sleep-us", type=float, default=0)
    parser.add_argument("--read-file", default="")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    gpu = Gpu(options.library, options.imported)
    loader = DataLoader(
        Rows(options),
        batch_size=options.batch,
        shuffle=True,
        drop_last=True,
        num_workers=options.workers,
        persistent_workers=options.persistent and options.workers > 0,
    )
    begin = time.monotonic()
    batches, workers = train(options, loader, gpu)
    seconds = time.monotonic() - begin
    usage = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = {
        "pid": os.getpid(),
        "workers": workers,
        "batches": batches,
        "seconds": seconds,
        "cpuSeconds": usage.ru_utime + usage.ru_stime + children.ru_utime + children.ru_stime,
        **gpu.counts,
    }
    with open(options.report, "w", encoding="utf8") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main()
