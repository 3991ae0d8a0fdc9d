#!/usr/bin/python3
"""Another trial of the study: it reads the journal under its lock, in a folder that is far away, again and again.

With --fixed it has a journal of its own.
"""

import fcntl
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready


def read_under_lock(journal, seconds):
    fcntl.flock(journal, fcntl.LOCK_EX)
    journal.seek(0)
    journal.read()
    time.sleep(seconds)
    fcntl.flock(journal, fcntl.LOCK_UN)


def main():
    end_with_parent()
    be_called("sibling-trial")
    name = "sibling.journal" if "--fixed" in sys.argv else "study.journal"
    lengths = random.Random(4)
    with open(os.path.join(sys.argv[1], name), "a+", encoding="utf8") as journal:
        say_ready(sys.argv[1], str(os.getpid()))
        while True:
            read_under_lock(journal, lengths.uniform(0.025, 0.05))
            time.sleep(0.01)


if __name__ == "__main__":
    main()
