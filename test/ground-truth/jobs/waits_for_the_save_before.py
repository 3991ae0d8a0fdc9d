#!/usr/bin/python3
"""A thread packs and writes each checkpoint beside the training, but the next one is due long before it is done.

The loop then waits for it. With --fixed one is due at every 100th step.

After https://github.com/apax-hub/apax/issues/22, of checkpoints that queue up.
"""

import concurrent.futures
import os
import sys
import tempfile
import zlib

# A wait that spins would keep one of two CPUs from the thread.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of
from trainer import Trainer

STEPS = 300
EVERY = 100 if IS_FIXED else 10
LAYERS = 8
LAYER_NUMBERS = 256 << 10


def pack_checkpoint(weights, path):
    """Packing does without the interpreter: nobody waits for that."""
    with open(path + ".part", "wb") as file:
        for layer in weights:
            file.write(zlib.compress(layer.numpy(), 1))
    os.rename(path + ".part", path)


class AsyncSaver:
    part = "saving"

    def __init__(self, folder):
        self.path = os.path.join(folder, "last.ckpt.z")
        self.weights = torch.randn(LAYERS, LAYER_NUMBERS)
        self.pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="async-saver")
        self.pending = None

    def await_pending_save(self):
        if self.pending is not None:
            self.pending.result()

    def after_step(self, trainer):
        if trainer.step % EVERY == 0:
            self.await_pending_save()
            self.pending = self.pool.submit(pack_checkpoint, self.weights.clone(), self.path)


def main():
    ids = ["checkpoint", "thread-lock", "producer", "slow-output"]
    culprit = ["pack_checkpoint", "await_pending_save", "async-saver"]
    loop = Loop(ids, culprit, "saving", step_s=0.01)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        saver = AsyncSaver(folder)
        Trainer(loop, loader_of(Items(16 * STEPS, 4096), 16, 1), [saver]).fit()
        saver.pool.shutdown()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
