#!/usr/bin/python3
"""A sampler that punishes repetition pads the tokens of all prompts and all answers into new tensors at each word.

Answers grow, and so does that. With --fixed the padded tensors are kept, and get one more column.

After https://github.com/vllm-project/vllm/issues/13247.
"""

import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

STEPS = 420
SEQUENCES = 384
VOCABULARY = 32_000
SHORTEST_PROMPT = 40
LONGEST_PROMPT = 600


class Sequence:
    def __init__(self, prompt):
        self.prompt = prompt
        self.output = []


def make_tensor_with_pad(rows, pad):
    """As wide as the longest of `rows`."""
    width = max(map(len, rows))
    return torch.tensor([row + [pad] * (width - len(row)) for row in rows], dtype=torch.int64).view(len(rows), width)


class SamplingTensors:
    """What the sampler needs on the GPU: the penalties, and which tokens they are for."""

    def __init__(self, sequences):
        self.presence = torch.full((len(sequences),), 0.2)
        self.frequency = torch.full((len(sequences),), 0.1)
        self.prompts = None
        self.outputs = None

    def from_lists(self, sequences):
        self.prompts = make_tensor_with_pad([sequence.prompt for sequence in sequences], VOCABULARY)
        self.outputs = make_tensor_with_pad([sequence.output for sequence in sequences], VOCABULARY)
        return torch.cat([self.prompts, self.outputs], dim=1)


class KeptSamplingTensors(SamplingTensors):
    """Room for the longest answer is there from the start."""

    def __init__(self, sequences):
        super().__init__(sequences)
        self.prompts = make_tensor_with_pad([sequence.prompt for sequence in sequences], VOCABULARY)
        self.tokens = torch.full((len(sequences), self.prompts.shape[1] + STEPS), VOCABULARY)
        self.tokens[:, : self.prompts.shape[1]] = self.prompts
        self.length = 0

    def from_lists(self, sequences):
        for column in range(self.length, len(sequences[0].output)):
            last = torch.tensor([sequence.output[column] for sequence in sequences])
            self.tokens[:, self.prompts.shape[1] + column] = last
        self.length = len(sequences[0].output)
        return self.tokens


class Engine:
    """Answers all prompts at once, word by word."""

    def __init__(self, loop):
        self.loop = loop
        self.chosen = random.Random(31)
        self.sequences = [Sequence(self.draw_prompt()) for _ in range(SEQUENCES)]
        self.tensors = (KeptSamplingTensors if IS_FIXED else SamplingTensors)(self.sequences)

    def draw_prompt(self):
        return self.chosen.choices(range(VOCABULARY), k=self.chosen.randint(SHORTEST_PROMPT, LONGEST_PROMPT))

    def sample(self):
        """Stands for what the GPU has chosen."""
        return self.chosen.choices(range(VOCABULARY), k=SEQUENCES)

    def step(self):
        tokens = self.loop.timed("penalties", self.tensors.from_lists, self.sequences)
        self.loop.infer(tokens)
        for sequence, token in zip(self.sequences, self.sample()):
            sequence.output.append(token)


def main():
    torch.set_num_threads(1)
    # It makes what is copied next, and is work of the loop's own code all the same: there is no loader.
    culprit = ["make_tensor_with_pad", "from_lists", "SamplingTensors"]
    loop = Loop(["host-data-movement", "host-work"], culprit, "penalties", step_s=0.011)
    # As long as the tokens will be at their longest.
    loop.device = loop.gpu.allocate(8 * SEQUENCES * (LONGEST_PROMPT + STEPS), host=False)
    engine = Engine(loop)
    for _ in range(STEPS):
        loop.steps.append(time.perf_counter())
        engine.step()
        if loop.is_over():
            break
    loop.steps.append(time.perf_counter())
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
