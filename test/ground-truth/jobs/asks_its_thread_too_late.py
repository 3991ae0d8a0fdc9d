#!/usr/bin/python3
"""A thread loads batches, but is asked for the next one only after the step: either it or the GPU has nothing to do.

With --fixed it is asked before the step.

After https://github.com/Deci-AI/super-gradients/pull/1987.
"""

import concurrent.futures
import lzma
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

BATCHES = 360
CLIPS = 40
BATCH = 8
SAMPLES = 8000


def record_clips():
    chosen = numpy.random.default_rng(9)
    for _ in range(CLIPS):
        clip = chosen.normal(scale=400, size=SAMPLES).astype(numpy.int16)
        yield lzma.compress(clip.tobytes(), preset=0)


def unpack_clip(packed):
    return numpy.frombuffer(lzma.decompress(packed), numpy.int16)


def load_batch(clips, number):
    chosen = [unpack_clip(clips[(number * BATCH + at) % CLIPS]) for at in range(BATCH)]
    return torch.from_numpy(numpy.stack(chosen).astype(numpy.float32))


def batches_of(clips, thread):
    asked = thread.submit(load_batch, clips, 0)
    for number in range(1, BATCHES + 1):
        batch = asked.result()
        if IS_FIXED:
            asked = thread.submit(load_batch, clips, number)
            yield batch
        else:
            yield batch
            asked = thread.submit(load_batch, clips, number)


def main():
    torch.set_num_threads(1)
    ids = ["prefetch", "producer", "slow-getitem"]
    culprit = ["load_batch", "unpack_clip", "clip-loader"]
    # Workers of a DataLoader would be ahead as well.
    loop = Loop(ids, culprit, also_right=["workers-zero"], step_s=0.015)
    loop.verdicts = ["input-bound", "host-bound", "balanced"]
    clips = list(record_clips())
    with concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="clip-loader") as thread:
        for batch in loop.batches(batches_of(clips, thread)):
            loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
