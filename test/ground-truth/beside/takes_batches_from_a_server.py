#!/usr/bin/python3
"""A server that has each batch ready 20 ms after it was asked for. With --fixed at once."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from store import serve

if __name__ == "__main__":
    serve("batch-server", 0.02)
