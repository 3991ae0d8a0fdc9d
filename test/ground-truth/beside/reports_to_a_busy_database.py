#!/usr/bin/python3
"""Another trial of the study: it writes its values in long transactions, with a pause between two of them.

With --fixed it has a database of its own.
"""

import os
import random
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from neighbour import be_called, end_with_parent, say_ready


def open_study(folder, name):
    connection = sqlite3.connect(os.path.join(folder, name), timeout=60, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE IF NOT EXISTS intermediate (trial INTEGER, step INTEGER, value REAL)")
    return connection


def write_values(connection, step, seconds):
    """As one does who writes over a network, value by value."""
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("INSERT INTO intermediate VALUES (4, ?, 0.5)", (step,))
    time.sleep(seconds)
    connection.execute("COMMIT")


def main():
    end_with_parent()
    be_called("other-trial")
    shared = open_study(sys.argv[1], "study.db")
    connection = open_study(sys.argv[1], "other.db") if "--fixed" in sys.argv else shared
    lengths = random.Random(9)
    say_ready(sys.argv[1], str(os.getpid()))
    step = 0
    while True:
        write_values(connection, step, lengths.uniform(0.02, 0.04))
        time.sleep(0.016)
        step += 1


if __name__ == "__main__":
    main()
