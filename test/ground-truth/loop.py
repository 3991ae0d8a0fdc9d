"""What the jobs of jobs/ share: a loop on the simulated GPU of test/cuda-stand-in, and its stopwatch."""

import ctypes
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../agent/jobs"))

import torch
from dataloader import LAUNCHES, Gpu
from torch.utils.data import DataLoader, Dataset

IS_FIXED = "--fixed" in sys.argv
# A loop of one process may be cut short: then its two forms can't be compared.
LIMIT_S = float(os.environ.get("STALLTRACE_LOOP_SECONDS", "inf"))


def compute(seconds):
    """CPU work of a fixed length, whatever else has the CPU."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


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
    """Times its own parts with perf_counter; what is no part of it is the step itself.

    `ids` are the findings that are right, most specific first, none for a healthy job; `culprit` what a specific
    answer names, any of several; `part` where the cause's time is counted. `step_s` is how long the GPU computes.
    """

    def __init__(self, ids=(), culprit=(), part="input", also_right=(), verdicts=None, step_s=None):
        if step_s is not None:
            os.environ["STALLTRACE_STAND_IN_KERNEL_US"] = str(round(step_s * 1e6 / LAUNCHES))
        self.gpu = Gpu(os.environ["STALLTRACE_CUDART"])
        self.causes = []
        self.also_right = list(also_right)
        blamed = ["input-bound"] if part == "input" else ["host-bound"]
        self.verdicts = verdicts or (blamed if ids else ["compute-bound", "balanced"])
        if ids:
            self.also(ids, culprit, part)
        self.seconds = {}
        self.steps = []
        self.device = None

    def also(self, ids, culprit, part):
        """Another cause of the same job."""
        self.causes.append({"ids": listed(ids), "culprit": listed(culprit), "part": part})

    def timed(self, name, function, *arguments):
        begin = time.perf_counter()
        result = function(*arguments)
        self.add(name, time.perf_counter() - begin)
        return result

    def add(self, name, seconds):
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def batches(self, loader, epochs=1):
        """Each batch of `loader`; how long it was waited for is `input`.

        Steps begin with a batch that has come: the very first wait lies before the loop, and the end of the last
        epoch, when workers end, after it.
        """
        for epoch in range(epochs):
            fetch = self.timed if self.steps else lambda _, function, *arguments: function(*arguments)
            iterator = fetch("input", iter, loader)
            batch = fetch("input", next, iterator, None)
            while batch is not None:
                self.steps.append(time.perf_counter())
                yield batch
                asked = time.perf_counter()
                batch = None if self.is_over() else next(iterator, None)
                if batch is None and epoch == epochs - 1:
                    break
                self.add("input", time.perf_counter() - asked)
        self.steps.append(asked)

    def is_over(self):
        return time.perf_counter() - self.steps[0] > LIMIT_S

    def train(self, batch, pinned=None):
        """Copies the batch, from `pinned` where it is there already, and computes."""
        self.compute_batch(batch, pinned)

    def infer(self, batch):
        """The same on the simulated GPU: by their names alone it is told which of the two a job does."""
        self.compute_batch(batch)

    def compute_batch(self, batch, pinned=None):
        size = batch.numel() * batch.element_size()
        if self.device is None:
            self.device = self.gpu.allocate(size, host=False)
        source = pinned or ctypes.c_void_p(batch.data_ptr())
        self.timed("copying", self.gpu.transfer_batch, self.device, source, size)
        self.gpu.launch_kernels()
        self.gpu.wait()

    def report(self, path):
        """Shares of the time from the first batch to the end of the loop, as JSON."""
        seconds = self.steps[-1] - self.steps[0]
        shares = {name: part / seconds for name, part in self.seconds.items()}
        steps = [round(end - begin, 6) for begin, end in zip(self.steps, self.steps[1:])]
        told = {
            "causes": self.causes,
            "also_right": self.also_right,
            "verdicts": self.verdicts,
            "pid": os.getpid(),
            "seconds": seconds,
            "input_share": shares.pop("input", 0.0),
            "other_shares": shares,
            "steps": len(steps),
            "step_seconds": steps,
        }
        with open(path, "w", encoding="utf8") as file:
            json.dump(told, file)


def listed(one_or_more):
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more)


def loader_of(items, batch, workers, **options):
    torch.set_num_threads(1)
    return DataLoader(items, batch_size=batch, drop_last=True, num_workers=workers, **options)
