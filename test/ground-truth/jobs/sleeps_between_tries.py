#!/usr/bin/python3
"""Before a step the loop looks whether it may go on, and sleeps between tries. With --fixed it may at once."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import IS_FIXED, Items, Loop, loader_of


def wait_for_permission(tries):
    for _ in range(tries):
        time.sleep(0.01)


def main():
    loop = Loop("sleep", "wait_for_permission", "sleeping", step_s=0.008)
    for batch in loop.batches(loader_of(Items(3200, 4096), 16, 2)):
        loop.timed("sleeping", wait_for_permission, 0 if IS_FIXED else 2)
        loop.train(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
