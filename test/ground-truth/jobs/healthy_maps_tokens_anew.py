#!/usr/bin/python3
"""Nothing is wrong: the loop maps the file of tokens anew for each batch and cuts it itself, but all of it is in the cache.

After https://github.com/karpathy/nanoGPT/pull/428.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop

BATCHES = 320
BATCH = 12
BLOCK = 1024
TOKENS = 1 << 25


def cut(tokens, first):
    return torch.from_numpy(tokens[first : first + BLOCK].astype(numpy.int64))


def get_batch(path):
    # A mapping that stays would count every page that was ever read as this process's.
    tokens = numpy.memmap(path, dtype=numpy.uint16, mode="r")
    firsts = torch.randint(len(tokens) - BLOCK - 1, (BATCH,)).tolist()
    seen = torch.stack([cut(tokens, first) for first in firsts])
    wanted = torch.stack([cut(tokens, first + 1) for first in firsts])
    return torch.stack([seen, wanted])


def batches_of(path):
    for _ in range(BATCHES):
        yield get_batch(path)


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.024)
    with tempfile.NamedTemporaryFile(dir="/var/tmp", suffix="-train.bin") as file:
        file.write(numpy.random.randint(0, 50_257, TOKENS, dtype=numpy.uint16).tobytes())
        file.flush()
        for batch in loop.batches(batches_of(file.name)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
