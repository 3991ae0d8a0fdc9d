#!/usr/bin/python3
"""Two causes: 256 of a million expert samples are drawn without putting back, by shuffling all, and the replay is pickled often.

With --fixed a sample may be drawn twice, and the replay is pickled once.

After https://github.com/keiohta/tf2rl/issues/126, of the draws, and https://github.com/rail-berkeley/softlearning/issues/1.
"""

import os
import pickle
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 220
EXPERT = 1_000_000
STATES = 4096
BATCH = 256
TRANSITIONS = 300_000
EVERY = 220 if IS_FIXED else 10


class Expert:
    """So many that the same few stand for all of them."""

    def __init__(self):
        self.states = torch.rand(STATES, 512)
        self.chosen = numpy.random.RandomState(12)

    def draw_expert(self):
        if IS_FIXED:
            return self.chosen.randint(0, EXPERT, BATCH)
        return self.chosen.choice(EXPERT, BATCH, replace=False)

    def batches(self):
        for _ in range(STEPS):
            yield self.states[torch.from_numpy(self.draw_expert() % STATES)]


class Replay:
    def __init__(self):
        self.transitions = [(at % STATES, at % 7, float(at % 11), False) for at in range(TRANSITIONS)]

    def remember(self, step, value):
        self.transitions[step] = (step % STATES, step % 7, value, False)


def save_replay_buffer(replay, path):
    with open(path, "wb") as file:
        pickle.dump(replay.transitions, file, protocol=4)


def main():
    torch.set_num_threads(1)
    ids = ["slow-sampler", "host-work", "host-data-movement", "workers-zero", "slow-getitem"]
    loop = Loop(ids, ["draw_expert", "Expert.batches"], step_s=0.008)
    saving = ["save_replay_buffer", "replay.pkl"]
    loop.also(["checkpoint", "host-work", "host-data-movement", "slow-output"], saving, "saving")
    loop.verdicts = ["host-bound", "input-bound", "balanced"]
    replay = Replay()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = os.path.join(folder, "replay.pkl")
        for step, batch in enumerate(loop.batches(Expert().batches())):
            loop.train(batch)
            replay.remember(step, float(batch[0, 0]))
            if step % EVERY == EVERY - 1:
                loop.timed("saving", save_replay_buffer, replay, path)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
