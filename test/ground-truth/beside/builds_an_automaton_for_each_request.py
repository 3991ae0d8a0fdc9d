#!/usr/bin/python3
"""Sends requests for three forms of answers in turn to the server of the job: which form, and numbers of words."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from itertools import cycle

from model_server import ask

if __name__ == "__main__":
    ask(cycle([form.to_bytes(4, "little") + bytes(4 * 2048) for form in range(3)]), 0.008)
