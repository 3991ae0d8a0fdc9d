#!/usr/bin/python3
"""Nothing is wrong: three actors play ahead, and stand before a full queue most of the time.

The learner's GPU is the limit.

After https://github.com/ray-project/ray/pull/17822, of queues that are full since actors are faster than the learner.
"""

import multiprocessing
import os
import sys

# A wait that spins would keep one of two CPUs from the actors.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import Loop
from neighbour import be_called

ACTORS = 3
STEPS = 340
STATES = 32
LENGTH = 40


class Maze:
    """Balls between walls, pushed by the policy."""

    def __init__(self, seed):
        self.chosen = numpy.random.default_rng(seed)
        self.places = self.chosen.random((STATES, 64))
        self.speeds = numpy.zeros_like(self.places)

    def advance(self, pushes):
        self.speeds = 0.9 * self.speeds + 0.01 * pushes
        self.places = self.places + self.speeds
        self.speeds = numpy.where((self.places < 0) | (self.places > 1), -self.speeds, self.speeds)
        self.places = numpy.clip(self.places, 0, 1)
        return self.places


def play_episode(maze):
    seen = [maze.advance(maze.chosen.normal(size=(STATES, 64))) for _ in range(LENGTH)]
    return numpy.stack(seen).astype(numpy.float32)


def act(number, rollouts, version):
    be_called(f"actor-{number}")
    maze = Maze(number)
    while True:
        rollouts.put((version.value, play_episode(maze)))


class Learner:
    def __init__(self, version):
        self.version = version
        self.lags = []

    def rollouts_of(self, rollouts):
        for _ in range(STEPS):
            version, seen = rollouts.get()
            self.lags.append(self.version.value - version)
            yield torch.from_numpy(seen)

    def publish_weights(self):
        with self.version.get_lock():
            self.version.value += 1


def main():
    torch.set_num_threads(1)
    context = multiprocessing.get_context("fork")
    rollouts, version = context.Queue(maxsize=6), context.Value("q", 0)
    actors = [context.Process(target=act, args=(number, rollouts, version), daemon=True) for number in range(ACTORS)]
    for actor in actors:
        actor.start()
    loop = Loop(step_s=0.024)
    learner = Learner(version)
    for step, seen in enumerate(loop.batches(learner.rollouts_of(rollouts))):
        loop.train(seen)
        if step % 10 == 9:
            learner.publish_weights()
    loop.report(sys.argv[1])
    for actor in actors:
        actor.kill()
        actor.join()


if __name__ == "__main__":
    main()
