"""What the jobs of jobs/ share: a loop on the simulated GPU of test/cuda-stand-in, and its stopwatch."""

import ctypes
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../agent/jobs"))

import torch
from dataloader import Gpu
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    """Items that cost next to nothing, or sleep as a slow store does."""

    def __init__(self, count, features, sleep_s=0.0):
        self.data = torch.rand(count, features)
        self.sleep_s = sleep_s

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        if self.sleep_s:
            time.sleep(self.sleep_s)
        return self.data[index]


class Loop:
    """Times its own parts with perf_counter and counts what is not said to be one as `rest`."""

    def __init__(self, cause, culprit):
        self.gpu = Gpu(os.environ["STALLTRACE_CUDART"])
        self.told = {"cause": cause, "culprit": culprit}
        self.seconds = {}
        self.steps = []
        self.device = None

    def timed(self, name, function, *arguments):
        begin = time.perf_counter()
        result = function(*arguments)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
        return result

    def batches(self, loader):
        """Each batch of `loader`; how long it was waited for is `input`. Steps begin with a batch that has come."""
        iterator = iter(loader)
        batch = next(iterator)
        while batch is not None:
            self.steps.append(time.perf_counter())
            yield batch
            batch = self.timed("input", next, iterator, None)
        self.steps.append(time.perf_counter())

    def train(self, batch):
        size = batch.numel() * batch.element_size()
        if self.device is None:
            self.device = self.gpu.allocate(size, host=False)
        self.gpu.transfer_batch(self.device, ctypes.c_void_p(batch.data_ptr()), size)
        self.gpu.train_step()
        self.gpu.wait()

    def report(self, path):
        """Shares of the time from the first batch to the end of the loop, as JSON."""
        seconds = self.steps[-1] - self.steps[0]
        shares = {name: part / seconds for name, part in self.seconds.items()}
        steps = [round(end - begin, 6) for begin, end in zip(self.steps, self.steps[1:])]
        told = {
            **self.told,
            "pid": os.getpid(),
            "seconds": seconds,
            "input_share": shares.pop("input", 0.0),
            "other_shares": shares,
            "steps": len(steps),
            "step_seconds": steps,
        }
        with open(path, "w", encoding="utf8") as file:
            json.dump(told, file)


def loader_of(items, batch, workers):
    torch.set_num_threads(1)
    return DataLoader(items, batch_size=batch, drop_last=True, num_workers=workers)
