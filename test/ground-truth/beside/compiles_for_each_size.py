#!/usr/bin/python3
"""Sends requests of many lengths to the server of the job."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from model_server import ask


def bodies():
    chosen = random.Random(7)
    while True:
        yield bytes(chosen.randrange(64, 4096))


if __name__ == "__main__":
    ask(bodies(), 0.02)
