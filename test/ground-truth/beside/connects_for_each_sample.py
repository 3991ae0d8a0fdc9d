#!/usr/bin/python3
"""A store that answers each question for a sample 5 ms later. With --fixed at once."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from store import serve

if __name__ == "__main__":
    serve("object-store", 0.005)
