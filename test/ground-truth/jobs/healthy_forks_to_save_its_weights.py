#!/usr/bin/python3
"""Nothing is wrong: every 60 steps weights are put into shared memory, and a forked process writes them down for sure.

The loop looks after each step whether that one is done, and then names the checkpoint as the newest. It cuts its batches
out of memory by itself.

After https://github.com/NVIDIA/Megatron-LM/issues/651.
"""

import hashlib
import multiprocessing
import os
import shutil
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the process that writes.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop
from trainer import Trainer

STEPS = 400
BATCH = 16
TOKENS = 1024
SAVE_EVERY = 60
SHARDS = 8
WEIGHTS_A_SHARD = 1_000_000
KEPT = 2


class PackedTexts:
    """Texts as numbers in one long row, of which windows are cut anywhere, and shifted by one for the labels."""

    def __init__(self):
        self.row = torch.randint(32_000, (2_000_000,))

    def get_batch(self):
        begins = torch.randint(len(self.row) - TOKENS - 1, (BATCH,)).tolist()
        inputs = [self.row[begin : begin + TOKENS] for begin in begins]
        labels = [self.row[begin + 1 : begin + TOKENS + 1] for begin in begins]
        return torch.cat([torch.stack(inputs), torch.stack(labels)], 1)

    def batches(self):
        for _ in range(STEPS):
            yield self.get_batch()


def write_shards(folder, staged):
    """In the forked process: each shard with its digest, flushed to the disk."""
    torch.set_num_threads(1)
    for number, shard in enumerate(staged):
        path = os.path.join(folder, f"__0_{number}.distcp")
        data = shard.numpy().tobytes()
        with open(path, "wb") as file:
            file.write(hashlib.sha256(data).digest())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


class AsyncCheckpoints:
    part = "saving"

    def __init__(self, folder):
        self.folder = folder
        self.weights = [torch.rand(WEIGHTS_A_SHARD) for _ in range(SHARDS)]
        self.staged = [torch.empty(WEIGHTS_A_SHARD).share_memory_() for _ in range(SHARDS)]
        self.writer = None
        self.saved = []

    def stage_weights(self):
        for shard, weights in zip(self.staged, self.weights):
            shard.copy_(weights)

    def schedule_save(self, step):
        iteration = os.path.join(self.folder, f"iter_{step:07d}")
        os.mkdir(iteration)
        self.stage_weights()
        forking = multiprocessing.get_context("fork")
        self.writer = forking.Process(target=write_shards, args=(iteration, self.staged), name="checkpoint-writer")
        self.writer.start()
        self.saved.append(iteration)

    def finalize_if_done(self):
        if self.writer is None or self.writer.is_alive():
            return
        self.writer.join()
        self.writer = None
        with open(os.path.join(self.folder, "latest_checkpointed_iteration.txt"), "w", encoding="utf8") as file:
            file.write(os.path.basename(self.saved[-1]))
        if len(self.saved) > KEPT:
            shutil.rmtree(self.saved.pop(0))

    def after_step(self, trainer):
        self.finalize_if_done()
        if trainer.step % SAVE_EVERY == 0 and self.writer is None:
            self.schedule_save(trainer.step)

    def finish(self):
        if self.writer is not None:
            self.writer.join()


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.034)
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="checkpoints-") as folder:
        checkpoints = AsyncCheckpoints(folder)
        Trainer(loop, PackedTexts().batches(), [checkpoints]).fit()
        checkpoints.finish()
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
