#!/usr/bin/python3
"""Workers look samples up in a cache that they flock: one at a time. With --fixed they don't.

After https://github.com/rwth-i6/returnn/issues/1548.
"""

import fcntl
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from locked_cache import train_under


def lock(cache):
    fcntl.flock(cache, fcntl.LOCK_EX)


if __name__ == "__main__":
    train_under(lock)
