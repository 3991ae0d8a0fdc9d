#!/usr/bin/python3
"""Reinforcement learning: four environments in processes of their own simulate a step each, and the policy waits for all.

With --fixed they simulate a twentieth of it.

After https://github.com/openai/baselines/issues/649.
"""

import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 450
ENVIRONMENTS = 4
BODIES = 80
SUBSTEPS = 1 if IS_FIXED else 20


def simulate_physics(places, speeds, action):
    for _ in range(SUBSTEPS):
        apart = places[None] - places[:, None]
        pull = apart / (numpy.square(apart).sum(axis=2, keepdims=True) + 0.1)
        speeds += 1e-5 * pull.sum(axis=1) + 1e-6 * action
        places += 1e-3 * speeds


def run_environment(pipe, seed):
    chosen = numpy.random.default_rng(seed)
    places, speeds = chosen.normal(size=(BODIES, 3)), numpy.zeros((BODIES, 3))
    while (action := pipe.recv()) is not None:
        simulate_physics(places, speeds, action)
        pipe.send(numpy.resize(places, 4096).astype(numpy.float32))


def start_environments():
    context = multiprocessing.get_context("fork")
    for number in range(ENVIRONMENTS):
        pipe, other = context.Pipe()
        name = f"environment-{number}"
        context.Process(target=run_environment, args=(other, number), name=name, daemon=True).start()
        yield pipe


def step_environments(pipes, actions):
    for pipe, action in zip(pipes, actions):
        pipe.send(action)
    return torch.from_numpy(numpy.stack([pipe.recv() for pipe in pipes]))


def observations_of(pipes):
    seen = torch.zeros(ENVIRONMENTS, 4096)
    for _ in range(STEPS):
        seen = step_environments(pipes, seen[:, 0].tolist())
        yield seen


def main():
    torch.set_num_threads(1)
    ids = ["producer", "subprocess-wait", "slow-server"]
    culprit = ["simulate_physics", "run_environment", "step_environments"]
    pipes = list(start_environments())
    loop = Loop(ids, culprit, verdicts=["input-bound", "host-bound"], step_s=0.005)
    for seen in loop.batches(observations_of(pipes)):
        loop.train(seen)
    loop.report(sys.argv[1])
    for pipe in pipes:
        pipe.send(None)


if __name__ == "__main__":
    main()
