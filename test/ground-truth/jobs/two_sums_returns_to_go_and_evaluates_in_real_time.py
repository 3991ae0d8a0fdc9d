#!/usr/bin/python3
"""Two causes: collate_fn adds up all later rewards step by step, and evaluations play as slowly as somebody could watch.

A decision transformer learns from recorded walks; its environment was made to be looked at, so that a clock holds each
frame for 33 ms. With --fixed returns were added up beforehand, and nothing is shown.

After https://github.com/huggingface/blog/pull/250, https://github.com/huggingface/transformers/issues/31374 and
https://github.com/openai/gym/pull/2649.
"""

import os
import sys
import time

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop
from torch.utils.data import DataLoader, Dataset

STEPS = 96
BATCH = 448
CONTEXT = 20
STATE, ACTION = 11, 3
TRAJECTORIES = 300
SHORTEST, LONGEST = 600, 5600
SCALE = 1000.0
EVALUATE_EVERY = 24
EPISODE = 26
RENDER_FPS = 30


def returns_to_go(rewards):
    """What is still to be earned at each step, undiscounted."""
    summed = numpy.zeros_like(rewards)
    summed[-1] = rewards[-1]
    for step in reversed(range(len(rewards) - 1)):
        summed[step] = rewards[step] + summed[step + 1]
    return summed


class WalkerTrajectories(Dataset):
    def __init__(self):
        drawn = numpy.random.default_rng(17)
        self.trajectories = [self.record_walk(drawn) for _ in range(TRAJECTORIES)]

    def record_walk(self, drawn):
        length = int(drawn.integers(SHORTEST, LONGEST))
        walk = {
            "observations": drawn.normal(size=(length, STATE)).astype(numpy.float32),
            "actions": drawn.uniform(-1, 1, (length, ACTION)).astype(numpy.float32),
            "rewards": drawn.normal(3.0, 1.0, length).astype(numpy.float32),
        }
        if IS_FIXED:
            walk["returns"] = walk["rewards"][::-1].cumsum()[::-1].copy()
        return walk

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        return self.trajectories[index * 7919 % TRAJECTORIES]


class TrajectoryCollator:
    """From each walk a piece that begins anywhere, as rows of what was seen, done, and still to be earned."""

    def returns_of(self, walk, begin):
        if "returns" in walk:
            return walk["returns"][begin : begin + CONTEXT]
        return returns_to_go(walk["rewards"][begin:])[:CONTEXT]

    def piece_of(self, walk):
        begin = int(torch.randint(len(walk["rewards"]) - CONTEXT, ()))
        seen, done = (walk[name][begin : begin + CONTEXT] for name in ("observations", "actions"))
        earned = self.returns_of(walk, begin)[:, None] / SCALE
        return numpy.concatenate([seen, done, earned], axis=1)

    def __call__(self, walks):
        return torch.from_numpy(numpy.stack([self.piece_of(walk) for walk in walks]))


class Clock:
    """As that of a games library: what is left of a frame's time is slept."""

    def __init__(self, loop):
        self.loop = loop
        self.ticked_at = time.perf_counter()

    def tick(self, fps):
        left = self.ticked_at + 1 / fps - time.perf_counter()
        if left > 0:
            self.loop.timed("watching", time.sleep, left)
        self.ticked_at = time.perf_counter()


class WalkerEnv:
    """Legs as damped springs that an action pushes; `render_mode="human"` shows each step as it would be seen."""

    def __init__(self, clock, render_mode):
        self.clock = clock
        self.render_mode = render_mode
        self.drawn = numpy.random.default_rng(23)
        self.springs = self.drawn.normal(0, 0.1, (STATE, STATE))
        self.pushes = self.drawn.normal(0, 0.3, (STATE, ACTION))
        self.frame = numpy.zeros((64, 64), dtype=numpy.uint8)

    def reset(self):
        self.state = self.drawn.normal(0, 0.1, STATE)
        return self.state

    def step(self, action):
        self.state = 0.95 * self.state + numpy.tanh(self.springs @ self.state + self.pushes @ action)
        if self.render_mode == "human":
            self.render()
        return self.state, float(self.state[0])

    def render(self):
        self.frame[:] = 0
        places = numpy.clip(32 + 8 * self.state, 0, 63).astype(int)
        self.frame[places, numpy.arange(STATE) * 5] = 255
        self.clock.tick(RENDER_FPS)


class DecisionTransformerTrainer:
    def __init__(self, loop):
        self.loop = loop
        self.environment = WalkerEnv(Clock(loop), None if IS_FIXED else "human")
        self.policy = numpy.random.default_rng(29).normal(0, 0.3, (ACTION, STATE))
        self.scores = []

    def act(self, state):
        """By a copy of the policy on the host, as one state at a time is too little for a GPU."""
        return numpy.tanh(self.policy @ state)

    def play_episode(self):
        state, earned = self.environment.reset(), 0.0
        for _ in range(EPISODE):
            state, reward = self.environment.step(self.act(state))
            earned += reward
        return earned

    def train_step(self, step, pieces):
        self.loop.train(pieces)
        if step % EVALUATE_EVERY == EVALUATE_EVERY - 1:
            self.scores.append(self.play_episode())


def main():
    torch.set_num_threads(1)
    loop = Loop("vector-collate", ["returns_to_go", "TrajectoryCollator", "returns_of", "piece_of"], step_s=0.04)
    # It sleeps while it evaluates; without the sleep the evaluation is short.
    culprit = ["tick", "Clock", "render", "WalkerEnv", "play_episode"]
    loop.also(["sleep", "evaluation"], culprit, "watching")
    loop.verdicts = ["input-bound", "host-bound"]
    # While an evaluation plays, workers stop when four batches are ready: with 16 the run takes a fifth less.
    loop.also_right += ["prefetch"]
    trainer = DecisionTransformerTrainer(loop)
    loader = DataLoader(WalkerTrajectories(), BATCH, num_workers=2, collate_fn=TrajectoryCollator())
    for step, pieces in enumerate(loop.batches(loader)):
        trainer.train_step(step, pieces)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
