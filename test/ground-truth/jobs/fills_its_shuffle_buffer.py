#!/usr/bin/python3
"""A stream is shuffled through a buffer that each worker fills before it gives its first sample, in each epoch anew.

Once it is full the workers are ahead. With --fixed samples leave as soon as there is a batch of them.

After https://github.com/activeloopai/deeplake/issues/1760.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import IterableDataset, get_worker_info

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"

BATCH = 16
WORKERS = 2
EPOCH = BATCH * 70
EPOCHS = 7
BUFFER = 520
LEAST = BATCH if IS_FIXED else BUFFER


def read_tokens(number):
    """Of a sentence whose lines were stored as text."""
    text = " ".join(map(str, range(number, number + 2200)))
    return numpy.array(text.split(), dtype=numpy.float32)


class Shuffled(IterableDataset):
    def source(self):
        return map(read_tokens, range(get_worker_info().id, EPOCH, WORKERS))

    def fill_buffer(self, samples):
        return [next(samples) for _ in range(LEAST)]

    def __iter__(self):
        chosen = random.Random(get_worker_info().id)
        samples = self.source()
        buffer = self.fill_buffer(samples)
        for sample in samples:
            if len(buffer) < BUFFER and chosen.random() < 0.25:
                buffer.append(sample)
                continue
            at = chosen.randrange(len(buffer))
            yield torch.from_numpy(buffer[at])
            buffer[at] = sample
        chosen.shuffle(buffer)
        yield from map(torch.from_numpy, buffer)


def main():
    loop = Loop(["lazy-init", "slow-getitem"], ["fill_buffer", "Shuffled.__iter__"], step_s=0.013)
    for batch in loop.batches(loader_of(Shuffled(), BATCH, WORKERS, persistent_workers=True), EPOCHS):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
