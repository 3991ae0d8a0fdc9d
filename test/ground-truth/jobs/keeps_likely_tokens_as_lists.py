#!/usr/bin/python3
"""An engine keeps the 48 likeliest tokens at each place of each answer, as lists, until the answer is finished.

There are 700,000 of these lists, so that whenever Python looks for garbage everything stands still for long; there is none.
With --fixed it does not look for it while requests are answered.

After https://github.com/vllm-project/vllm/issues/28226, https://github.com/vllm-project/vllm/issues/28239 and
https://github.com/sgl-project/sglang/pull/9241.
"""

import gc
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 600
ANSWERS = 80
TOP = 48
LONGEST = 400
WORDS = 32_000


class Answer:
    """What was written so far, and what else it might have been."""

    def __init__(self, length):
        self.length = length
        self.token_ids = []
        self.top_logprobs = []

    def append_position(self, pairs):
        self.token_ids.append(int(pairs[0][0]))
        self.top_logprobs.append(pairs)

    def is_finished(self):
        return len(self.token_ids) >= self.length


class OutputProcessor:
    """Hands each of the engine's outputs to its answer; a finished one makes room for the next request."""

    def __init__(self):
        self.finished = 0
        # Requests have come at any time: the engine's batch holds answers of every length.
        self.answers = [Answer(1 + number * LONGEST // ANSWERS) for number in range(ANSWERS)]

    def process_outputs(self, token_ids, logprobs):
        rows = numpy.stack([token_ids, logprobs], axis=-1).tolist()
        for number, pairs in enumerate(rows):
            self.answers[number].append_position(pairs)
            if self.answers[number].is_finished():
                self.finished += 1
                self.answers[number] = Answer(LONGEST)


class Sampler:
    """The likeliest tokens of each answer, drawn beforehand: here there is no model."""

    def __init__(self):
        drawn = torch.Generator().manual_seed(3)
        self.token_ids = torch.randint(WORDS, (8, ANSWERS, TOP), generator=drawn).float().numpy()
        self.logprobs = -torch.rand(8, ANSWERS, TOP, generator=drawn).numpy()

    def sample(self, step):
        return self.token_ids[step % 8], self.logprobs[step % 8]


class CollectorWatch:
    """How long Python's collector took, by what it says itself."""

    def __init__(self):
        self.seconds = 0.0
        self.begun = 0.0
        gc.callbacks.append(self.on_collection)

    def on_collection(self, phase, _):
        if phase == "start":
            self.begun = time.perf_counter()
        else:
            self.seconds += time.perf_counter() - self.begun


def scheduled_steps():
    hidden = torch.rand(ANSWERS, 1024)
    for _ in range(STEPS):
        yield hidden


def main():
    torch.set_num_threads(1)
    culprit = ["gc", "process_outputs", "OutputProcessor", "append_position"]
    loop = Loop("garbage-collection", culprit, "collecting", step_s=0.008)
    # To make the lists, and to free those of finished answers, takes a twelfth of the time by itself.
    loop.also_right += ["host-work"]
    sampler, processor = Sampler(), OutputProcessor()
    for step in range(LONGEST):
        processor.process_outputs(*sampler.sample(step))
    if IS_FIXED:
        gc.disable()
    watch = CollectorWatch()
    for step, hidden in enumerate(loop.batches(scheduled_steps())):
        loop.infer(hidden)
        begun, collected = time.perf_counter(), watch.seconds
        processor.process_outputs(*sampler.sample(step))
        collected = watch.seconds - collected
        loop.add("keeping", time.perf_counter() - begun - collected)
        loop.add("collecting", collected)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
