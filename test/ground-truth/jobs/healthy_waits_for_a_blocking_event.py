#!/usr/bin/python3
"""Nothing is wrong: the loop sleeps in the wait for an event, and a thread computes statistics on the core that this leaves.

After https://github.com/meta-pytorch/torchrec/pull/4353, which measures such a thread beside both kinds of waits.
"""

import collections
import ctypes
import os
import sys
import threading

# The event's wait sleeps.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Items, Loop, loader_of

BATCH = 32
FEATURES = 1024
STEPS = 160


class BlockingEvent:
    def __init__(self, gpu):
        self.gpu = gpu
        self.event = ctypes.c_void_p()
        gpu.check(gpu.cuda.cudaEventCreate(ctypes.byref(self.event)))

    def record(self):
        self.gpu.check(self.gpu.cuda.cudaEventRecord(self.event, self.gpu.stream))

    def synchronize(self):
        self.gpu.check(self.gpu.cuda.cudaEventSynchronize(self.event))


class Drift:
    """How the features of late batches differ from what they were, worked out again and again by a thread."""

    def __init__(self):
        self.late = collections.deque(maxlen=16)
        self.covariance = torch.zeros(FEATURES, FEATURES)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.follow, name="drift", daemon=True)

    def follow(self):
        torch.set_num_threads(1)
        while not self.is_over.wait(0.01):
            if self.late:
                self.update(torch.cat(list(self.late)))

    def update(self, features):
        centred = features - features.mean(dim=0)
        covariance = centred.T @ centred / len(centred)
        self.covariance = 0.9 * self.covariance + 0.1 * covariance


def train_step(loop, event, batch):
    size = batch.numel() * batch.element_size()
    if loop.device is None:
        loop.device = loop.gpu.allocate(size, host=False)
    loop.timed("copying", loop.gpu.transfer_batch, loop.device, ctypes.c_void_p(batch.data_ptr()), size)
    loop.gpu.launch_kernels()
    event.record()
    event.synchronize()


def main():
    loop = Loop(step_s=0.075)
    event = BlockingEvent(loop.gpu)
    loader = loader_of(Items(BATCH * STEPS, FEATURES), BATCH, 1)
    drift = Drift()
    for step, batch in enumerate(loop.batches(loader)):
        if step == 0:
            drift.thread.start()
        train_step(loop, event, batch)
        drift.late.append(batch)
    loop.report(sys.argv[1])
    drift.is_over.set()
    drift.thread.join()


if __name__ == "__main__":
    main()
