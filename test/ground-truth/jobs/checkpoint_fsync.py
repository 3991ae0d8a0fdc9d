#!/usr/bin/python3
"""Every 10 steps the model is serialised, written and flushed to the disk by the main thread.

With --fixed it is saved once, at the end.

After https://github.com/Physical-Intelligence/openpi/issues/441.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Items, Loop, loader_of

PARAMETERS = 12_000_000


def save_checkpoint(weights, folder):
    with open(os.path.join(folder, "last.ckpt"), "wb") as file:
        torch.save({"model": weights}, file)
        file.flush()
        os.fsync(file.fileno())


def main():
    loop = Loop("checkpoint", ["save_checkpoint", "last.ckpt"], "checkpoint", step_s=0.008)
    weights = torch.rand(PARAMETERS)
    with tempfile.TemporaryDirectory() as folder:
        for step, batch in enumerate(loop.batches(loader_of(Items(4800, 4096), 16, 2))):
            loop.train(batch)
            if not IS_FIXED and step % 10 == 9:
                loop.timed("checkpoint", save_checkpoint, weights, folder)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
