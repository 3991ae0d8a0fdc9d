#!/usr/bin/python3
"""Another run on the machine, which fills the cache and has its lock meanwhile. With --fixed it has its own."""

import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready


def fill_under_lock(path, seconds):
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        time.sleep(0.001)
        return
    time.sleep(seconds)
    os.unlink(path)
    time.sleep(0.025)


def main():
    end_with_parent()
    be_called("sibling-run")
    name = "sibling.lock" if "--fixed" in sys.argv else "shards.lock"
    lengths = random.Random(5)
    say_ready(sys.argv[1], str(os.getpid()))
    while True:
        fill_under_lock(os.path.join(sys.argv[1], name), lengths.uniform(0.015, 0.035))


if __name__ == "__main__":
    main()
