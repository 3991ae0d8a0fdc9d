#!/usr/bin/python3
"""Every 100 steps five batches of another loader are looked at, whose workers have nothing to do in between.

The GPU is busy all the time.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from loop import Items, Loop, loader_of


def validate(loop, batches):
    for _ in range(5):
        loop.infer(next(batches))


def main():
    loop = Loop(step_s=0.015, also_right=["evaluation"])
    held_out = iter(loader_of(Items(3200, 4096), 16, 2))
    for step, batch in enumerate(loop.batches(loader_of(Items(6400, 4096), 16, 2))):
        loop.train(batch)
        if step % 100 == 99:
            loop.timed("validation", validate, loop, held_out)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
