#!/usr/bin/python3
"""Workers look samples up in a cache of which they lock a record with fcntl: one at a time. With --fixed they don't."""

import fcntl
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from locked_cache import train_under


def lock(cache):
    fcntl.lockf(cache, fcntl.LOCK_EX, 4096, 0)


if __name__ == "__main__":
    train_under(lock)
