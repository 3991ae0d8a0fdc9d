#!/usr/bin/python3
"""No loader at all: the loop reads and normalises each batch itself, then computes. With --fixed it was done before.

After https://github.com/openvax/mhcflurry/issues/268, of a training process that prepares its data itself.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

BATCHES = 400
VALUES = 16 * 4096


def read_image(path):
    pixels = numpy.fromfile(path, numpy.uint8).astype(numpy.float64)
    for _ in range(6):
        pixels = numpy.sqrt(pixels * pixels + 1.0)
    return torch.from_numpy(pixels.astype(numpy.float32))


def images(path):
    ready = read_image(path)
    for _ in range(BATCHES):
        yield ready if IS_FIXED else read_image(path)


def main():
    torch.set_num_threads(1)
    ids = ["host-data-movement", "host-work", "host-metrics", "slow-getitem", "workers-zero"]
    loop = Loop(ids, ["read_image"], verdicts=["input-bound", "host-bound"], step_s=0.003)
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as file:
        file.write(os.urandom(VALUES * 8))
        file.flush()
        for batch in loop.batches(images(file.name)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
