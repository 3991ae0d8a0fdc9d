#!/usr/bin/python3
"""Two causes: an actor prices its episodes while it has the replay's lock, and a full log file is packed by the logger.

The actor is a process of the job's own; both keep the learner waiting. With --fixed it prices them before it takes the
lock, and a full log file is only given another name.

After https://github.com/pytorch/rl/issues/604 and https://github.com/Delgan/loguru/issues/243.
"""

import logging
import logging.handlers
import lzma
import math
import multiprocessing
import os
import random
import shutil
import sys
import tempfile

# A wait that spins would keep one of two CPUs from the actor.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop

STEPS = 480
BATCH = 512
CAPACITY = 40_000
FEATURES = 32
EPISODE = 2000
HIDDEN = 128
GAMMA = 0.99
LOG_BYTES = 480_000


class Pendulum:
    """A pole that swings; it is pushed at random."""

    def __init__(self, seed):
        self.chosen = random.Random(seed)
        self.angle = self.speed = 0.0

    def step(self):
        push = self.chosen.uniform(-2.0, 2.0)
        self.speed += 0.05 * (15.0 * math.sin(self.angle) + 3.0 * push)
        self.speed = max(-8.0, min(8.0, self.speed))
        self.angle = (self.angle + 0.05 * self.speed + math.pi) % (2 * math.pi) - math.pi
        return (math.cos(self.angle), math.sin(self.angle), self.speed), -(self.angle**2)

    def play_episode(self):
        states = numpy.zeros((EPISODE, FEATURES), dtype=numpy.float32)
        rewards = []
        for at in range(EPISODE):
            state, reward = self.step()
            states[at, :3] = state
            rewards.append(reward)
        return states, rewards


class Critic:
    def __init__(self):
        drawn = numpy.random.default_rng(2)
        self.hidden = drawn.normal(0, 0.2, (HIDDEN, FEATURES)).astype(numpy.float32)
        self.heads = drawn.normal(0, 0.2, (2, HIDDEN)).astype(numpy.float32)

    def value_of(self, state):
        """The lower one of two estimates."""
        return float(min(self.heads @ numpy.maximum(self.hidden @ state, 0.0)))

    def td_errors(self, states, rewards):
        """How surprised it is by each transition: that is its priority."""
        errors = []
        value = self.value_of(states[0])
        for reward, after in zip(rewards, states[1:]):
            next_value = self.value_of(after)
            errors.append(abs(reward + GAMMA * next_value - value))
            value = next_value
        return errors + [0.0]


class ReplayBuffer:
    """Of the actor and the learner, in shared memory."""

    def __init__(self):
        self.lock = multiprocessing.Lock()
        self.states = torch.zeros(CAPACITY, FEATURES).share_memory_()
        self.priorities = torch.zeros(CAPACITY).share_memory_()
        self.added = 0

    def add_episode(self, critic, states, rewards):
        errors = critic.td_errors(states, rewards) if IS_FIXED else None
        with self.lock:
            if errors is None:
                errors = critic.td_errors(states, rewards)
            rows = torch.arange(self.added, self.added + len(rewards)) % CAPACITY
            self.states[rows] = torch.from_numpy(states)
            self.priorities[rows] = torch.tensor(errors)
        self.added += len(rewards)

    def sample_transitions(self):
        with self.lock:
            rows = torch.randint(CAPACITY, (BATCH,))
            return self.states[rows], self.priorities[rows]


def play(replay):
    torch.set_num_threads(1)
    environment, critic = Pendulum(1), Critic()
    while True:
        replay.add_episode(critic, *environment.play_episode())


def pack_log(source, packed):
    with open(source, "rb") as log, lzma.open(packed, "wb") as file:
        shutil.copyfileobj(log, file)
    os.remove(source)


class LearnerLog:
    """Which transitions went into each step, byte by byte, so that a run can be looked at afterwards."""

    def __init__(self, folder):
        path = os.path.join(folder, "learner.log")
        handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=4)
        if not IS_FIXED:
            handler.namer = lambda name: name + ".xz"
            handler.rotator = pack_log
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self.logger = logging.getLogger("learner")
        self.logger.setLevel(logging.DEBUG)
        self.logger.addHandler(handler)

    def log_step(self, step, states):
        self.logger.debug("step %d %s", step, states[:, :3].numpy().tobytes().hex())


def sampled(replay):
    for _ in range(STEPS):
        yield replay.sample_transitions()


def main():
    torch.set_num_threads(1)
    replay = ReplayBuffer()
    actor = multiprocessing.Process(target=play, args=(replay,), name="actor", daemon=True)
    actor.start()
    culprit = ["sample_transitions", "ReplayBuffer", "add_episode", "td_errors", f"pid {actor.pid}"]
    loop = Loop("shared-lock", culprit, step_s=0.01)
    culprit = ["pack_log", "log_step", "doRollover", "LearnerLog", "learner.log"]
    loop.also(["host-work", "slow-output"], culprit, "logging")
    loop.verdicts = ["input-bound", "host-bound"]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        log = LearnerLog(folder)
        for step, (states, _) in enumerate(loop.batches(sampled(replay))):
            loop.train(states)
            loop.timed("logging", log.log_step, step, states)
    loop.report(sys.argv[1])
    actor.terminate()


if __name__ == "__main__":
    main()
