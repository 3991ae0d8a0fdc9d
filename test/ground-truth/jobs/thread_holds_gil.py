#!/usr/bin/python3
"""A thread of the training process builds its statistics in pure Python and takes the interpreter from the loop.

With --fixed it is a process.

After https://github.com/pytorch/pytorch/issues/101962.
"""

import multiprocessing
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def watch_statistics():
    counts = {}
    while True:
        for number in range(1000):
            counts[number] = counts.get(number, 0) + 1


def main():
    loop = Loop("gil", ["watch_statistics", "statistics-thread"], "step", also_right=["host-work"])
    loop.verdicts = ["balanced"]
    start = multiprocessing.Process if IS_FIXED else threading.Thread
    loader = loader_of(Items(4800, 4096), 16, 1)
    batches = loop.batches(loader)
    loop.train(next(batches))
    start(target=watch_statistics, name="statistics-thread", daemon=True).start()
    for batch in batches:
        loop.timed("step", loop.train, batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
