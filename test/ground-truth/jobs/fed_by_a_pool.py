#!/usr/bin/python3
"""No DataLoader: a multiprocessing pool of two decodes the batches, too slowly. With --fixed it takes a tenth.

After https://github.com/keras-team/keras/issues/13508, of a GPU that waits for generators in processes.
"""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop, compute


def decode_batch(number):
    compute(0.004 if IS_FIXED else 0.04)
    return torch.full((16, 4096), float(number % 7)).numpy()


def batches_of(pool):
    for made in pool.imap(decode_batch, range(500)):
        yield torch.from_numpy(made)


def main():
    torch.set_num_threads(1)
    ids = ["producer", "slow-getitem"]
    loop = Loop(ids, ["decode_batch"], verdicts=["input-bound", "host-bound"], step_s=0.004)
    with multiprocessing.Pool(2) as pool:
        for batch in loop.batches(batches_of(pool)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
