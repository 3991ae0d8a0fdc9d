#!/usr/bin/python3
"""Sends texts to the server of the job. With --fixed the numbers of their words."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from array import array
from itertools import cycle

from model_server import ask

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = 8000


def texts():
    chosen = random.Random(7)
    for _ in range(20):
        yield " ".join("".join(chosen.choices(LETTERS, k=9)) for _ in range(WORDS)).encode()


def numbers():
    chosen = random.Random(7)
    for _ in range(20):
        yield array("i", (chosen.randrange(50_000) for _ in range(8192))).tobytes()


if __name__ == "__main__":
    ask(cycle(list(numbers() if "--fixed" in sys.argv else texts())), 0.01)
