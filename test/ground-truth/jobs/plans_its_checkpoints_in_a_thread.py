#!/usr/bin/python3
"""A thread writes checkpoints beside the training, but plans them in Python, and the loop waits for the interpreter.

Steps take long whenever it is at work. With --fixed it is a process.

After https://github.com/pytorch/pytorch/pull/147039, of plans that are pickled beside the trainer.
"""

import concurrent.futures
import multiprocessing
import os
import pickle
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

STEPS = 675
EVERY = 75
NAMES = [f"decoder.layers.{layer}.{part}.weight" for layer in range(100) for part in ("q", "k", "v", "o", "mlp")]
SHARDS = 160


def plan_shards(step):
    plan = []
    for name in NAMES:
        offset = 0
        for shard in range(SHARDS):
            size = 4096 * (1 + (shard + step) % 7)
            plan.append({"key": f"{name}.{shard:03d}", "offset": offset, "size": size, "dtype": "bfloat16"})
            offset += size
    plan.sort(key=lambda shard: (shard["size"], shard["key"]))
    return plan


def write_checkpoint(folder, step):
    packed = pickle.dumps(plan_shards(step))
    part = os.path.join(folder, "plan.part")
    with open(part, "wb") as file:
        file.write(packed)
    os.rename(part, os.path.join(folder, "plan.distcp"))


class BackgroundSaver:
    def __init__(self, folder):
        self.folder = folder
        self.pending = None
        if IS_FIXED:
            context = multiprocessing.get_context("fork")
            self.pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
        else:
            self.pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="background-saver")
        self.pool.submit(os.getpid).result()

    def is_busy(self):
        return self.pending is not None and not self.pending.done()

    def save(self, step):
        if self.pending is not None:
            self.pending.result()
        self.pending = self.pool.submit(write_checkpoint, self.folder, step)

    def close(self):
        self.pool.shutdown()


def main():
    torch.set_num_threads(1)
    culprit = ["plan_shards", "write_checkpoint", "background-saver"]
    verdicts = ["host-bound", "balanced"]
    loop = Loop("gil", culprit, "interpreter", ["host-work", "checkpoint"], verdicts, step_s=0.008)
    # How long steps take while nobody saves; what they take longer while somebody does is the cause's.
    alone = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        saver = BackgroundSaver(folder)
        for step, tokens in enumerate(loop.batches(torch.zeros(STEPS, 16, 1024))):
            is_beside = saver.is_busy()
            begin = time.perf_counter()
            loop.train(tokens)
            seconds = time.perf_counter() - begin
            if is_beside:
                loop.add("interpreter", max(0.0, seconds - statistics.median(alone)))
            else:
                alone.append(seconds)
            if step % EVERY == EVERY - 1:
                loop.timed("handing-over", saver.save, step)
        saver.close()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
