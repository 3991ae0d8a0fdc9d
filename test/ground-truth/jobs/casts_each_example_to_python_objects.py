#!/usr/bin/python3
"""Two speech corpora are interleaved, and each example goes through lists of numbers before it is a tensor again.

Workers are spawned, and clips are of many lengths. With --fixed arrays become tensors as they are.

After https://github.com/huggingface/datasets/issues/6637.
"""

import os
import random
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

BATCHES = 56
BATCH = 64
FRAMES = 500
MELS = 128


class Corpus:
    """Log-mel features of clips, which lie in memory as a table of Arrow's does."""

    def __init__(self, seed, shortest, longest):
        self.chosen = random.Random(seed)
        self.features = numpy.random.default_rng(seed).random((2 * FRAMES, MELS), dtype=numpy.float32)
        self.lengths = shortest, longest

    def __iter__(self):
        while True:
            begin = self.chosen.randrange(FRAMES)
            frames = self.chosen.randint(*self.lengths)
            yield {"id": begin, "input_features": self.features[begin : begin + frames], "labels": [begin, frames]}


def interleave(corpora, probabilities, seed):
    chosen = random.Random(seed)
    streams = [iter(corpus) for corpus in corpora]
    while True:
        yield next(chosen.choices(streams, probabilities)[0])


def cast_to_python_objects(value):
    """So that a writer of Arrow understands it."""
    if isinstance(value, numpy.ndarray):
        return value.tolist() if value.ndim == 1 else [cast_to_python_objects(part) for part in value]
    if isinstance(value, dict):
        return {name: cast_to_python_objects(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [cast_to_python_objects(part) for part in value]
    return value


def encode_nested_example(value):
    """As the features of the data set say: here all numbers that are no whole ones are float32."""
    if isinstance(value, dict):
        return {name: encode_nested_example(part) for name, part in value.items()}
    if isinstance(value, list):
        return [encode_nested_example(part) for part in value]
    return float(value) if isinstance(value, float) else value


class TorchFormatter:
    def recursive_tensorize(self, value):
        if isinstance(value, dict):
            return {name: self.recursive_tensorize(part) for name, part in value.items()}
        if isinstance(value, numpy.ndarray):
            return torch.from_numpy(value)
        return torch.tensor(value)


class FormattedExamples(IterableDataset):
    """`interleave_datasets(...).with_format("torch")`."""

    def __init__(self):
        self.formatter = TorchFormatter()

    def format_example(self, example):
        if not IS_FIXED:
            example = encode_nested_example(cast_to_python_objects(example))
        return self.formatter.recursive_tensorize(example)

    def __iter__(self):
        worker = get_worker_info()
        torch.set_num_threads(1)
        corpora = [Corpus(31 + worker.id, 60, 250), Corpus(41 + worker.id, 300, FRAMES)]
        examples = interleave(corpora, [0.4, 0.6], worker.id)
        for _ in range(BATCHES * BATCH // worker.num_workers):
            yield self.format_example(next(examples))


def pad_features(examples):
    batch = torch.zeros(len(examples), FRAMES, MELS, dtype=torch.float16)
    for row, example in zip(batch, examples):
        row[: len(example["input_features"])] = example["input_features"]
    return batch


def main():
    torch.set_num_threads(1)
    culprit = ["encode_nested_example", "cast_to_python_objects", "recursive_tensorize", "format_example"]
    loop = Loop("slow-getitem", culprit, step_s=0.11)
    options = {"num_workers": 2, "multiprocessing_context": "spawn", "collate_fn": pad_features}
    for batch in loop.batches(DataLoader(FormattedExamples(), batch_size=BATCH, **options)):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
