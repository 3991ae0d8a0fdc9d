#!/usr/bin/python3
"""A replay buffer is a deque of a million transitions, and to reach one in its middle half of it is walked through.

With --fixed it is a list that is written in a circle.

After https://github.com/ageron/handson-ml/pull/204.
"""

import os
import random
import sys
from collections import deque

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import IS_FIXED, Loop

TRANSITIONS = 1_000_000
STATES = 4096
STEPS = 700
BATCH = 256


class Replay:
    def __init__(self):
        past = ((at % STATES, at % 7, float(at % 11)) for at in range(TRANSITIONS))
        self.memory = list(past) if IS_FIXED else deque(past, TRANSITIONS)
        self.states = torch.rand(STATES, 512)
        self.at = 0

    def remember(self, transition):
        if IS_FIXED:
            self.memory[self.at] = transition
            self.at = (self.at + 1) % TRANSITIONS
        else:
            self.memory.append(transition)

    def sample_transitions(self):
        return random.sample(self.memory, BATCH)

    def batches(self):
        for step in range(STEPS):
            self.remember((step % STATES, step % 7, 0.0))
            yield self.states[[state for state, _, _ in self.sample_transitions()]]


def main():
    torch.set_num_threads(1)
    ids = ["host-work", "host-data-movement", "slow-getitem", "workers-zero"]
    loop = Loop(ids, ["sample_transitions"], verdicts=["input-bound", "host-bound"], step_s=0.004)
    for batch in loop.batches(Replay().batches()):
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
