#!/usr/bin/python3
"""Two causes: 600,000 weighted samples are drawn for each short epoch, and each parameter's norm is asked of the GPU.

With --fixed no more are drawn than an epoch takes, once, and all norms come as one.

After https://github.com/allenai/OLMo/pull/326, of the norms.
"""

import ctypes
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../agent/jobs"))

import torch
from dataloader import ONE, device_function
from loop import IS_FIXED, Items, Loop, loader_of
from torch.utils.data import WeightedRandomSampler

D2H = 2
SAMPLES = 600_000
BATCH = 16
EPOCH = 40
EPOCHS = 9
PARAMETERS = [f"block{number // 12}.part{number % 12}" for number in range(240)]


class Rare(Items):
    """So many that the same few stand for all of them."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        return super().__getitem__(index % len(self.data))


class ShortEpochs:
    """No more than `count` batches of each."""

    def __init__(self, loader, count):
        self.loader = loader
        self.count = count

    def __iter__(self):
        return itertools.islice(self.loader, self.count)


class Norms:
    def __init__(self, gpu):
        self.gpu = gpu
        self.device = gpu.allocate(4 * len(PARAMETERS), host=False)
        self.host = gpu.allocate(4 * len(PARAMETERS), host=True)

    def launch(self):
        nothing = ctypes.c_size_t(0)
        self.gpu.check(self.gpu.cuda.cudaLaunchKernel(device_function, ONE, ONE, None, nothing, self.gpu.stream))

    def read(self, first, count):
        self.launch()
        place, source = (ctypes.c_void_p(whole.value + 4 * first) for whole in (self.host, self.device))
        size = ctypes.c_size_t(4 * count)
        self.gpu.check(self.gpu.cuda.cudaMemcpyAsync(place, source, size, D2H, self.gpu.stream))
        self.gpu.wait()
        return (ctypes.c_float * count).from_address(place.value)

    def by_name(self):
        if IS_FIXED:
            return dict(zip(PARAMETERS, self.read(0, len(PARAMETERS))))
        return {f"norm/{name}": self.read(at, 1)[0] for at, name in enumerate(PARAMETERS)}


def train_blocks(loop, batch):
    """Many short kernels, as those of the norms are."""
    loop.train(batch)
    for _ in range(18):
        loop.gpu.launch_kernels()
    loop.gpu.wait()


def main():
    ids = ["fewer-syncs", "host-work"]
    loop = Loop("slow-sampler", ["WeightedRandomSampler", "multinomial"], step_s=0.0004)
    loop.also(ids, ["by_name", "Norms.read"], "norms")
    loop.verdicts = ["host-bound", "input-bound", "balanced"]
    weights = torch.rand(SAMPLES, dtype=torch.double)
    sampler = WeightedRandomSampler(weights, SAMPLES)
    if IS_FIXED:
        sampler = list(WeightedRandomSampler(weights, BATCH * EPOCH))
    loader = loader_of(Rare(512, 4096), BATCH, 2, sampler=sampler, persistent_workers=True)
    norms = Norms(loop.gpu)
    for batch in loop.batches(ShortEpochs(loader, EPOCH), EPOCHS):
        train_blocks(loop, batch)
        loop.timed("norms", norms.by_name)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
