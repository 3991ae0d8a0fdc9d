#!/usr/bin/python3
"""Nothing is wrong: an inference loop whose frames a thread prepares while the GPU computes."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from concurrent.futures import ThreadPoolExecutor

import numpy
import torch
from loop import Loop

FRAMES = 700


def prepare_frame(number):
    pixels = numpy.full(200_000, number, numpy.float32)
    return torch.from_numpy(numpy.sqrt(pixels + 1))


def frames():
    with ThreadPoolExecutor(1) as pool:
        waiting = [pool.submit(prepare_frame, number) for number in range(3)]
        for number in range(FRAMES):
            yield waiting.pop(0).result()
            waiting.append(pool.submit(prepare_frame, number))


def main():
    torch.set_num_threads(1)
    loop = Loop(step_s=0.014)
    for frame in loop.batches(frames()):
        loop.infer(frame)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
