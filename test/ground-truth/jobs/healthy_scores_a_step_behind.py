#!/usr/bin/python3
"""Nothing is wrong: a reward model takes 45 ms for a score, but each is asked for four steps before it is needed.

Threads wait for it all the time; the loop never does.

After https://github.com/huggingface/trl/issues/4489, which asks for this.
"""

import collections
import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

# A wait that spins would keep one of two CPUs from the others.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of
from store import ask, place
from trainer import Trainer

STEPS = 300
BEHIND = 4


class RewardClient:
    """Each thread has a connection of its own."""

    def __init__(self, port):
        self.port = port
        self.own = threading.local()

    def score_answer(self, step):
        if not hasattr(self.own, "connection"):
            self.own.connection = socket.create_connection(("127.0.0.1", self.port))
        return ask(self.own.connection, step)[0] / 255


class ScoreBehind:
    part = "scores"

    def __init__(self, client):
        self.client = client
        self.pool = ThreadPoolExecutor(BEHIND, thread_name_prefix="reward-client")
        self.asked = collections.deque()
        self.total = 0.0

    def after_step(self, trainer):
        self.asked.append(self.pool.submit(self.client.score_answer, trainer.step))
        if len(self.asked) > BEHIND:
            self.total += self.asked.popleft().result()


def main():
    port, _ = place()
    loop = Loop(step_s=0.024)
    scores = ScoreBehind(RewardClient(port))
    Trainer(loop, loader_of(Items(16 * STEPS, 4096), 16, 1), [scores]).fit()
    loop.report(sys.argv[1])
    scores.pool.shutdown()


if __name__ == "__main__":
    main()
