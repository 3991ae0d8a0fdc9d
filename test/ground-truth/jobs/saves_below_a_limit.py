#!/usr/bin/python3
"""Every 10 steps a checkpoint is flushed to a disk to which the control group may write 40 MB/s.

With --fixed it may write as fast as the disk can.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from limits import disk_of, run_within
from loop import IS_FIXED, Items, Loop, loader_of

PARAMETERS = 4_000_000
LIMIT = 40_000_000


def train():
    import torch

    def save_checkpoint(folder):
        with open(os.path.join(folder, "last.ckpt"), "wb") as file:
            torch.save({"model": weights}, file)
            file.flush()
            os.fsync(file.fileno())

    loop = Loop(["io-limit"], ["last.ckpt", "save_checkpoint"], "checkpoint", step_s=0.008)
    loop.also_right = ["checkpoint"]
    weights = torch.rand(PARAMETERS)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for step, batch in enumerate(loop.batches(loader_of(Items(3200, 4096), 16, 2))):
            loop.train(batch)
            if step % 10 == 9:
                loop.timed("checkpoint", save_checkpoint, folder)
    loop.report(sys.argv[1])


def main():
    if IS_FIXED:
        return train()
    disk = disk_of("/var/tmp")
    run_within("writes", (f"{disk} {LIMIT}", f"{disk} wbps={LIMIT}"), train)


if __name__ == "__main__":
    main()
