#!/usr/bin/python3
"""An explorer works out the priorities of what it has seen while it holds the replay buffer's lock; the learner waits for it.

With --fixed it works them out before it takes the lock.

After https://github.com/keiohta/tf2rl/issues/62, of a buffer that is locked for longer than it need be.
"""

import multiprocessing
import os
import sys

# A wait that spins would keep one of two CPUs from the explorer.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from neighbour import be_called

CAPACITY = 40_000
STATE = 64
PENDULUMS = 5
LENGTH = 400
LOOK_AHEAD = 30
DISCOUNT = 0.99
BATCH = 128
STEPS = 560


class Pendulums:
    """They swing for an episode each, pushed at random."""

    def __init__(self, seed):
        self.chosen = numpy.random.default_rng(seed)
        self.mixing = self.chosen.normal(size=(STATE, STATE)) / STATE**0.5

    def play_episodes(self):
        states = numpy.empty((PENDULUMS, LENGTH, STATE), dtype=numpy.float32)
        state = self.chosen.normal(size=(PENDULUMS, STATE))
        for step in range(LENGTH):
            state = numpy.tanh(state @ self.mixing + 0.1 * self.chosen.normal(size=state.shape))
            states[:, step] = state
        return states


def n_step_errors(states):
    """How far off the value of each state was from what came after it: its priority."""
    values = states.mean(axis=1).tolist()
    rewards = (-abs(states[:, 0])).tolist()
    errors = numpy.empty(len(rewards), dtype=numpy.float32)
    for step in range(len(rewards)):
        ahead = rewards[step : step + LOOK_AHEAD]
        returned = sum(DISCOUNT**later * reward for later, reward in enumerate(ahead))
        last = min(step + LOOK_AHEAD, len(values) - 1)
        errors[step] = abs(returned + DISCOUNT**LOOK_AHEAD * values[last] - values[step])
    return errors


class SharedReplay:
    """Lies in memory that explorer and learner share, under one lock."""

    def __init__(self, context):
        self.states = torch.zeros(CAPACITY, STATE).share_memory_().numpy()
        self.priorities = torch.zeros(CAPACITY).share_memory_().numpy()
        self.filled = context.Value("q", 0, lock=False)
        self.lock = context.Lock()

    def add_episodes(self, episodes):
        if IS_FIXED:
            errors = self.prioritize(episodes)
            with self.lock:
                self.put(episodes, errors)
        else:
            with self.lock:
                self.put(episodes, self.prioritize(episodes))

    def prioritize(self, episodes):
        return numpy.concatenate([n_step_errors(states) for states in episodes])

    def put(self, episodes, errors):
        states = episodes.reshape(-1, STATE)
        places = (self.filled.value + numpy.arange(len(states))) % CAPACITY
        self.states[places] = states
        self.priorities[places] = errors
        self.filled.value += len(states)

    def sample(self, chosen):
        with self.lock:
            count = min(self.filled.value, CAPACITY)
            sums = numpy.cumsum(self.priorities[:count])
            drawn = numpy.searchsorted(sums, chosen.random(BATCH) * sums[-1])
            return self.states[numpy.minimum(drawn, count - 1)]


def explore(replay):
    be_called("explorer-0")
    pendulums = Pendulums(1)
    while True:
        replay.add_episodes(pendulums.play_episodes())


def drawn_batches(replay):
    chosen = numpy.random.default_rng(2)
    for _ in range(STEPS):
        yield torch.from_numpy(replay.sample(chosen))


def main():
    torch.set_num_threads(1)
    context = multiprocessing.get_context("fork")
    replay = SharedReplay(context)
    replay.add_episodes(Pendulums(0).play_episodes())
    explorer = context.Process(target=explore, args=(replay,), daemon=True)
    explorer.start()
    culprit = ["SharedReplay.sample", "sample", "add_episodes", "prioritize", "explorer-0", f"pid {explorer.pid}"]
    ids = ["shared-lock", "thread-lock", "producer"]
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.008)
    for batch in loop.batches(drawn_batches(replay)):
        loop.train(batch)
    loop.report(sys.argv[1])
    explorer.kill()
    explorer.join()


if __name__ == "__main__":
    main()
