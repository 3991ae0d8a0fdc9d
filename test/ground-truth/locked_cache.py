"""A dataset whose samples are looked up in a cache that one process at a time may use."""

import sys
import tempfile

import torch
from loop import IS_FIXED, Loop, compute, loader_of
from torch.utils.data import Dataset

SECONDS_A_SAMPLE = 0.004


class Cached(Dataset):
    """Looks each sample up after `lock` has locked the open cache; with --fixed without a lock."""

    def __init__(self, path, lock):
        self.path = path
        self.lock = lock

    def __len__(self):
        return 960

    def __getitem__(self, index):
        if IS_FIXED:
            return self.look_up()
        with open(self.path, "r+b") as cache:
            self.lock(cache)
            return self.look_up()

    def look_up(self):
        compute(SECONDS_A_SAMPLE)
        return torch.zeros(4096)


def train_under(lock):
    loop = Loop("shared-lock", ["samples.cache", "Cached.__getitem__"], also_right=["slow-getitem"])
    with tempfile.NamedTemporaryFile(suffix="-samples.cache") as cache:
        for batch in loop.batches(loader_of(Cached(cache.name, lock), 16, 3)):
            loop.train(batch)
    loop.report(sys.argv[1])
