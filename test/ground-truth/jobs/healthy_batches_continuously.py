#!/usr/bin/python3
"""Nothing is wrong: a language model's engine has more requests than its batch has room for, and the GPU is the limit.

The front end is a process that puts answers together in Python. It takes a fifth of a CPU, its users wait for their
turn, and the engine never waits for it.

After https://github.com/huggingface/blog/pull/3372, of what the host does between two steps of such an engine.
"""

import collections
import multiprocessing
import os
import random
import sys

# A wait that spins would keep one of two CPUs from the front end.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import torch
from loop import Loop

STEPS = 420
ROOM = 64
USERS = 160
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A space at a word's begin is another letter there, as in GPT-2's vocabulary.
SPACE = "\u0120"
VOCABULARY = [SPACE + LETTERS[number % 26] + LETTERS[number // 26 % 26] * 3 for number in range(2000)]
BYTES = {**{letter: ord(letter) for letter in LETTERS}, SPACE: 32}


class Sequence:
    def __init__(self, number, wanted):
        self.number = number
        self.wanted = wanted
        self.tokens = [number % len(VOCABULARY)]

    def is_done(self):
        return len(self.tokens) > self.wanted


class Engine:
    """Each step adds a token to every sequence of the batch; who is done makes room for who waits."""

    def __init__(self, requests, answers):
        self.requests = requests
        self.answers = answers
        self.waiting = collections.deque()
        self.running = []

    def take_requests(self, at_least=0):
        while len(self.waiting) < at_least or self.requests.poll():
            self.waiting.append(Sequence(*self.requests.recv()))

    def schedule(self):
        self.take_requests()
        while len(self.running) < ROOM and self.waiting:
            self.running.append(self.waiting.popleft())
        return torch.tensor([sequence.tokens[-1] for sequence in self.running])

    def add_tokens(self, step):
        news = []
        for sequence in self.running:
            token = (sequence.tokens[-1] * 31 + step) % len(VOCABULARY)
            sequence.tokens.append(token)
            news.append((sequence.number, token, sequence.is_done()))
        self.running = [sequence for sequence in self.running if not sequence.is_done()]
        self.answers.put(news)

    def batches(self):
        self.take_requests(at_least=ROOM)
        for _ in range(STEPS):
            yield self.schedule()


class Detokenizer:
    """Letters may change with what follows, so that a text is put together anew with each token."""

    def __init__(self):
        self.tokens = {}

    def add(self, number, token):
        tokens = self.tokens.setdefault(number, [])
        tokens.append(token)
        letters = "".join(VOCABULARY[token] for token in tokens)
        return bytearray(BYTES[letter] for letter in letters).decode("utf8", errors="replace")


def serve_users(requests, answers):
    """The front end: a user who has got an answer asks again."""
    chosen = random.Random(3)
    detokenizer = Detokenizer()
    for number in range(USERS):
        requests.send((number, chosen.randint(100, 800)))
    asked = USERS
    shown = {}
    while True:
        for number, token, is_done in answers.get():
            shown[number] = detokenizer.add(number, token)
            if is_done:
                del shown[number], detokenizer.tokens[number]
                requests.send((asked, chosen.randint(100, 800)))
                asked += 1


def main():
    torch.set_num_threads(1)
    loop = Loop(verdicts=["compute-bound", "balanced", "serving"], step_s=0.025)
    requests, asking = multiprocessing.Pipe(duplex=False)
    answers = multiprocessing.Queue()
    front_end = multiprocessing.Process(target=serve_users, args=(asking, answers), name="front-end", daemon=True)
    front_end.start()
    engine = Engine(requests, answers)
    for step, tokens in enumerate(loop.batches(engine.batches())):
        loop.infer(tokens)
        loop.timed("tokens", engine.add_tokens, step)
    loop.report(sys.argv[1])
    front_end.terminate()


if __name__ == "__main__":
    main()
