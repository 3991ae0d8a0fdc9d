#!/usr/bin/python3
"""Reinforcement learning from tests: each program that the model wrote is run by an interpreter of its own.

Threads start them, and the loop waits for all. With --fixed two interpreters stay, and run one program after the other.

After https://github.com/wizard-III/ArcherCodeR/issues/6, whose GPU is empty while rewards are worked out.
"""

import concurrent.futures
import json
import os
import queue
import subprocess
import sys

# A wait that spins would keep one of two CPUs from the tests.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of

STEPS = 100
ANSWERS_A_STEP = 8
AT_ONCE = 4
LIMIT_S = 10
INTERPRETER = ["/usr/bin/python3", "-I", "-S"]

ANSWERS = [
    "def solve(text):\n    return text == text[::-1]\n",
    "def solve(text):\n    return all(a == b for a, b in zip(text, reversed(text)))\n",
    "def solve(text):\n    return text[0] == text[-1]\n",
    "def solve(text):\n    while len(text) > 1 and text[0] == text[-1]:\n        text = text[1:-1]\n    return len(text) < 2\n",
    "def solve(text):\n    return sorted(text) == sorted(text, reverse=True)\n",
]
TESTS = """
assert solve("level")
assert not solve("lever")
assert solve("x" * 400)
assert not solve("ab" * 40 + "c")
assert solve("no lemon no melon")
"""

# Runs the programs that it is sent, a line each.
SANDBOX = """
import json, sys
for line in sys.stdin:
    try:
        exec(json.loads(line), {})
        passed = 1
    except Exception:
        passed = 0
    print(passed, flush=True)
"""


class FreshInterpreter:
    def run_tests(self, program):
        done = subprocess.run([*INTERPRETER, "-c", program], capture_output=True, timeout=LIMIT_S)
        return float(done.returncode == 0)


class Sandboxes:
    """Interpreters that stay, each of which a thread borrows."""

    def __init__(self, count):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.free = queue.SimpleQueue()
        for _ in range(count):
            self.free.put(subprocess.Popen([*INTERPRETER, "-c", SANDBOX], **pipes))

    def run_tests(self, program):
        sandbox = self.free.get()
        sandbox.stdin.write(json.dumps(program) + "\n")
        sandbox.stdin.flush()
        passed = float(sandbox.stdout.readline())
        self.free.put(sandbox)
        return passed


class UnitTestReward:
    def __init__(self, runner):
        self.runner = runner
        self.threads = concurrent.futures.ThreadPoolExecutor(AT_ONCE, "reward")

    def score_answers(self, answers):
        return list(self.threads.map(self.runner.run_tests, [answer + TESTS for answer in answers]))


class Policy:
    """Its answers are taken from a list; what it learns from them is an update on the GPU."""

    def __init__(self, loop):
        self.loop = loop
        self.asked = 0

    def generate(self):
        self.asked += ANSWERS_A_STEP
        return [ANSWERS[number % len(ANSWERS)] for number in range(self.asked - ANSWERS_A_STEP, self.asked)]

    def update(self, prompts, rewards):
        mean = sum(rewards) / len(rewards)
        prompts[:, 0] = sum(reward - mean for reward in rewards)
        self.loop.train(prompts)


def main():
    culprit = ["run_tests", "score_answers", "UnitTestReward", "python3"]
    loop = Loop("subprocess-wait", culprit, "rewards", step_s=0.06)
    reward = UnitTestReward(Sandboxes(2) if IS_FIXED else FreshInterpreter())
    policy = Policy(loop)
    for prompts in loop.batches(loader_of(Items(STEPS * 8, 2048), 8, 1)):
        policy.update(prompts, loop.timed("rewards", reward.score_answers, policy.generate()))
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
