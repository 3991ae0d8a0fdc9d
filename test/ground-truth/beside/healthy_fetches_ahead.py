#!/usr/bin/python3
"""A store that takes 5 ms for each sample."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from store import serve

if __name__ == "__main__":
    serve("object-store", 0.005)
