#!/usr/bin/python3
"""Two processes augment scans in time, but whoever hands their batches on looks for them every 25 ms only.

So does a thread between the processes and the loop, and so does the loop. With --fixed both are woken.

After https://github.com/MIC-DKFZ/nnUNet/issues/696, whose traceback shows this sleep.
"""

import multiprocessing
import os
import queue
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

BATCHES = 280
AUGMENTERS = 2
PAUSE_S = 0.025


def augment_scan(chosen):
    scan = chosen.random((16, 4096), dtype=numpy.float32)
    brighter = numpy.clip(scan * chosen.uniform(0.7, 1.3), 0, 1)
    return numpy.flip(brighter, axis=1).copy()


def augment(results, seed):
    chosen = numpy.random.default_rng(seed)
    while True:
        results.put(augment_scan(chosen))


class Augmented:
    """Hands out the batches of all processes in turn, as they come."""

    def __init__(self):
        context = multiprocessing.get_context("fork")
        self.results = [context.Queue(2) for _ in range(AUGMENTERS)]
        for seed, results in enumerate(self.results):
            context.Process(target=augment, args=(results, seed), name=f"augmenter-{seed}", daemon=True).start()
        self.ready = queue.Queue(1)
        threading.Thread(target=self.pass_on, name="results-loop", daemon=True).start()

    def pass_on(self):
        number = 0
        while True:
            results = self.results[number % AUGMENTERS]
            if IS_FIXED or not (results.empty() or self.ready.full()):
                self.ready.put(torch.from_numpy(results.get()))
                number += 1
            else:
                time.sleep(PAUSE_S)

    def next_item(self):
        while not IS_FIXED and self.ready.empty():
            time.sleep(PAUSE_S)
        return self.ready.get()

    def __iter__(self):
        for _ in range(BATCHES):
            yield self.next_item()


def main():
    torch.set_num_threads(1)
    augmented = Augmented()
    loop = Loop(["sleep", "producer"], ["next_item", "pass_on"], verdicts=["input-bound", "host-bound"], step_s=0.008)
    for batch in loop.batches(augmented):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
