#!/usr/bin/python3
"""A reward model that has a score 45 ms after it was asked, many at a time. With --fixed at once."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from store import serve

if __name__ == "__main__":
    serve("reward-model", 0.045)
