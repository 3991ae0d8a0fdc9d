#!/usr/bin/python3
"""Sends sentences to the server of the job, with pauses of users who read the answer first."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from itertools import repeat

from model_server import ask

if __name__ == "__main__":
    ask(repeat(b"the weather is fine today, isn't it? ".ljust(4096)), 0.008)
